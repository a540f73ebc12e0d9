"""The conclusion on each judge: one sentence, from one row of the scorecard."""

import pytest

from engine.conclusions import NO_OUTSIDE, OF_GROUP, OF_JUDGE, OPEN
from engine.measures.entry import Field
from engine.phrases import quantity
from engine.shipped_files import RESULTS
from engine.study import Study
from engine.views.summaries import summary_of
from engine.words import (
    agreement_words,
    board_facts,
    caveats,
    conclusions,
    given_expected,
    group_conclusions,
)
from engine.words.based_on import left_out, left_out_of
from engine.words.families import conclusion_sentences
from engine.words.given_expected import MEANS_OF_GROUP
from engine.words.plain_names import on_page, value_words
from engine.words.row_cells import cell
from engine.words.short_titles import slice_place
from engine.words.written_numbers import in_sentence, with_interval


def row(conclusion: str, **fields: object) -> dict[str, object]:
    common = {"judge": "aster-large", "conclusion": conclusion, "decided_by": "odds_self", "reason": None}
    numbers = {"own_given": 0.37, "own_expected": 0.2, "own_expected_low": 0.153, "own_expected_high": 0.262}
    return common | {"truth": "failed", "excess": 0.17} | numbers | fields


def test_a_standing_conclusion_is_stated_with_its_number():
    assert conclusions.conclusion_sentence(row("favours_itself")) == (
        "aster-large favours itself: of 100 criteria that its own answers failed, it passed 37; other judges "
        "as strict would have passed 20 (95% CI 15 to 26)."
    )


@pytest.mark.parametrize(
    ("low", "high", "ends"),
    [
        (-0.42, 0.6, "-42 to 60, not cut off at 0"),
        (0.26, 1.03, "26 to 103, not cut off at 100"),
        (-0.42, 1.84, "-42 to 184, not cut off at 0 and 100"),
        (0.0, 1.0, "0 to 100"),
        (-1e-12, 1 + 1e-12, "0 to 100"),
    ],
)
def test_an_interval_that_ends_beyond_the_scale_says_that_it_is_not_cut_off(low, high, ends):
    judge = row("not_shown", own_expected_low=low, own_expected_high=high)

    assert f"(95% CI {ends})" in conclusions.conclusion_sentence(judge)
    allowed_for = conclusions.conclusion_sentence({**judge, "reason": "discernment"})
    assert ends.replace(",", " once its discernment is allowed for,") in allowed_for


def test_of_a_judge_that_overrates_its_own_answers_the_cause_is_left_open():
    sentence = conclusions.conclusion_sentence(row("overrates_itself", reason="within_tastes"))

    assert sentence.startswith("aster-large overrates its own answers: of 100 criteria")
    assert sentence.endswith("Whether because they are its own is open: judges' tastes could explain it.")


def test_of_a_shared_taste_it_is_said_what_is_left_without_it_and_what_is_needed():
    taste = {"reason": "shared_taste", "shared_taste_left": 0.61, "shared_taste_p": 0.0931}
    judge = row("overrates_itself") | taste
    together = {"judge": None, "conclusion": "judges_overrate_themselves"}

    assert conclusions.conclusion_sentence(judge).endswith(
        "and it likes more; without that taste 61% of the difference is left, and it must be significant, "
        "with p below .05; its p is 0.093."
    )
    assert group_conclusions.group_basis([judge | together]).endswith(
        "their answers may be of a kind that judges in general like, and they like more; without that taste "
        "61% of the difference is left, and two thirds are needed."
    )


def test_without_a_conclusion_the_reason_is_given():
    judge = row("too_few_cases", reason="no_own_failures", own_given=None, estimate=None)

    assert conclusions.conclusion_sentence(judge) == (
        "There are too few cases for aster-large (its own answers failed no criterion)."
    )


@pytest.mark.parametrize("conclusion", OF_JUDGE)
def test_only_one_conclusion_says_that_a_judge_favours_itself(conclusion):
    sentence = conclusions.conclusion_sentence(row(conclusion))

    assert ("favours itself" in sentence) == (conclusion == "favours_itself")
    assert ("is harder on itself" in sentence) == (conclusion == "disfavours_itself")


