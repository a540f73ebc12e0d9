"""A judge's card: its numbers equal those of the measures, and its texts are escaped."""

import os
import pty
import re
import sys
import xml.etree.ElementTree as Tree
from dataclasses import replace

import pyarrow as pa
import pytest
from command_line import spb
from typer.testing import CliRunner

import engine
from engine.arrays.slicing.resolve import NoDataError
from engine.cli import app
from engine.errors import UsageError
from engine.report.card import CARD_FORMS, card_of, in_form
from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.words import conclusions
from report.reading import Outline
from report.test_report import HOSTILE, hostile_study

DEMO = "results/demo-health"
SVG = "{http://www.w3.org/2000/svg}"


def tree(svg):
    return Tree.fromstring(svg)  # noqa: S314 - our own


@pytest.fixture(scope="module")
def study():
    return engine.open_study(DEMO)


@pytest.fixture(scope="module")
def card(study):
    return card_of(study, "aster-large")


def test_a_card_says_what_the_scorecard_concludes(study, card):
    row = next(row for row in study.result("scorecard").rows if row["judge"] == "aster-large")

    concluded = card.concluded
    assert concluded.sentence == conclusions.conclusion_sentence(row)
    names = ("own_given", "own_expected", "family_given", "family_expected")
    assert [number.value for number in concluded.numbers] == [
        pytest.approx(100 * row[name]) for name in names
    ]
    ends = row["own_expected_low"], row["own_expected_high"]
    assert (concluded.numbers[1].low, concluded.numbers[1].high) == tuple(
        pytest.approx(100 * end) for end in ends
    )
    assert (
        f"passed {concluded.numbers[0].words}; other judges as strict would have passed" in concluded.sentence
    )
    assert (
        concluded.cases == "passed, of 100 criteria that these answers failed "
        "(n 141 own, 491 family, 6 judges of other families)"
    )
    assert row["n_own"] == 141
    assert "2025-01-01" in card.foot
    assert "95% intervals by leaving out one question at a time (Student's t, no resamples)" in card.basis
    assert card.foot.startswith("Study demo-health (simulated) · 120 questions, 9 judges, ")


def test_every_format_has_conclusion_numbers_n_and_doubts(card):
    texts = {form: in_form(card, form) for form in CARD_FORMS}

    picture = " ".join(text.text or "" for text in tree(texts["svg"]).iter(f"{SVG}text"))
    page = Outline(texts["html"].decode()).text
    for part in ("favours itself", "Simulated: ", "n 141"):
        assert part in picture
        assert part in page
        assert part in texts["md"].decode()
    for number in card.concluded.numbers:
        assert number.words in picture
        assert number.words in page
    assert texts["png"].startswith(b"\x89PNG")


@pytest.fixture(scope="module")
def card_once_more():
    return card_of(engine.open_study(DEMO), "aster-large")


@pytest.mark.parametrize("form", CARD_FORMS)
def test_the_same_study_gives_the_same_bytes(card, card_once_more, form):
    assert in_form(card, form) == in_form(card_once_more, form)


def test_hostile_names_are_escaped(tmp_path):
    study = engine.open_study(hostile_study(tmp_path))

    for judge in HOSTILE[:4]:
        hostile = card_of(study, judge)
        svg = tree(in_form(hostile, "svg"))  # well formed
        assert {element.tag.removeprefix(SVG) for element in svg.iter()} <= {
            *("svg", "g", "path", "text", "rect", "line", "defs", "clipPath", "tspan", "title", "desc")
        }
        outline = Outline(in_form(hostile, "html").decode())
        assert outline.attributes_of("script") == []
        assert outline.attributes_of("img") == []
        assert "<script" not in in_form(hostile, "md").decode().replace(r"\<", "")


def test_an_unknown_judge_or_invalid_date_is_named(plain):
    study = engine.open_study(plain)

    with pytest.raises(UsageError, match="unknown judge 'nobody'; choose from: m1, m2, m3"):
        card_of(study, "nobody")
    with pytest.raises(UsageError, match=r"date '1\.1\.2026' is not valid"):
        card_of(study, "m1", "1.1.2026")


def test_without_a_conclusion_there_is_no_card(tmp_path):
    rows = {"models": {"model": "m", "family": "F"}, "instances": {"instance_id": "x"}}
    tables = {name: pa.Table.from_pylist([row]) for name, row in rows.items()}
    Store(tmp_path).write("empty", tables, StudyInfo(name="empty", provenance="imported"))

    with pytest.raises(NoDataError, match="no card can be written"):
        card_of(engine.open_study(tmp_path / "empty"), "m")


def test_the_command_prints_or_writes_a_card_without_overwriting_one_unasked(tmp_path, plain):
    card = card_of(engine.open_study(plain), "m1")
    words = ["card", "plain", "--judge", "m1", "--store", str(plain.parent)]
    path = tmp_path / "card.md"

    to_terminal = CliRunner().invoke(app, [*words, "--format", "svg"])
    first = CliRunner().invoke(app, [*words, "--out", str(path)])
    again = CliRunner().invoke(app, [*words, "--out", str(path)])
    unknown = CliRunner().invoke(app, [*words, "--format", "pdf"])

    assert to_terminal.stdout_bytes == in_form(card, "svg")
    assert first.exit_code == 0
    assert path.read_bytes() == in_form(card, "md")
    assert "exists already" in str(again.exception)
    assert "unknown format 'pdf'; choose from: svg, png, md, html" in str(unknown.exception)


def test_what_taking_runs_together_leaves_out_stands_on_every_form_of_a_card(card):
    remark = "The runs mon and tue are taken together. Of 8 verdicts given more than once, the 2 that differ."

    texts = {form: in_form(replace(card, remarks=(remark,)), form).decode() for form in ("svg", "md", "html")}

    assert all(re.sub(r"<[^>]+>|\s+", " ", text).count("that differ") for text in texts.values())
    assert remark in texts["md"]
    assert card.remarks == ()  # it is of one run


@pytest.mark.parametrize(
    ("words", "shown"), [((), False), (("--format", "html"), False), (("--format", "md"), True)]
)
def test_a_terminal_shows_a_card_as_text_and_no_code(words, shown, monkeypatch, capsys):
    screen, terminal = pty.openpty()
    with os.fdopen(screen, "rb", buffering=0) as shows, os.fdopen(terminal, "w", encoding="utf-8") as stdout:
        monkeypatch.setattr(sys, "stdout", stdout)
        code = spb(monkeypatch, "report", DEMO, "--judge", "aster-large", *words)
        stdout.write("the end")
        stdout.flush()
        text = b""
        while not text.endswith(b"the end"):
            text += shows.read(100_000)

    assert code == (0 if shown else 2)
    assert (b"aster-large" in text) == shown
    refusal = f"a terminal cannot show {(words or ('', 'svg'))[1].upper()}; give a file, such as --out card."
    assert (refusal in capsys.readouterr().err) != shown
