"""Judgments read side by side, and texts plain or rendered."""

import pytest
from explorer_studies import MUCH, PLANS

from explorer.texts import direction


def texts(app) -> list[str]:
    return [element.value for element in app.text]


def rows(app):
    return next(frame.value for frame in app.dataframe if "verdict" in frame.value)


def rendered(app) -> str:
    return "\n".join(element.value for element in app.markdown)


def test_two_judges_stand_side_by_side_on_one_response(open_page):
    app = open_page("verdicts", judge="dune-large", beside="judge:aster-mini", show="all")

    assert {"verdict_beside", "reference_beside"} <= set(rows(app).columns)
    said = [text for text in texts(app) if "): " in text]
    assert [text.split(" (")[0] for text in said] == ["dune-large", "aster-mini"]


def test_two_responses_stand_side_by_side_with_what_one_judge_said_of_each(open_page):
    app = open_page("verdicts", judge="dune-large", generator="boreal-mini", beside="generator:cinder-mini")

    told = texts(app)
    assert "boreal-mini" in told
    assert "cinder-mini" in told
    assert len([text for text in told if text.startswith("dune-large (")]) == 2


def test_only_those_that_differ_are_listed_when_asked(open_page):
    app = open_page("verdicts", judge="dune-large", beside="judge:aster-mini", show="all")
    every = next(text for text in texts(app) if text.startswith("1 of "))

    app.toggle(key="w_differ").set_value(True).run()

    listed = rows(app)
    assert (listed["verdict"] != listed["verdict_beside"]).all()
    assert app.query_params["differ"] == "true"
    assert next(text for text in texts(app) if text.startswith("1 of ")) != every


def test_a_model_to_set_beside_that_is_not_there_is_named_and_dropped(open_page):
    app = open_page("verdicts", beside="judge:nobody")

    assert any("Set beside 'judge:nobody' is not in this study" in text for text in texts(app))
    assert "verdict_beside" not in rows(app)


def test_a_judgment_with_nothing_beside_it_says_so(open_page, awkward_store):
    app = open_page("verdicts", awkward_store, study="plain", judge="m1", beside="judge:m1", show="all")

    assert any("no judgment of this selection has a verdict of judge:m1" in text for text in texts(app))


def test_texts_are_plain_until_rendering_is_asked_for(open_page, awkward_store):
    app = open_page("verdicts", awkward_store, study="hostile", show="all")
    before = texts(app).count(MUCH), "$x^2$" in rendered(app)

    app.toggle(key="w_rendered").set_value(True).run()

    assert before == (6, False)  # question, context, criterion, response, reason and answer
    assert (texts(app).count(MUCH), "$x^2$" in rendered(app)) == (1, True)  # the answer stays as it came
    assert app.query_params["rendered"] == "true"


def test_what_is_rendered_holds_nothing_that_acts(open_page, awkward_store):
    app = open_page("verdicts", awkward_store, study="hostile", show="all", rendered="true")

    told = rendered(app)
    for piece in ("<script", "<img", "](http", "http://", ":red[", ":material/", "\\href", "```mermaid"):
        assert piece not in told


def test_what_is_stored_of_the_call_is_shown_and_what_is_not_is_said(open_page):
    told = texts(open_page("verdicts", judge="dune-large"))

    assert "run simulated-20" in told
    assert any("seed 20" in text for text in told)
    reason = "the study does not say which template its run used"
    assert f"The prompt that was sent cannot be told: {reason}." in told
    assert "The answer as it came is not stored." in told


@pytest.mark.parametrize("study", PLANS)
@pytest.mark.parametrize("role", ["judge", "generator"])
def test_side_by_side_opens_on_every_awkward_study(open_page, awkward_store, study, role):
    plan = PLANS[study]
    names = plan.judges if role == "judge" else tuple(plan.models)

    app = open_page(
        "verdicts",
        awkward_store,
        study=study,
        beside=f"{role}:{names[-1] if names else 'none'}",
        rendered="true",
    )

    assert app.header[0].value == "Verdicts"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("plain", "ltr"),
        ("שלום world", "rtl"),
        ("1. مرحبا", "rtl"),
        ("(a) שלום", "ltr"),
        ("123", "ltr"),
        ("", "ltr"),
    ],
)
def test_a_text_has_the_direction_of_its_first_letter(text, told):
    assert direction(text) == told
