"""What a study or a slice does not allow is refused with the remedy, or leaves nothing for a reason."""

import pytest
from plain.builders import compare, judge_rubrics, refer, study_of
from plain.pair_builders import rate

from engine.arrays.slicing.resolve import NoDataError
from engine.errors import UsageError
from engine.measures.catalogue import MEASURES, with_rows
from engine.measures.merged_repeats import merged_repeats
from engine.measures.quality.annotators import epsilons_of
from engine.measures.scorecard.deciding_source import deciding_source, other_sources
from engine.slices import Slice

FEW = {"resamples": 0}


@pytest.fixture
def verdicts(load):
    """Return a study of verdicts on two criteria by J, K and A, and a reference."""
    plain = study_of(models="J:F K:F A:G B:H", rubrics=(1, 1), instances=3)
    for n in range(3):
        for generator in "JAB":
            refer(plain, generator, "10", f"x{n}")
            for judge, mets in (("J", "11"), ("K", "10"), ("A", "01")):
                judge_rubrics(plain, judge, generator, mets, f"x{n}")
    return load(plain, "verdicts")


@pytest.fixture
def unreferenced(load):
    """Return a study of verdicts by two judges of two families, without a reference."""
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=2)
    for n in range(2):
        for judge in "JA":
            for generator in "JAB":
                judge_rubrics(plain, judge, generator, "10", f"x{n}")
    return load(plain, "unreferenced")


@pytest.fixture
def pairs(load):
    """Return a study of pairs that J and A compared."""
    plain = study_of(models="J:F A:G B:H", instances=2)
    for n in range(2):
        for judge in "JA":
            compare(plain, judge, "J", "B", None, "generator", f"x{n}")
            compare(plain, judge, "A", "B", None, "opponent", f"x{n}")
    return load(plain, "pairs")


def reason(study, measure, **options):
    result = study.result(measure, **FEW, **options)
    assert result.rows == []
    return result.reason


def refusal(study, measure, **options):
    with pytest.raises(UsageError) as error:
        study.result(measure, **FEW, **options)
    return str(error.value)


def test_without_a_reference_only_any_verdict_counts_in_expected_and_outside(unreferenced):
    for measure in ("expected", "outside"):
        assert reason(unreferenced, measure, truth="failed") == (
            "the study has no reference; --truth any works without one"
        )
        assert reason(unreferenced, measure, truth="met").startswith("the study has no reference")
        assert unreferenced.result(measure, truth="any", **FEW).rows
        assert unreferenced.result(measure, **FEW).filters["truth"] in (None, "any")


def test_a_quality_difference_lies_within_the_scale_of_qualities(pairs, verdicts):
    for study in (pairs, verdicts):
        assert refusal(study, "outside", epsilon=-0.01).startswith("epsilon -0.01 is below 0; give a quality")
        assert refusal(study, "outside", epsilon=10.5).startswith("epsilon 10.5 is above 10, the largest")
        assert study.result("outside", epsilon=0, **FEW).rows
    with pytest.raises(UsageError, match=r"epsilon 100\.0 is above 10"):
        epsilons_of(("0.5", "100"))
    assert refusal(pairs, "archetypes", gap=11).startswith("gap 11")


def test_rates_correct_verdicts_on_criteria_alone(load):
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=3)
    for n in range(3):
        for place, generator in enumerate("JAB"):
            if n < 2:
                refer(plain, generator, "10", f"x{n}")
            row = {"judge": "J", "instance_id": f"x{n}", "generator": generator, "score": place / 4}
            plain.add("judgments", paradigm="direct_assessment", **row)
    study = load(plain)

    assert "corrects verdicts on criteria only" in refusal(study, "corrected", method="rogan_gladen")


def test_a_committee_has_at_least_three_members_of_the_study(verdicts):
    assert refusal(verdicts, "committee", members="J,K").startswith(
        "a committee needs at least 3 members, but that of 'J' and 'K' has 2; name more"
    )
    assert "has 2; name more" in refusal(verdicts, "committee", members="J,K,J")
    assert refusal(verdicts, "committee", members="J,K,Z").startswith("unknown member 'Z'; choose from: J, K")
    assert reason(verdicts, "committee") == "the study has no committee; name its members with --members"
    assert verdicts.result("committee", members="J,K,A", **FEW).rows
    assert reason(verdicts, "committee", members="J,K,B", judges="A").startswith(
        "none of the committee's members J, K, B is among the judges shown"
    )