@pytest.mark.parametrize(
    ("decided_by", "conclusion", "sentence"),
    [
        ("bonus_outside", "judges_favour_themselves", "favour themselves: 37 of 100 points for their own"),
        (
            "bonus_outside",
            "judges_underrate_themselves",
            "underrate their own answers: 37 of 100 points for their own",
        ),
        (
            "vote_outside",
            "judges_disfavour_themselves",
            "are harder on themselves: 37 of 100 votes for their own",
        ),
        (
            "odds_self",
            "judges_overrate_themselves",
            "overrate their own answers: they passed 37 of 100 failures",
        ),
    ],
)
def test_what_the_judges_as_a_group_do_is_said_in_the_words_of_its_number(decided_by, conclusion, sentence):
    judges = row(conclusion, judge=None, decided_by=decided_by)

    assert group_conclusions.group_sentence([judges]) == f"The judges as a group {sentence}, 20 expected."


@pytest.mark.parametrize("conclusion", [code for code in OF_GROUP if "famil" not in code])
@pytest.mark.parametrize("truth", ["failed", "met", "any"])
def test_the_sentence_on_the_judges_as_a_group_has_room_in_two_lines_of_a_phone(conclusion, truth):
    judges = row(conclusion, judge=None, truth=truth)

    assert len(group_conclusions.group_sentence([judges])) < 100


def test_where_p_is_small_and_nothing_is_shown_the_sentences_say_why():
    group = row("not_shown", judge=None, decided_by="vote_outside", reason="missing_verdicts", p=0.002)
    unsure = {**group, "p": 0.3}
    judges = [row("not_shown", judge="a", reason="undecided", p=0.4, estimate=1.2)]
    judges += [row("not_shown", judge=name, reason="adjustment", p=0.03, estimate=2.0) for name in "bc"]

    assert group_conclusions.group_sentence([group]) == (
        "No difference is shown for the judges as a group (cases without a verdict could change the result): "
        "37 of 100 votes for their own, 20 expected."
    )
    assert group_conclusions.group_sentence([unsure]).startswith(
        "No difference is shown for the judges as a group: "
    )
    assert conclusions.judges_sentence(judges).endswith(
        " No difference is shown for a. No difference is shown for b and c (not significant after "
        "adjustment for the number of judges)."
    )


def test_of_chosen_judges_the_sentences_come_before_that_on_all_together():
    group = row("not_shown", judge=None, estimate=1.2, p=0.3, n_own=90)
    lacking = row("too_few_cases", reason="all_own_verdicts_alike", own_given=None, estimate=None)
    another = row("favours_itself", judge="b", estimate=3.0)

    first, second, _basis = conclusions.sentences_of_some([group, lacking])

    assert first.startswith(
        "There are too few cases for aster-large (of its own cases on which judges disagree"
    )
    assert second.startswith("No difference is shown for the judges as a group")
    both = conclusions.sentences_of_some([group, lacking, another])
    assert both[0].startswith("b favours itself.")
    assert both[1] == second


def test_how_sure_the_judges_as_a_group_are_is_said_with_p_and_n():
    votes = row("not_shown", judge=None, decided_by="vote_outside", p=0.0004, n_own=3550)

    assert group_conclusions.group_basis([votes]) == (
        "Expected: from other judges' votes (95% CI 15 to 26); p below 0.001; n 3,550 pairs with an answer "
        "of their own. Both are means over families; the expected one is as if, on average, it "
        "made no difference whose answer it is."
    )
    assert group_conclusions.group_basis([row("too_few_families", judge=None, p=None)]) == ""


def test_scores_made_from_verdicts_on_criteria_are_expected_from_verdicts():
    of_criteria = {"judge": None, "decided_by": "bonus_outside", "p": 0.5, "n_own": 150}
    words = [
        group_conclusions.group_basis([row("not_shown", truth=truth, **of_criteria)])
        for truth in ("any", None)
    ]

    assert "Expected: from other judges' verdicts" in words[0]
    assert "n 150 own answers, with scores made from verdicts on criteria." in words[0]
    assert "Expected: from other judges' scores" in words[1]


