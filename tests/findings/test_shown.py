"""Findings in a notebook: a table, text, and HTML that escapes all texts of a study."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from engine.charts.claim_chart import drawing_of
from engine.errors import UsageError
from engine.findings.claims import RuleOutcome
from engine.findings.findings import Findings
from engine.report.notebook import findings_html

DOCS = Path(__file__).resolve().parents[2] / "docs"
NAME = "<script>alert(1)</script>"


def hostile(demo):
    claim = replace(demo.claims[0], sentence=f"{NAME} & co", command=f"spb metrics hspp --study '{NAME}'")
    outcomes = (
        RuleOutcome(rule="own-failures", question="who", claims=(claim,)),
        RuleOutcome(rule="slices", question="where", reason=f"no {NAME}"),
    )
    return Findings(NAME, NAME, "api", outcomes, (), (), {})


def test_the_table_has_a_row_for_each_claim_and_says_what_was_not_tried(demo):
    frame = demo.frame()

    assert list(frame["id"]) == [claim.id for claim in demo.claims]
    assert "since-last-run" in frame.attrs["not_tried"]
    assert frame.set_index("id").loc["own-failures:dune-large", "marks"].count("contradicted") == 1


def test_an_unknown_claim_is_answered_with_the_known_ones(demo):
    with pytest.raises(UsageError, match=r"unknown claim 'nope'; choose from: .*own-failures:aster-large"):
        demo.of("nope")


def test_charts_of_claims_have_words_for_rankings_and_slices(demo):
    labels = {
        label
        for claim in demo.shown
        if claim.question in ("ranking", "where")
        for label in drawing_of([claim], width=400)[0]["label"]
    }

    assert {"all except itself", "committee four-largest", "polarity negative, language en"} <= labels
    assert not [label for label in labels if "=" in label or label.startswith(("all-", "committee:"))]


def test_text_names_each_claim_with_its_marks(demo):
    text = repr(demo)

    assert all(claim.sentence in text for claim in demo.claims)
    assert "[contradicted: " in text


def test_names_are_escaped_in_html(demo):
    html = findings_html(hostile(demo))

    assert NAME not in html
    assert html.count("&lt;script&gt;") >= 3


def test_a_cell_of_the_notebook_page_runs_as_it_stands(capsys, tmp_path, monkeypatch):
    page = (DOCS / "notebook.md").read_text("utf-8")
    shutil.copytree(DOCS.parent / "results", tmp_path / "results")
    monkeypatch.chdir(tmp_path)  # where it writes a study, a report and a card
    blocks = [block.split("```")[0] for block in page.split("```python\n")[1:]]

    scope = {}
    for block in blocks:
        exec(compile(block, "notebook.md", "exec"), scope)  # noqa: S102 - the page's own lines

    assert len(blocks) >= 2
    assert scope["found"].claims
    assert capsys.readouterr().out
