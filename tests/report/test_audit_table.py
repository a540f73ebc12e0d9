"""`table.tex` of an audit: whatever a judge is called, LaTeX prints its name and keeps the table's form."""

import re

import pandas as pd
import pytest

import engine
from engine.report.audit.audit import audit_of
from engine.report.audit.table import latex_table

NAMES = (r"gpt&4o_50%x", r"c#l$au{de}~3^5\end{document}", "[2cm] *<b>| \\input{x}")
PRINTED = {
    r"\textbackslash{}": "\\",
    r"\textasciitilde{}": "~",
    r"\textasciicircum{}": "^",
    r"\textless{}": "<",
    r"\textgreater{}": ">",
    r"\textbar{}": "|",
    "{[}": "[",
    "{*}": "*",
    **{rf"\{letter}": letter for letter in "&%$#_{}"},
}
"""What LaTeX prints for each command that a cell may hold."""

TOKEN = re.compile("|".join([*map(re.escape, PRINTED), r"[^\\&%$#_{}~^]"]))


def printed(cell: str) -> str:
    """Return what LaTeX prints for a cell; ValueError for anything that it would act on."""
    tokens = TOKEN.findall(cell)
    if "".join(tokens) != cell:
        raise ValueError(cell)
    return "".join(PRINTED.get(token, token) for token in tokens)


@pytest.fixture(scope="module")
def lines() -> list[str]:
    rows = [
        {"judge": judge, "generator": model, "instance_id": f"q{question}", "score": score / 20}
        for question in range(6)
        for place, model in enumerate(NAMES)
        for other, judge in enumerate(NAMES)
        for score in [(question * 7 + place * 3 + other * 5) % 11]
    ]
    study = engine.from_frame(pd.DataFrame(rows), families={name: name for name in NAMES})
    return latex_table(audit_of(study, date="2026-01-01")).splitlines()


def test_the_names_of_judges_are_printed_as_they_are(lines: list[str]) -> None:
    cells = [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines if line.endswith(r" \\")]

    assert {len(row) for row in cells} == {5}
    assert {printed(row[0].strip()) for row in cells[2:]} == set(NAMES)
    for row in cells[1:]:
        assert all(printed(cell.strip()) for cell in row)


def test_no_name_ends_the_table_or_begins_a_comment(lines: list[str]) -> None:
    assert [line for line in lines if line.startswith(r"\end")] == [r"\end{tabular}", r"\end{table}"]
    assert [line for line in lines if re.search(r"(?<!\\)%", line)] == [r"% needs \usepackage{booktabs}"]
    assert not [line for line in lines if r"\input" in line]