@pytest.mark.parametrize(
    ("families", "words"),
    [
        (
            ("overrates_family", "not_shown"),
            (
                "No judge is shown to favour itself. a overrates its family's answers; the cause is open. No "
                "difference is shown for a and b."
            ),
        ),
        (
            ("underrates_family", "underrates_family"),
            (
                "No judge is shown to favour itself. a and b underrate their families' answers; the cause is "
                "open. No difference is shown for a and b."
            ),
        ),
        (
            ("favours_family", "overrates_family"),
            (
                "No judge is shown to favour itself. a favours its sister models. b overrates its family's "
                "answers; the cause is open. No difference is shown for a and b."
            ),
        ),
    ],
)
def test_what_is_concluded_on_families_is_said_beside_the_judges_whatever_its_cause(families, words):
    judges = [
        row("not_shown", judge=name, family_conclusion=code)
        for name, code in zip("ab", families, strict=True)
    ]

    assert conclusions.judges_sentence(judges) == words


def test_what_is_concluded_on_families_is_said_where_no_judge_can_be_tested_on_its_own_answers():
    untested = {"estimate": None, "reason": "no_own_response", "family_conclusion": "overrates_family"}

    assert conclusions.judges_sentence([row("too_few_cases", judge="a", **untested)]).endswith(
        " a overrates its family's answers; the cause is open."
    )


def test_the_number_of_families_that_count_is_given_whether_or_not_more_judge():
    judges = [row("too_few_cases", judge=name, family=name) for name in "abcd"]

    def sentence(families):
        return group_conclusions.group_sentence(
            [row("too_few_families", judge=None, families=families), *judges[: families + 1]]
        )

    assert sentence(3) == (
        "Only 3 families have a judge that can be compared; a conclusion on the judges together takes four."
    )
    assert sentence(1).startswith("Only 1 family has a judge")
    assert sentence(0).startswith("No family has a judge")
    assert len(sentence(3)) < 100
    together = row("too_few_families", judge=None, families=3)
    assert group_conclusions.group_sentence([together, *judges[:3]]) == sentence(3)


@pytest.mark.parametrize(
    ("families", "beginning"),
    [(0, "No family has two models"), (1, "Only one family has two models"), (3, "Only 3 families have two")],
)
def test_too_few_families_of_several_models_are_counted_and_no_import_is_advised(families, beginning):
    together = row("too_few_families", judge=None) | {
        "family_conclusion": "too_few_families", "family_reason": None, "families_with_relatives": families,
    }  # fmt: skip

    sentence = conclusion_sentences([together])[0]

    assert sentence.startswith(beginning)
    assert "four are needed" in sentence
    assert "import" not in sentence
    field = Field("family_conclusion", "text", "")
    assert cell(together, field) == f"too few families of two models or more ({families} of 4)"


def test_votes_and_points_are_stated_of_100():
    vote = row("favours_itself", decided_by="vote_outside")
    bonus = row("disfavours_itself", decided_by="bonus_outside", own_given=0.42, own_expected=0.495)

    assert conclusions.conclusion_sentence(vote) == (
        "aster-large favours itself: of 100 pairs with an answer of its own, it voted for its own in 37; 20 "
        "were expected from other judges' votes (95% CI 15 to 26)."
    )
    assert "of 100 points, it gave its own answers 42; 50 were" in conclusions.conclusion_sentence(bonus)


def test_close_numbers_are_written_with_a_decimal():
    close = row("not_shown", own_given=0.224, own_expected=0.227, reason="undecided")

    assert "it passed 22.4; other judges as strict would have passed 22.7" in (
        conclusions.conclusion_sentence(close)
    )


@pytest.mark.parametrize(
    ("conclusion", "words"),
    [
        (
            "judges_favour_themselves",
            (
                "The judges as a group favour themselves: they passed 37 of 100 own failures, 20 expected. "
                "Expected: what other judges as strict would have passed (95% CI 15 to 26); p 0.012; n 141 "
                "criteria that their own answers failed. "
                f"{MEANS_OF_GROUP}"
            ),
        ),
        ("judges_overrate_themselves", "own answers failed. Whether because they are their own is open."),
        (
            "judges_disfavour_themselves",
            "The judges as a group are harder on themselves: they passed 37 of 100",
        ),
        ("not_shown", "No difference is shown for the judges as a group: they passed 37 of 100 own failures"),
        ("too_few_families", "There are too few families for a conclusion on the judges as a group"),
    ],
)
def test_the_judges_together_are_spoken_of_first(conclusion, words):
    together = row(conclusion, judge=None, p=0.012, n_own=141)
    rows = [together, row("favours_itself", judge="b")]

    sentence = conclusions.study_sentence(rows)

    assert words in sentence
    assert sentence.endswith("b favours itself.")


