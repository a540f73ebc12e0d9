"""Notebook output: self-contained, without scripts, with all texts of a study escaped."""

import base64
import pickle
import re
import sys
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

import engine
from engine.report.audit.audit import audit_of
from engine.views.judges import JUDGES

HOSTILE = "<script>alert(1)</script>\u202e\"'&"


class Page(HTMLParser):
    """The elements and texts of some HTML; fails if one is not closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)

    def drawings(self) -> list[str]:
        """The texts of each picture, which must be an SVG that has no script and fetches nothing."""
        drawings = []
        for tag, attributes in self.tags:
            if tag == "img":
                assert attributes["alt"]
                kind, data = str(attributes["src"]).split(",")
                assert kind == "data:image/svg+xml;base64"
                root = ElementTree.fromstring(base64.b64decode(data))  # noqa: S314 - our own
                names = {element.tag.rpartition("}")[2] for element in root.iter()}
                assert not names & {"script", "image", "foreignObject", "use", "style"}
                drawings.append(" ".join(root.itertext()))
        return drawings


def verdicts(*judges: str) -> engine.Study:
    """A study of judges who pass all of their own answers to 40 questions, and every third of others'."""
    frame = pd.DataFrame(
        {"judge": judge, "generator": model, "instance_id": n, "met": judge == model or n % 3 == 0,
         "reference_met": n % 2 == 0}
        for judge in judges
        for model in judges
        for n in range(40)
    )  # fmt: skip
    families = {name: name for name in judges}
    return engine.from_frame(
        frame, set={"rubric_id": "r", "reference_source": "human"}, families=families, name="mine"
    )


@pytest.fixture(scope="module")
def study() -> engine.Study:
    return verdicts("one", "two", "three")


def html_of(thing: Any) -> str:
    html = thing._repr_html_()
    assert len(html) < 200_000
    assert not re.search(r"<script|https?://|@import|url\(|\bon\w+=", html)
    return str(html)


def test_a_study_shows_its_board_its_contents_and_the_rows_behind_it(study: engine.Study) -> None:
    page = Page(html_of(study))

    assert "40 questions, 3 judges, 360 verdicts" in page.text
    (board,) = page.drawings()
    assert all(name in board for name in ("one", "two", "three"))
    assert page.count("tr") == 1 + 1 + 3  # the head, the judges together, and each of them


def test_a_result_shows_its_chart_its_rows_and_its_slice(study: engine.Study) -> None:
    result = study.result("overestimation", resamples=100)

    page = Page(html_of(result))

    assert len(page.drawings()) == 1
    assert page.count("tr") == 1 + len(result.rows) == 1 + 9
    assert "Based on: single criterion judgments" in page.text
    assert "100.0%" in page.text  # each passes all of its own 20 failures


def test_a_result_without_rows_says_why(study: engine.Study) -> None:
    page = Page(html_of(study.result("equal-quality")))

    assert page.count("table") == page.count("img") == 0
    assert "pairwise" in page.text or "pairs" in page.text


def test_findings_show_the_board_the_answers_and_each_claim(study: engine.Study) -> None:
    findings = study.findings(resamples=200)

    page = Page(html_of(findings))

    assert all(claim.sentence in page.text for claim in findings.shown)
    assert all(sentence in page.text for answer in findings.answers for sentence in answer.sentences)
    assert page.count("li") == len(findings.shown) + len(findings.not_tried)


def test_names_of_a_study_are_escaped_in_tables_and_pictures() -> None:
    study = verdicts(HOSTILE, "two", "three")

    for thing in (study, study.result("overestimation", resamples=0), study.findings(resamples=100)):
        page = Page(html_of(thing))

        assert "<script>alert(1)</script>\\u202e\"'&" in page.text
        page.drawings()


def test_if_charts_cannot_be_drawn_the_tables_are_still_shown(
    study: engine.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)

    page = Page(html_of(study))

    assert page.count("img") == 0
    assert page.count("tr") == 5
    assert "pip install 'spb-explorer[pictures]'" in page.text


def test_a_study_its_scorecard_and_its_audit_show_the_view_of_the_judges(study: engine.Study) -> None:
    shown = JUDGES.shown(study, {})
    assert shown.table is not None

    for thing in (study, study.result("scorecard"), audit_of(study)):
        text = Page(html_of(thing)).text

        assert all(sentence in text for sentence in shown.sentences)
        assert all(cell in text for row in shown.table.rows for cell in row)


def test_a_result_can_be_pickled_and_is_shown_afterwards(study: engine.Study) -> None:
    result = study.result("overestimation", resamples=0)

    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own
