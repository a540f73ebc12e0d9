"""`--out FILE.md`: every command that prints rows writes them as Markdown."""

from pathlib import Path

import pytest
from command_line import Spb
from plain.published import ROOT

STORE = ("--store", str(ROOT / "results"))


@pytest.mark.parametrize(
    ("words", "heads"),
    [
        (("judges", "demo-pairs"), "| Judge | Conclusion | Given | Expected | n own | Reason |"),
        (("judges", "demo-pairs", "--all"), "| judge | family | conclusion |"),
        (("gate", "demo-pairs"), "| Judge | Result | Measured | Why |"),
        (("study", "list"), "| Study | Title | Judgments are |"),
    ],
)
def test_a_markdown_file_has_the_rows_as_a_table(
    spb_here: Spb, tmp_path: Path, words: tuple[str, ...], heads: str
) -> None:
    out = tmp_path / "answer.md"

    spb_here(*words, *STORE, "--out", out)

    lines = out.read_text("utf-8").splitlines()
    at = next(place for place, line in enumerate(lines) if line.startswith(heads))
    assert set(lines[at + 1]) == set("| -")
    assert lines[at].count(" | ") == lines[at + 1].count(" | ") > 1
    assert not at or not lines[at - 1]


def test_texts_of_a_study_are_no_markup_in_a_markdown_file(spb_here: Spb, tmp_path: Path) -> None:
    names = ("a|b*c", "<b>")
    rows = [
        f"{judge},{model},q{n},{'yes' if n % 2 else 'no'}"
        for judge in names
        for model in names
        for n in (1, 2)
    ]
    (tmp_path / "v.csv").write_text("\n".join(["judge,model,question,verdict", *rows]), "utf-8")
    into = ("--store", tmp_path)
    assert spb_here("import", tmp_path / "v.csv", "--study", "odd", *into).returncode == 0

    spb_here("judges", "odd", *into, "--out", tmp_path / "answer.md")

    text = (tmp_path / "answer.md").read_text("utf-8")
    assert r"| a\|b\*c |" in text
    assert r"| \<b\> |" in text