def test_a_study_is_summed_up_by_conclusion():
    rows = [
        row("not_shown", judge="a"),
        row("favours_itself", judge="b"),
        row("favours_itself", judge="c"),
        row("underrates_itself", judge="d"),
        row("too_few_cases", judge="e"),
    ]

    assert conclusions.study_sentence(rows) == (
        f"b and c favour themselves. d underrates its own answers; {OPEN}. "
        "No difference is shown for a. There are too few cases for e."
    )
    assert conclusions.study_sentence(rows[:1]) == (
        "No judge is shown to favour itself. No difference is shown for a."
    )


@pytest.mark.parametrize("reason", sorted(NO_OUTSIDE))
def test_a_judge_without_others_to_compare_it_with_does_not_lack_cases(reason):
    alone = row("too_few_cases", judge="a", reason=reason, estimate=None, own_given=None, n_own=60)
    few = row("too_few_cases", judge="b", reason="few_pairs")
    every = [alone, few, row("not_shown", judge="c")]

    words = conclusions.conclusion_words(alone)
    sentence = conclusions.conclusion_sentence(alone)

    assert words in sentence
    assert cell(alone, Field("conclusion", "text", "")) == words
    assert board_facts.meaning_sentence(alone).startswith(f"{words.capitalize()}: judges of other families")
    assert conclusions.study_sentence(every).endswith(
        f"There are too few cases for b. a {words} with other judges."
    )
    assert "too few cases" not in sentence
    assert conclusions.conclusion_words(few) == "too few cases"


def test_judges_whose_verdicts_are_all_alike_do_not_lack_cases():
    alike = {"reason": "all_differences_alike", "decided_by": "bonus_outside", "truth": "any", "n_own": 70}
    alike |= {"estimate": 0.0, "own_given": 1.0, "own_expected": 1.0}
    group = row("too_few_families", judge=None, families=0, estimate=None, own_given=None)
    every = [group, *(row("too_few_cases", judge=judge, family=judge, **alike) for judge in "abcd")]

    words = conclusions.conclusion_words(every[1])
    why = "all verdicts on its own answers are the same, and more like these would not help"

    assert conclusions.conclusion_sentence(every[1]) == f"a {words}: {why}."
    assert board_facts.meaning_sentence(every[1]) == f"{words.capitalize()}: {why}."
    assert cell(every[1], Field("conclusion", "text", "")) == words
    theirs = why.replace("its", "their")
    assert conclusions.study_sentence(every) == (
        f"The judges as a group {words}: {theirs}. No judge is shown to favour itself. "
        f"a, b, c and d {words}: {theirs}."
    )
    apart = row("too_few_cases", judge="a", **alike | {"own_given": 0.7, "own_expected": 0.6})
    assert "differs from other judges by the same" in conclusions.conclusion_sentence(apart)


@pytest.mark.parametrize("reason", ["not_identified", "separated"])
def test_a_judge_whose_odds_have_no_number_is_said_to_have_passed_none_of_others(reason):
    lacks = {"estimate": None, "decided_by": "odds_self", "truth": "failed", "reason": reason}
    one, two, three = (
        row("too_few_cases", judge=judge, own_given=own, other_given=other, **lacks)
        for judge, own, other in (("a", 0.44, 0.0), ("b", 0.25, 1.0), ("c", 0.5, 0.375))
    )

    assert conclusions.conclusion_words(one) == "cannot be tested"
    cannot = "cannot be tested: its odds have no number"
    first = f"a {cannot}, as it passed none of other families' cases and 44.0% of its own, 44.0 points apart."
    assert conclusions.conclusion_sentence(one) == first
    assert conclusions.study_sentence([row("not_shown", judge="d"), one, two, three]).endswith(
        f"{first} "
        f"b {cannot}, as it passed all of other families' cases and 25.0% of its own, 75.0 points apart. "
        f"c {cannot}: it passed 37.5% of other families' cases and 50.0% of its own, 12.5 points apart."
    )


