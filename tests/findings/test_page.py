"""The page Findings, used as by a reader."""

import re
from pathlib import Path

import pytest
from explorer_studies import LACKING, PLANS, write
from streamlit.testing.v1 import AppTest

from engine.findings.questions import QUESTIONS
from engine.findings.rules import RULES

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def open_findings(monkeypatch):
    """Open the page of a study as an address would."""

    def open_page(study, store=ROOT / "results", **parameters):
        monkeypatch.setenv("SPB_STORE", str(store))
        app = AppTest.from_file(str(ROOT / "explorer" / "app.py"), default_timeout=200)
        for name, value in {"study": study, **parameters}.items():
            app.query_params[name] = value
        app.switch_page("app_pages/findings.py").run()
        assert not app.exception, [error.stack_trace for error in app.exception]
        return app

    return open_page


def texts(app):
    return "\n".join(element.value for element in app.text)


def test_the_page_answers_every_question_and_shows_the_first_claims_of_each(open_findings, demo):
    app = open_findings("demo-health")

    lines = texts(app)
    assert all(f"**{title}**" in [mark.value for mark in app.markdown] for title in QUESTIONS.values())
    for answer in demo.answers:
        assert "\n\n".join(answer.sentences) in lines
    for question in QUESTIONS:
        mine = [claim for claim in demo.shown if claim.question == question]
        assert all(claim.sentence in lines for claim in mine[:4])
    assert demo.claims[-1].command not in lines  # commands are code
    assert demo.claims[0].command in [code.value for code in app.code]


def test_all_claims_are_shown_on_request_and_the_address_says_so(open_findings, demo):
    app = open_findings("demo-health", all_claims="true")

    lines = texts(app)
    assert all(claim.sentence in lines for claim in demo.shown)
    assert all(mark.why in lines for claim in demo.shown for mark in claim.marks if mark.kind != "simulated")


def test_what_is_not_significant_stands_under_not_shown(open_findings, demo):
    app = open_findings("demo-health", all_claims="true")

    of_ranking = [claim for claim in demo.shown if claim.question == "ranking"]
    not_shown = [claim for claim in of_ranking if not claim.stands]
    assert not_shown
    assert "**Not shown**" in [mark.value for mark in app.markdown]
    answers = [answer.sentences for answer in demo.answers if answer.question == "ranking"]
    assert not {claim.sentence for claim in not_shown} & {*answers[0]}


def test_each_judge_has_one_conclusion_in_the_only_list_of_judges(open_findings, demo):
    app = open_findings("demo-health", all_claims="true")

    lines = texts(app)
    behind = [claim for claim in demo.claims if claim not in demo.shown]
    assert {claim.rule for claim in behind} >= {"own-failures", "beyond-gold", "own-points"}
    cited = {one for claim in demo.shown for one in claim.because}  # advice links to what it rests on
    assert not [claim.id for claim in behind if claim.sentence in lines and claim.id not in cited]
    for claim in demo.shown:
        if claim.rule == "conclusion":
            assert [card.value for card in app.text].count(claim.sentence) == 1 + (claim.id in cited)


def test_the_corrected_ranking_names_the_nearest_and_lists_the_flips(open_findings):
    app = open_findings("demo-health", part="ranking")

    assert "Closest to the reference's order" in texts(app)
    columns = [set(frame.value.columns) for frame in app.dataframe]
    assert any({"above", "below", "sure"} <= names for names in columns)
    assert any({"tau", "gain", "flips"} <= names for names in columns)


def test_every_rule_is_shown_in_words_with_its_result(open_findings):
    app = open_findings("demo-health", part="rules")

    lines = texts(app)
    texts_shown = {mark.value for mark in app.markdown}
    assert all(rule.words in texts_shown for rule in RULES)
    assert not [rule.name for rule in RULES if re.search(r"`|[a-z]_[a-z]|--", rule.words)]
    assert not [mark for mark in texts_shown if "scorecard)" in mark or "hspp" in mark]
    assert "not tried, the study has only one run" in lines


@pytest.mark.parametrize("name", [*LACKING, "awkward-names", "hostile"])
def test_awkward_studies_say_what_they_lack_and_show_names_as_text(open_findings, tmp_path, name):
    write(tmp_path, name, PLANS[name], title="Study <b>x</b> $x$ :red[x]")

    for part in ("findings", "ranking"):
        app = open_findings(name, tmp_path, part=part)

        assert texts(app)
        assert not [mark for mark in app.markdown if "<script" in mark.value]