def test_verdicts_are_combined_by_majority_and_scores_of_answers_by_mean_or_median(verdicts, pairs):
    members = {"members": "J,K,A"}

    both = verdicts.result("committee", **members, **FEW).rows
    assert {row["level"] for row in both} == {"rubric", "instance"}
    assert {row["level"] for row in verdicts.result("committee", level="rubric", **members, **FEW).rows} == {
        "rubric"
    }
    means = verdicts.result("committee", combine="mean", **members, **FEW).rows
    assert {row["level"] for row in means} == {"instance"}
    assert refusal(verdicts, "committee", combine="mean", level="rubric", **members) == (
        "combine 'mean' applies to scores of answers; choose --level instance"
    )
    assert "pairwise judgments name a winner; choose majority" in refusal(
        pairs, "committee", combine="median", members="J,A,B"
    )


def test_sizes_of_committees_are_numbers_of_their_members(verdicts):
    for size in ("0", "4", "x", "1.5"):
        assert f"size '{size}' is not a possible number of members; give numbers from 1 to 3" in refusal(
            verdicts, "committee-size", members="J,K,A", sizes=size
        )
    assert refusal(verdicts, "committee-size", members="J,K,A", most_committees=0).startswith(
        "most_committees 0 is below 1; give a number such as 5000"
    )
    sizes = [
        row["size"]
        for row in verdicts.result(
            "committee-size", members="J,K,A", sizes="3,1,3", most_committees=1, level="rubric", **FEW
        ).rows
    ]
    assert sizes == [1, 3]


def test_relatedness_needs_a_truth_and_two_judges(verdicts, unreferenced):
    assert reason(unreferenced, "relatedness").startswith("the study has no reference: what is wrong takes")
    assert (
        reason(verdicts, "relatedness", judges="J") == "one judge has no other to err like; show at least two"
    )
    assert len(verdicts.result("relatedness", judges="J,K", **FEW).rows) == 1


def test_robustness_needs_answers_that_were_changed(load):
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1))
    for generator in "JAB":
        judge_rubrics(plain, "J", generator, "10")
        judge_rubrics(plain, "J", generator, "11", transform="padded")
        judge_rubrics(plain, "A", generator, "11", transform="terse")
    study = load(plain)

    [row] = study.result("robustness", judges="J", transform="padded", **FEW).rows
    # Of two verdicts on its own answer one changed; of four on others' two did.
    assert (row["robustness_own"], row["robustness_other"]) == (0.5, 0.5)
    assert refusal(study, "robustness", transform="none").startswith(
        "unknown transform 'none'; choose from: padded, terse"
    )
    assert reason(study, "robustness", transform="terse") == (
        "no judge has judged the same answers both as written and changed"
    )


def test_costs_are_filtered_by_what_distinguishes_calls(verdicts):
    assert refusal(verdicts, "which-judge", rows="costs", judges="Z").startswith(
        "unknown judge 'Z'; choose from: J, K, A, B"
    )
    assert refusal(verdicts, "which-judge", rows="costs", polarity="positive") == (
        "costs cannot be filtered by 'polarity'; leave it out, or filter by --judges, --run, --paradigm, "
        "--variant, --transform"
    )
    rows = verdicts.result(
        "which-judge", rows="costs", judges="J", min_instances=3, paradigm="single_rubric", **FEW
    ).rows
    assert [row["judge"] for row in rows if row["judge"] is not None] == ["J"]


def test_all_judges_of_a_study_have_costs_and_a_row_together(verdicts):
    rows = verdicts.result("which-judge", rows="costs", **FEW).rows

    assert {row["judge"] for row in rows} == {None, "J", "K", "A"}


def test_a_model_that_the_study_lacks_is_refused_in_together(verdicts):
    for option in ("judges", "generators"):
        assert "'Z'" in refusal(verdicts, "together", **{option: "Z"})