def test_a_judge_that_passes_all_that_is_disputed_does_not_lack_cases():
    reasons = {"all": "all_own_disputed_passed", "none": "no_own_disputed_passed"}
    lacks = {"estimate": None, "decided_by": "odds_self", "truth": "failed", "ratio_outside": None}
    a, b, c = (
        row("too_few_cases", judge=judge, n_own=number, own_given=given, reason=reasons[how], **lacks)
        for judge, number, given, how in (
            ("a", 121, 1.0, "all"),
            ("b", 8, 7 / 8, "all"),
            ("c", 40, 0.0, "none"),
        )
    )
    of = "cases on which judges disagree"

    assert conclusions.conclusion_sentence(a) == (
        f"a cannot be tested: of its own {of} it passed all (121 of 121 own cases), which leaves its odds "
        "without a number."
    )
    assert conclusions.study_sentence([row("not_shown", judge="d"), a, b, c]).endswith(
        f"a and b cannot be tested: of their own {of} they passed all, which leaves their odds without a "
        f"number. c cannot be tested: of its own {of} it passed none (0 of 40 own cases), which leaves its "
        "odds without a number."
    )
    with_ratio = a | {"ratio_outside": 9.0, "ratio_outside_low": 6.0, "ratio_outside_high": 13.0}
    assert "it passes its own failed answers 9.00 times as often" in conclusions.conclusion_sentence(
        with_ratio
    )


def test_numbers_have_one_format_in_tables_and_one_in_sentences():
    assert with_interval(1.376, 1.2, 1.55) == "1.38 [1.20, 1.55]"
    assert with_interval(0.12, -0.01, 0.25, "change") == "+12.0 points [-1.0, +25.0]"
    assert with_interval(float("nan"), 0.0, 1.0) == "–"
    assert in_sentence(0.123, 0.081, 0.164, "share") == "12.3 points (95% CI 8.1 to 16.4)"
    assert with_interval(1.376, None, None) == "1.38"


@pytest.mark.parametrize(
    ("engine_says", "page_says"),
    [
        ("the level is not there; choose --level instance", "the level is not there; choose level instance"),
        (
            "no quality judgments; --quality reference takes scores",
            "no quality judgments; quality reference takes scores",
        ),
        (
            "'x' is defined but not written; write it with `spb committee`",
            "'x' is defined but not written; write it",
        ),
        ("there are no judgments; collect some with `spb run`", "there are no judgments; collect some"),
        ("import it again with its texts: `spb import FILE`", "import it again with its texts"),
        ("a word--dash and model -1 stay", "a word--dash and model -1 stay"),
    ],
)
def test_pages_name_options_and_no_commands(engine_says, page_says):
    assert on_page(engine_says) == page_says


def test_plurals_are_correct_english():
    assert [quantity(1, "family"), quantity(2, "family"), quantity(3, "judge"), quantity(0, "reply")] == [
        "1 family",
        "2 families",
        "3 judges",
        "0 replies",
    ]


def test_an_interval_that_ends_at_0_counts_as_below_a_ratio_of_1():
    ratio = {"ratio_outside": 0.0, "ratio_outside_low": 0.0, "ratio_outside_high": 0.0}
    above = {"ratio_outside": 1.8, "ratio_outside_low": 1.4, "ratio_outside_high": 2.3}
    rows = [row("not_shown", judge="above") | above, row("not_shown", judge="never") | ratio]

    sentences = conclusions.outside_sentences(rows, "ratio_outside", "failed")

    assert sentences[1] == (
        "1 of 2 judges has an interval above 1, 1 below it, not adjusted for the number of judges."
    )


