"""Journal lines with a checksum."""

import base64
import json
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.collect.database.sealed_lines import Damage, read_lines, seal, set_aside, unseal

LINE = b'{"key":"a","text":"yes"}\n'


def value(line: bytes) -> object:
    """Read a line like the journal: an object with exactly its two members."""
    read = json.loads(line)
    if not isinstance(read, dict) or set(read) != {"key", "text"}:
        raise ValueError("no entry")
    return read["key"]


def test_a_sealed_line_is_json_and_survives_a_round_trip() -> None:
    line = seal(LINE)

    assert json.loads(line) == {"key": "a", "text": "yes", "crc32": f"{zlib.crc32(LINE[:-2]):08x}"}
    assert unseal(line) == LINE


def test_a_line_of_an_earlier_version_is_accepted_unchanged() -> None:
    assert unseal(LINE) == LINE


def test_an_answer_that_looks_like_a_checksum_is_not_taken_for_one() -> None:
    line = json.dumps({"key": "a", "text": ',"crc32":"00000000"}'}, separators=(",", ":")).encode() + b"\n"

    assert unseal(line) == line
    assert unseal(seal(line)) == line


@pytest.mark.parametrize("line", [b"[1]\n", b"{}\n", b'{"a":1}', b""])
def test_only_an_object_with_a_member_can_be_sealed(line: bytes) -> None:
    with pytest.raises(ValueError, match="not a line with a JSON object"):
        seal(line)


@given(at=st.integers(0, len(seal(LINE)) - 2), to=st.integers(0, 255))
def test_a_line_with_one_changed_byte_is_refused(at: int, to: int) -> None:
    line = bytearray(seal(LINE))
    line[at] = to

    assert is_read(bytes(line)) == (bytes(line) == seal(LINE))


def is_read(line: bytes) -> bool:
    """Return whether a line is accepted: its checksum is right and it has no extra member."""
    try:
        value(unseal(line))
    except ValueError:
        return False
    return True


def test_a_changed_answer_is_detected_although_it_is_valid_json() -> None:
    with pytest.raises(ValueError, match="checksum does not match"):
        unseal(seal(LINE).replace(b"yes", b"yep"))


def test_a_damaged_line_is_reported_with_its_position_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    first, second, third = (seal(LINE.replace(b'"a"', b'"%d"' % number)) for number in (1, 2, 3))
    broken = second.replace(b"yes", b"no\x00")
    path.write_bytes(first + broken + b"\x00\x01\n" + third + LINE + b'{"key":"torn')

    read = list(read_lines(path, value))

    damaged = [each for each in read if isinstance(each, Damage)]
    assert [each for each in read if not isinstance(each, Damage)] == ["1", "3", "a"]
    assert [(each.number, each.offset, each.line) for each in damaged] == [
        (2, len(first), broken),
        (3, len(first) + len(broken), b"\x00\x01\n"),
    ]
    assert (damaged[0].path, damaged[0].number) == (path, 2)
    assert damaged[0].why == "its checksum does not match"


def test_two_lines_that_lost_the_newline_between_them_are_both_damaged(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_bytes(seal(LINE)[:-1] + b" " + seal(LINE) + seal(LINE))

    read = list(read_lines(path, value))

    assert [type(each) for each in read] == [Damage, str]


def test_a_damaged_line_is_set_aside_once_however_often_it_is_read(tmp_path: Path) -> None:
    journal = tmp_path / "journal-000001.jsonl"
    line = seal(LINE).replace(b"yes", b"y\xffs")
    journal.write_bytes(line + b"{}\n")

    for _ in range(2):
        for each in read_lines(journal, value):
            assert isinstance(each, Damage)
            aside = set_aside(tmp_path, each)

    rows = [json.loads(row) for row in aside.read_bytes().splitlines()]
    assert [(row["file"], row["line"], row["offset"]) for row in rows] == [
        (journal.name, 1, 0),
        (journal.name, 2, len(line)),
    ]
    assert base64.b64decode(rows[0]["base64"]) == line
