"""Files are read up to a size limit, and endless ones are refused."""

from pathlib import Path

import pytest

from engine.bounded_files import bytes_of, text_of


def test_a_file_of_the_largest_size_is_read_and_a_larger_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"12345")

    assert bytes_of(path, 5) == b"12345"
    with pytest.raises(OSError, match="more than 4 bytes"):
        bytes_of(path, 4)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_an_endless_device_is_refused() -> None:
    with pytest.raises(OSError, match="more than 1,000 bytes"):
        text_of("/dev/zero", 1000)


def test_a_byte_order_mark_is_not_text(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\xef\xbb\xbf\xc3\xa9")

    assert text_of(path) == "é"