def test_lists_of_criteria_are_grouped_already_and_an_order_effect_needs_a_variant_that_there_is(load):
    plain = study_of(models="J:F A:G", rubrics=(1, 1), instances=2)
    for n in range(2):
        for ordering in ("original", "reversed"):
            judge_rubrics(plain, "J", "A", "10", f"x{n}", paradigm="all_rubrics", ordering=ordering)
    study = load(plain)

    assert refusal(study, "order-effect", by="theme") == (
        "lists of criteria are grouped by ordering and position already; leave out --by"
    )
    assert study.result("order-effect", **FEW).rows


def test_a_prompt_is_compared_with_others_that_there_are(load):
    plain = study_of(models="J:F A:G B:H R:Q", instances=2)
    for n in range(2):
        rate(plain, "R", {"J": 6, "A": 6, "B": 6}, f"x{n}")
        for variant in ("default", "cot"):
            compare(plain, "J", "J", "B", None, "generator", f"x{n}", variant=variant)
            compare(plain, "J", "A", "B", None, "tie", f"x{n}", variant=variant)
    study = load(plain)

    assert "unknown variant 'terse'; choose from: " in refusal(study, "mitigation", variants="terse")
    assert study.result("mitigation", variants="cot", **FEW).rows


def test_the_sources_beside_the_one_that_decides_are_those_that_the_study_has(load, verdicts):
    assert other_sources(verdicts, "single_rubric") == []
    assert other_sources(verdicts, None) == ["single_rubric"]
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1))
    for generator in "JAB":
        judge_rubrics(plain, "J", generator, "10")
        plain.add("judgments", judge="J", paradigm="direct_assessment", instance_id="x0", generator=generator,
                  score=0.5)  # fmt: skip
    compare(plain, "J", "J", "B", None, "generator")
    study = load(plain, "several")
    assert other_sources(study, "single_rubric") == ["pairwise", "direct_assessment"]
    assert other_sources(study, "pairwise") == ["single_rubric", "direct_assessment"]


def test_nothing_decides_where_no_judge_has_judged_its_own_answers(load):
    plain = study_of(models="J:F A:G B:H", rubrics=(1,), instances=2)
    for n in range(2):
        refer(plain, "B", "0", f"x{n}")
        judge_rubrics(plain, "J", "B", "1", f"x{n}")
    study = load(plain)

    with pytest.raises(NoDataError, match="no judge has judged its own answers in this slice"):
        deciding_source(study, Slice(), MEASURES["scorecard"].defaults)
    for material in (0, -1.0):
        with pytest.raises(UsageError, match=f"material {material!r} is not above 0"):
            deciding_source(study, Slice(), MEASURES["scorecard"].defaults | {"material": material})


def test_rows_of_a_measure_are_chosen_by_their_name():
    usual, parts = MEASURES["quality-baseline"], MEASURES["quality-baseline-summary"]
    assert parts.part_of is not None
    name, rows = parts.part_of
    assert name == "quality-baseline"

    [option] = [option for option in usual.options if option.name == "rows"]
    assert with_rows(usual, {"curves": True}) == (usual, {"curves": True})
    assert with_rows(usual, {"rows": None, "seed": 1}) == (usual, {"seed": 1})
    assert with_rows(usual, {"rows": option.choices[0]}) == (usual, {})
    assert with_rows(usual, {"rows": rows, "seed": 1}) == (parts, {"seed": 1})
    with pytest.raises(UsageError, match="unknown rows 'others'; choose from: "):
        with_rows(usual, {"rows": "others"})
    plain = MEASURES["hspp"]
    assert with_rows(plain, {"rows": "others"}) == (plain, {"rows": "others"})


def test_repeats_are_merged_where_a_slice_has_them_and_none_elsewhere(load):
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=2)
    for n in range(2):
        for generator in "JAB":
            refer(plain, generator, "10", f"x{n}")
            for trial, mets in enumerate(("11", "11", "10")):
                judge_rubrics(plain, "J", generator, mets, f"x{n}", trial=trial)
            judge_rubrics(plain, "A", generator, "10", f"x{n}")
    study = load(plain)

    card = study.result("scorecard", **FEW)
    merged = merged_repeats(study, card.filters)
    # Of J's 12 cells each has three verdicts, two of which are merged away.
    assert merged.merged == 24
    assert merged_repeats(study, {"paradigm": "pairwise"}).merged == 0
