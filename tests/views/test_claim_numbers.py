"""The number below a claim says which number it is, in the sign of the sentence."""

from dataclasses import replace

from engine.findings.claims import Claim
from engine.report.report_texts import doubts
from engine.views.claims import number_of

UP = Claim(
    id="own-places:ada",
    question="ranking",
    sentence="ada ranks itself 4.0 places higher than the reference does (95% CI 1.0 to 5.0).",
    measure="delta",
    field="rank_shift",
    value=-4.0,
    low=-5.0,
    high=-1.0,
    command="",
    n=60,
    cases="questions",
)


def test_places_are_counted_upwards_as_in_the_sentence():
    assert number_of(UP) == ("places up 4.00 [1.00, 5.00]", "60 questions")


def test_a_ratio_is_named():
    ratio = replace(UP, measure="hspp", field="hspp_self", value=2.41, low=2.07, high=2.81)

    assert number_of(ratio)[0] == "HSPP ratio 2.41 [2.07, 2.81]"


def test_a_count_that_is_its_own_n_stands_once():
    calls = replace(UP, measure="judge-costs", field="calls", value=8000, low=None, high=None, n=8000)

    assert number_of(replace(calls, cases="judgments")) == ("8,000 judgments",)
    assert number_of(replace(calls, cases="questions", n=60)) == ("calls 8,000", "60 questions")


def test_a_table_whose_head_names_the_number_does_not_repeat_it():
    table = doubts([replace(UP, at={"judge": "ada"})])

    assert table.heads[1] == "Places up"
    assert table.rows[0][1] == "4.00 [1.00, 5.00] · 60 questions"