def test_what_a_conclusion_means_depends_on_why():
    numbers = {"estimate": 2.4, "low": 1.7, "high": 3.2}

    small = board_facts.meaning_sentence(row("too_few_cases", reason="not_detectable", **numbers))
    missing = board_facts.meaning_sentence(row("not_shown", reason="missing_verdicts", **numbers))
    nobody = board_facts.meaning_sentence(row("too_few_cases", reason="no_outside_judge", estimate=None))

    assert small == ("Too few cases: the study is too small, or its numbers vary too much, for a conclusion.")
    assert "some cases have no verdict" in missing
    assert "too small" not in missing + nobody
    assert board_facts.meaning_sentence(row("favours_itself")).startswith("Favours itself: it rates its own")


@pytest.mark.parametrize(
    ("needed", "sentence"),
    [
        (4_471, "If this is the true value, about 4,500 own cases would settle it; it has 201."),
        (7_915_911, "More cases alone are unlikely to settle it."),
        (None, "More cases alone are unlikely to settle it."),
    ],
)
def test_a_number_of_cases_out_of_reach_is_not_given(needed, sentence):
    judge = row("not_shown", reason="undecided", estimate=0.98, n_own=201, needed=needed)

    assert conclusions.conclusion_sentence(judge).endswith(f"). {sentence}")


def test_a_study_without_outside_judges_says_so_once_and_what_would_help():
    rows = [row("too_few_cases", judge=name, estimate=None, reason="no_common_pair") for name in "abc"]

    sentence = conclusions.study_sentence(rows)

    assert sentence == (
        "No judge here can be tested for self-preference, because judges of other families are "
        "missing: no pair was "
        "judged by both the judge and a judge of another family. Have judges of other families "
        "judge the same "
        "answers; more questions with the same judges would not help."
    )
    assert not conclusions.can_be_tested(rows)
    assert conclusions.can_be_tested([*rows, row("not_shown", judge="d")])


def test_a_measure_that_counts_nothing_says_in_words_what_it_leaves_out():
    study = Study.open(RESULTS / "demo-health")
    together, card = (study.result(measure, resamples=0) for measure in ("together", "scorecard"))

    assert left_out_of(together) == f"Left out: {together.measure.left_out}."
    assert left_out_of(card) == left_out(card.left_out) != left_out({})


@pytest.mark.parametrize(("low", "doubted"), [(1.15, True), (1.45, False)])
def test_a_mean_ratio_within_the_interval_of_the_first_is_said_to_be_perhaps_chance(low, doubted):
    def at(threshold, ratio, low, high):
        ends = {"hspp_self_mean": ratio, "hspp_self_mean_low": low, "hspp_self_mean_high": high}
        return {"level": "rubric", "threshold": threshold, "rubrics_kept": 0.4, **ends}

    sentence = agreement_words.agreement([at(0.5, 1.3, 1.2, 1.4), at(0.9, 1.5, low, 1.8)])

    assert ("the intervals overlap, so this may be chance" in sentence) == doubted


FAMILY = {"family_given": 0.4, "family_expected": 0.26, "family_expected_low": 0.21}
FAMILY |= {"family_expected_high": 0.32}


def test_of_a_family_that_is_overrated_the_cases_come_first_then_that_the_cause_is_open():
    judge = row("not_shown", family_conclusion="overrates_family", **FAMILY)

    assert conclusions.family_sentence(judge) == (
        "aster-large overrates its family's answers: of 100 criteria that its family's answers failed, it "
        "passed 40; other judges as strict would have passed 26 (95% CI 21 to 32). The cause is open."
    )


def test_the_judges_together_are_said_to_favour_their_families_right_after_themselves():
    families = {"family_estimate": 1.5, "family_low": 1.3, "family_high": 1.73, "family_p": 0.004}
    group = row("judges_overrate_themselves", judge=None, family_conclusion="judges_favour_their_families")
    group |= families | {"n_family": 3182, "p": 0.03, "n_own": 141}
    alone = row("not_shown", estimate=1.1)

    first, basis, second, third = conclusions.study_sentences([group, alone])

    assert first.startswith("The judges as a group overrate their own answers: ")
    assert basis.startswith("Expected: ")
    assert second == (
        "The judges as a group favour their families: their odds of passing are 1.50 (95% CI 1.30 to 1.73) "
        "times those of other judges; p 0.004; n 3,182."
    )
    assert third.startswith("No judge is shown to favour itself.")


