"""A file of the engine holds one subject: no comment only divides it."""

import re
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "engine"
BANNER = re.compile(r"^[ \t]*#[ \t]*[-=*~#─]{3,}.*$", re.MULTILINE)


def test_no_comment_only_divides_a_file() -> None:
    banners = [
        f"{path.relative_to(ENGINE)}: {banner}"
        for path in sorted(ENGINE.rglob("*.py"))
        for banner in BANNER.findall(path.read_text("utf-8"))
    ]

    assert not banners, "give each part a module of its own, or leave the line out"