def test_a_conclusion_that_few_wrong_labels_would_undo_is_called_fragile():
    fragile = row("favours_itself", tipping=1, tipping_share=0.02)
    firm = row("favours_itself", tipping=41, tipping_share=0.304)

    assert caveats.caveats_of(fragile)["tipping"] == (
        "Fragile: 1 wrong reference label (2% of its own failures that it passed) would undo this conclusion."
    )
    assert "tipping" not in caveats.caveats_of(firm)
    assert caveats.shared_caveats([firm, {**fragile, "judge": "b"}]) == [
        "Fragile: 1 wrong reference label would undo the conclusion on b."
    ]
    assert caveats.shared_caveats([firm]) == []


def test_ties_are_those_of_the_truth_which_people_may_have_given_without_any_reference():
    assert caveats.caveats_of(row("not_shown", tie_share=0.31))["tie_share"] == (
        "By the truth stored for its pairs, such as people's votes, 31% are ties."
    )


@pytest.mark.parametrize(("tipping", "is_fragile"), [(5, True), (6, False), (36, False)])
def test_a_conclusion_is_marked_as_fragile_by_the_rule_that_names_it_in_a_sentence(tipping, is_fragile):
    judge = row("overrates_itself", tipping=tipping, tipping_share=0.5)

    marked = [text for text in caveats.marked_caveats([judge]) if "would undo" in text]
    assert bool(marked) == bool(caveats.shared_caveats([judge])) == is_fragile


def test_names_of_axes_and_themes_are_written_as_people_write_them():
    where = "axis=context_seeking; response_length=10-20; generator=gpt_4o"

    assert slice_place(where) == "axis context seeking and length of the answer 10-20 and generator gpt_4o"
    assert cell({"where": where}, Field("where", "text", "")) == slice_place(where)
    assert slice_place("length=10-10", criterion="tone") == 'length of the criterion 10 (only "tone")'
    assert value_words("level", "instance") == "comparisons of answers"
    assert value_words("theme", "emergency_referrals") == "emergency referrals"
    assert value_words("judge", "gemma_3_4b_it") == "gemma_3_4b_it"


def test_an_interval_that_allows_for_discernment_says_so_where_the_number_lies_outside():
    row = {"judge": "a", "conclusion": "not_shown", "reason": "discernment", "decided_by": "odds_self"}
    row |= {"truth": "failed", "estimate": 0.5, "n_own": 90, "own_given": 0.2, "own_expected": 0.33}
    row |= {"own_expected_low": 0.14, "own_expected_high": 0.3}
    group = row | {"judge": None, "conclusion": "not_shown"}

    assert given_expected.interval_words(row) == " (95% CI 14 to 30 once its discernment is allowed for)"
    assert given_expected.interval_words(group) == " (95% CI 14 to 30)"  # that of all judges is not discerned
    assert given_expected.discerned_words([group, row]).startswith("The brackets of a allow for how clearly")
    assert given_expected.discerned_words([group]) == ""


NONE = "have none, or several without a majority"
NO_VERDICT = "of the cases of its own answers have no verdict, or several without a majority"


@pytest.mark.parametrize(
    ("own", "other", "sentence"),
    [
        (0.0, 0.021, f"No case of its own answers lacks a verdict, and 2.1% of others' cases {NONE}."),
        (0.3, 0.0, f"30.0% {NO_VERDICT}, and none of others' cases."),
        (0.3, 0.0001, f"30.0% {NO_VERDICT}, fewer than 0.1% of others' cases."),
    ],
)
def test_no_share_of_missing_verdicts_is_said_to_be_0(own, other, sentence):
    case = row("not_shown", cautions=["missing_verdicts"], missing_own=own, missing_other=other)

    assert caveats.caveats_of(case)["missing_verdicts"] == sentence


def test_shares_of_outside_are_said_to_be_means_over_judges_where_they_are_shown():
    study = Study.open(RESULTS / "demo-health")
    shares = summary_of(study.result("outside", resamples=0))
    grouped = summary_of(study.result("outside", resamples=0, by="theme"))

    assert "own_judge" in shares.fields
    assert any("means over judges of other families" in sentence for sentence in shares.sentences)
    assert not any("means over judges of other families" in sentence for sentence in grouped.sentences)
