"""Committees on three judges and three rubrics, small enough for hand arithmetic."""

import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of

from engine.errors import UsageError

ALL = ["J", "A", "B"]


@pytest.fixture
def plain():
    """Every reference is unfavourable, so that each rate is a share of favourable verdicts.

    On the responses of J, A and B: J says 11, 10, 10; A says 10, 11, 10; B says 10, 00, 11.
    """
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1))
    verdicts = {"J": ("11", "10", "10"), "A": ("10", "11", "10"), "B": ("10", "00", "11")}
    for place, generator in enumerate(ALL):
        refer(study, generator, "00")
        for judge in ALL:
            judge_rubrics(study, judge, generator, verdicts[judge][place])
    return study


def test_one_judge_alone_is_the_smallest_committee(plain, load):
    rows = load(plain).result("committee-size", members=ALL, resamples=0).rows

    # J: 2/2 of (1/2 + 1/2) / 2 = 2; A the same; B: 2/2 of (1/2 + 0/2) / 2 = 4. The mean is 8/3.
    row = one(rows, size=1, level="rubric")
    assert row["committees"] == 3
    assert row["hspp_self"] == pytest.approx(8 / 3)
    assert (row["hspp_self_least"], row["hspp_self_most"]) == (2, 4)
    # J is right on 2 of 6, A on 2, B on 3.
    assert row["mra"] == pytest.approx(7 / 18)
    assert row["divided"] == 0


def test_two_judges_count_only_if_they_agree(plain, load):
    rows = load(plain).result("committee-size", members=ALL, sizes=["2"], resamples=0, level="rubric").rows

    # J and A agree on k0 of J, A and B (favourable) and on k1 of B (not): J's rate 1/1, A's 1/1, B's 1/2.
    #   J: 1 / ((1 + 1/2) / 2) = 4/3, and A the same.
    # J and B agree on k0 of J and of B, and on k1 of A (not): 1/1, 0/1, 1/1. J: 1 / ((0 + 1) / 2) = 2, B: 2.
    # A and B agree on k0 of J and of B, and on k1 of J (not): J 1/2, B 1/1; A has no agreed verdict.
    #   A has no ratio; B: 1 / (1/2) = 2.
    (row,) = rows
    assert row["hspp_self"] == pytest.approx((4 / 3 + 2 + 2) / 3)
    # They agree on 4, 3 and 3 of the 6 verdicts.
    assert row["divided"] == pytest.approx((2 / 6 + 3 / 6 + 3 / 6) / 3)
    assert (row["n_self"], row["small"]) == (1, True)


@pytest.fixture
def pairs():
    """The reference ranks B over A over J; the judges compared all three pairs, in both orders.

    J lets itself win both and A and B tie; A lets itself win both and J beat B; B lets A beat J, itself beat
    J, and A and B tie.
    """
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1))
    for generator, mets in (("J", "00"), ("A", "10"), ("B", "11")):
        refer(study, generator, mets)
    for judge, winners in (("J", ("J", "J", None)), ("A", ("A", "J", "A")), ("B", ("A", "B", None))):
        for (left, right), winner in zip((("J", "A"), ("J", "B"), ("A", "B")), winners, strict=True):
            choice = {left: "generator", right: "opponent", None: "tie"}[winner]
            for first in ("generator", "opponent"):
                compare(study, judge, left, right, first, choice)
    return study


def test_a_committee_of_pairwise_judges_follows_the_majority_of_its_members_outcomes(pairs, load):
    study = load(pairs)

    rows = study.result("committee", members=ALL, paradigm="pairwise", resamples=0).rows
    larger = study.result("committee-size", members=ALL, paradigm="pairwise", resamples=0).rows

    # J against A: 1 vote for J, 2 for A: A. J against B: 2 for J: J. A against B: 2 ties of 3: a tie.
    # True are A, B and B. Of the comparisons lost, J's two became a loss and a win (1/2), A's one a tie (1).
    # For J: (1/2) / (1/1), B having lost none; the share of pairs that are right: 1 of 3.
    row = one(rows, judge="J")
    assert row["level"] == "instance"
    assert row["hspp_self_committee"] == pytest.approx(1 / 2)
    assert row["mipa_committee"] == pytest.approx(1 / 3)
    assert row["hspp_self"] == pytest.approx(2 / 2 / 1)  # J alone: both made wins, and A's loss a tie
    assert row["mra"] is None
    assert row["n_self_committee"] == 2
    # Two of the three differ where they say J and A, J and B, or A and a tie, and are then divided:
    # J and A agree on J against B only; J and B on A against B; A and B on J against A: 2/3 each.
    assert one(larger, size=2)["divided"] == pytest.approx(2 / 3)
    assert one(larger, size=3)["divided"] == 0


def test_outcomes_are_combined_only_by_majority(pairs, load):
    with pytest.raises(UsageError, match="pairwise judgments name a winner; choose majority"):
        load(pairs).result("committee", members=ALL, paradigm="pairwise", combine="mean")


def test_the_only_committee_of_three_judges_is_the_whole(plain, load):
    study = load(plain)

    row = one(study.result("committee-size", members=ALL, resamples=0).rows, size=3, level="rubric")
    members = study.result("committee", members=ALL, resamples=0, level="rubric").rows

    # Together 10, 10, 10: 1/2 of (1/2 + 1/2) / 2 for each.
    assert row["hspp_self"] == pytest.approx(1)
    assert [member["hspp_self_committee"] for member in members] == [1, 1, 1]
    assert [member["n_self_committee"] for member in members] == [2, 2, 2]


def test_own_failures_that_a_split_committee_passes_are_of_those_that_it_decides(load):
    study, splits = split_study(), {"committee_split": 2}

    result = load(study).result("committee", members="J,A,B,D", resamples=0, level="rubric")

    # Votes for k0 and k1: of J 3 and 1 of 4, of A 2 (split) and 1, of B 4 and 2 (split). Nothing is met.
    rows = result.rows
    assert {code: count for code, count in result.left_out.items() if count} == splits
    assert [row["divided"] for row in rows] == [pytest.approx(2 / 6)] * 4
    of_member = {row["judge"]: (row["o_self"], row["o_self_committee"]) for row in rows}
    assert of_member == {"J": (1, 1 / 2), "A": (1, 0), "B": (1, 1), "D": (None, None)}


def test_a_member_and_its_committee_are_compared_on_the_failures_that_both_decide(load):
    study = split_study()
    own = [row for row in study.judgments if row["judge"] == row["generator"] == "J"]
    study.judgments.remove(next(row for row in own if row["rubric_id"] == "k0"))

    rows = load(study).result("committee", members="J,A,B,D", resamples=0, level="rubric").rows

    # J has no verdict on its k0, which the other three decide: of J's k1, J passes 1 of 1 and they 0.
    # A passes k1, its k0 is split; B passes its k0, its k1 is split.
    names = ("n_common", "o_self_common", "o_self_common_committee")
    of_member = {row["judge"]: tuple(row[name] for name in names) for row in rows}
    assert of_member == {"J": (1, 1, 0), "A": (1, 1, 0), "B": (1, 1, 1), "D": (0, None, None)}


def split_study():
    study = study_of(models="J:F A:G B:H D:I", rubrics=(1, 1))
    of_judges = {"J": ("11", "10", "10"), "A": ("10", "11", "10"), "B": ("10", "00", "11")}
    of_judges["D"] = ("00", "00", "11")
    for place, generator in enumerate(ALL):
        refer(study, generator, "00")
        for judge, verdicts in of_judges.items():
            judge_rubrics(study, judge, generator, verdicts[place])
    return study


def test_excluded_voters_may_leave_too_few(plain, load):
    rows = load(plain).result("committee", members=ALL, leave_self_out=True, resamples=0).rows

    row = one(rows, judge="J", level="rubric")
    assert row["hspp_self_committee"] is None
    assert row["reasons"]["hspp_self_committee"] == "too_few_members"
    assert row["reasons"]["mra_committee"] == "too_few_members"
    assert row["hspp_self"] == 2


def test_excluding_itself_a_judge_is_replaced_by_committees_of_others(plain, load):
    options = {"members": ALL, "leave_self_out": True, "resamples": 0, "level": "rubric"}

    row = one(load(plain).result("committee-size", sizes=["2"], **options).rows, size=2)

    # J by A and B: J 1/2, B 1/1, no A: 1/2. A by J and B: 0 / ((1 + 1) / 2) = 0. B by J and A: 1/2 / 1 = 1/2.
    assert row["hspp_self"] == pytest.approx(1 / 3)


def test_without_a_family_the_whole_and_the_excluded_members_are_reported_too(plain, load):
    judge_rubrics(plain, "K", "J", "00")  # K, of A's family
    plain.add("models", model="K", family="G")
    judge_rubrics(plain, "K", "A", "11")
    judge_rubrics(plain, "K", "B", "00")

    rows = load(plain).result("committee-families", members=[*ALL, "K"], resamples=0, level="rubric").rows

    # Without F: A 10 11 10, B 10 00 11, K 00 11 00 together 10 11 10. A: 1 / ((1/2 + 1/2) / 2) = 2,
    #   B: 1/2 / ((1/2 + 1) / 2) = 2/3; K has no responses. J outside: 1/2 / ((1 + 1/2) / 2) = 2/3.
    row = one(rows, without="F")
    assert (row["members"], row["hspp_self"]) == (["A", "B", "K"], pytest.approx((2 + 2 / 3) / 2))
    assert row["hspp_self_outside"] == pytest.approx(2 / 3)
    # Without G two are left.
    row = one(rows, without="G")
    assert (row["hspp_self"], row["reasons"]["hspp_self"]) == (None, "too_few_members")
    # All four: J: k0 3:1, k1 1:3. A: k0 3:1, k1 2:2 divided. B: k0 3:1, k1 1:3. J's 1/2, A's 1/1, B's 1/2.
    #   J: 1/2 / ((1 + 1/2) / 2) = 2/3, B the same.
    assert row["hspp_self_whole"] == pytest.approx(2 / 3)


def test_scores_are_combined_by_mean_or_median(load):
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1))
    scores_by_judge = {"J": (1.0, 0.0), "A": (0.0, 0.5), "B": (0.0, 0.25)}
    for generator, mets in (("J", "00"), ("A", "11")):
        refer(study, generator, mets)
    for judge, scores in scores_by_judge.items():
        for generator, score in zip("JA", scores, strict=True):
            study.add(
                "judgments",
                judge=judge,
                paradigm="direct_assessment",
                instance_id="x0",
                generator=generator,
                score=score,
            )
    study = load(study)

    by_mean = study.result("committee", members=ALL, resamples=0)
    by_median = study.result("committee", members=ALL, resamples=0, combine="median")

    # J's response truly loses. Means 1/3 against 1/4 make it win, medians 0 against 1/4 do not.
    assert (by_mean.filters["combine"], by_mean.rows[0]["level"]) == ("mean", "instance")
    assert one(by_mean.rows, judge="A")["mipa_committee"] == 0
    assert one(by_median.rows, judge="A")["mipa_committee"] == 1
    with pytest.raises(UsageError, match="choose mean or median"):
        study.result("committee", members=ALL, combine="majority")


@pytest.mark.parametrize("sizes", [["0"], ["4"], ["two"], ["9" * 5000]])
def test_an_impossible_committee_size_is_refused(plain, load, sizes):
    with pytest.raises(UsageError, match=r"give numbers from 1 to 3"):
        load(plain).result("committee-size", members=ALL, sizes=sizes, resamples=0)


def test_many_committees_are_sampled_by_seed_and_the_row_says_so(plain, load):
    study = load(plain)

    sample = study.result("committee-size", members=ALL, most_committees=2, resamples=0)
    again = study.result("committee-size", members=ALL, most_committees=2, resamples=0)

    assert list(sample.filters["sampled_sizes"]) == [1, 2]
    assert [row["committees"] for row in sample.rows] == [2, 2, 1, 2, 2, 1]
    assert sample.rows == again.rows


def five_families(judged=12, instances=13, verdicts=("1111",)):
    """Return a study in which five judges of five families give these verdicts in turn; by default all pass.

    Of four criteria J's own answers fail one, A's two, B's three, C's four and D's one, on the judged
    instances.
    """
    study = study_of(models="J:F A:G B:H C:I D:L", rubrics=(1, 1, 1, 1), instances=instances)
    for n in range(judged):
        for generator, mets in zip("JABCD", ("0111", "0011", "0001", "0000", "1110"), strict=True):
            refer(study, generator, mets, f"x{n}")
            for judge in "JABCD":
                judge_rubrics(study, judge, generator, verdicts[n % len(verdicts)], f"x{n}")
    return study


def test_the_fewest_own_failures_of_those_who_stay_and_of_those_left_out_are_given(load):
    study = load(five_families())
    options = {"members": "J,A,B,C,D", "level": "rubric", "resamples": 0}

    rows = study.result("committee-families", **options).rows
    shown = study.result("committee-families", judges="A,B", **options).rows

    # Of twelve instances: 12, 24, 36, 48 and 12 failures.
    numbers = {row["without"]: (row["n_self"], row["n_self_outside"], row["small"]) for row in rows}
    assert numbers == {
        "F": (12, 12, True),
        "G": (12, 24, True),
        "H": (12, 36, True),
        "I": (12, 48, True),
        "L": (12, 12, True),
    }
    # Of those shown, nobody is of F or I.
    few = {row["without"]: (row["n_self"], row["n_self_outside"], row["small"]) for row in shown}
    assert few == {
        "F": (24, 0, True),
        "G": (36, 24, False),
        "H": (24, 36, True),
        "I": (24, 0, True),
        "L": (24, 0, True),
    }


def test_committees_have_p_values_from_the_fewest_instances_that_somebody_judged(load):
    study = load(five_families(verdicts=("1111", "0000")))

    def p(fewest, **options):
        rows = study.result("committee", members="J,A,B,C,D", level="rubric", resamples=50, judges="A",
                            min_instances=fewest, **options).rows  # fmt: skip
        return rows[0]["hspp_self_committee_p"], rows[0]["reasons"].get("hspp_self_committee_p")

    # Twelve of the thirteen instances are judged.
    assert p(12) != p(13)
    assert "instances" in p(13)[1]


def test_a_committee_that_somebody_in_it_judged_less_counts_all_instances(load):
    plain = five_families(judged=12, verdicts=("1111", "0000"))
    plain.judgments = [row for row in plain.judgments if row["judge"] != "J" or row["instance_id"] != "x0"]
    study = load(plain)

    rows = {
        fewest: study.result("committee", members="J,A,B,C,D", level="rubric", resamples=50, judges="J,A",
                             min_instances=fewest).rows[1]["reasons"].get("hspp_self_committee_p")
        for fewest in (12, 13)
    }  # fmt: skip

    assert rows[12] != rows[13]


@pytest.mark.parametrize(("failing", "small"), [(29, True), (30, False)])
def test_thirty_own_failures_are_not_few_for_a_committee(load, failing, small):
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=40)
    for n in range(40):
        for generator in "JAB":
            refer(study, generator, "10" if n < failing else "11", f"x{n}")
            for judge in "JAB":
                judge_rubrics(study, judge, generator, "11", f"x{n}")
    study = load(study)
    options = {"members": "J,A,B", "level": "rubric", "resamples": 0}

    committee = study.result("committee", **options).rows
    sizes = study.result("committee-size", **options).rows

    assert [(row["n_self"], row["n_self_committee"], row["small"]) for row in committee] == [
        (failing, failing, small)
    ] * 3
    assert [(row["size"], row["n_self"], row["small"]) for row in sizes] == [
        (size, failing, small) for size in (1, 2, 3)
    ]


@pytest.mark.parametrize(("judged", "small"), [(29, True), (30, False)])
def test_thirty_own_failures_of_the_remaining_members_are_not_few(load, judged, small):
    study = load(five_families(judged, judged))

    rows = study.result("committee-families", members="J,A,B,C,D", level="rubric", resamples=0).rows

    assert {(row["n_self"], row["small"]) for row in rows} == {(judged, small)}


def test_committees_of_a_size_have_the_fewest_own_failures_of_any_member_or_none(load):
    failures = load(five_families())
    plain = study_of(models="J:F A:G B:H", rubrics=(1,), instances=2)
    for n in range(2):
        for generator in "JAB":
            refer(plain, generator, "1", f"x{n}")
            for judge in "JAB":
                judge_rubrics(plain, judge, generator, "1", f"x{n}")
    without = load(plain, "without")

    def fewest(study, members):
        rows = study.result("committee-size", members=members, sizes="3", level="rubric", resamples=0).rows
        return [(row["n_self"], row["hspp_self"] is None) for row in rows]

    # J's and D's answers fail 12 criteria, A's 24.
    assert fewest(failures, "J,A,B,C,D") == [(12, False)]
    assert fewest(without, "J,A,B") == [(0, True)]


def test_where_scores_are_combined_there_is_no_accuracy_on_criteria_nor_a_ratio_to_other_judges(plain, load):
    study = load(plain)

    by_mean = study.result("committee", members=ALL, combine="mean", resamples=20).rows
    by_majority = study.result("committee", members=ALL, level="rubric", resamples=20).rows

    assert [row["mra_committee"] for row in by_mean] == [None] * 3
    assert {row["reasons"]["mra_committee"] for row in by_mean} == {"not_of_these_judgments"}
    assert {row["reasons"]["ratio_outside"] for row in by_mean} == {"not_of_these_judgments"}
    assert {row["reasons"]["ratio_outside_low"] for row in by_mean} == {"not_of_these_judgments"}
    # 2 of J's 6 verdicts are the reference's, and so are the committee's: 10 on each answer, 3 of 6.
    assert [row["mra_committee"] for row in by_majority] == [0.5] * 3
    assert None not in [row["ratio_outside"] for row in by_majority]


def test_ratios_to_other_judges_have_intervals_where_resamples_are_drawn(load):
    study = study_of(models="J:F A:G B:H", rubrics=(1, 1, 1), instances=12)
    for n in range(12):
        for place, generator in enumerate(ALL):
            refer(study, generator, "000", f"x{n}")
            for judge, mets in (("J", "110"), ("A", "100"), ("B", "010" if n % 2 else "011")):
                own = "111" if judge == generator and n % (place + 2) else mets
                judge_rubrics(study, judge, generator, own, f"x{n}")
    study = load(study)

    plain, drawn = (study.result("committee", members=ALL, level="rubric", resamples=n).rows for n in (0, 20))

    for without, row in zip(plain, drawn, strict=True):
        assert without["ratio_outside_low"] is None
        assert without["reasons"]["ratio_outside_low"] == "no_resamples"
        assert row["ratio_outside_low"] < row["ratio_outside"] < row["ratio_outside_high"]
        assert row["ratio_outside"] == without["ratio_outside"]


@pytest.mark.parametrize("sizes", [["1"], ["3"], ["1", "3"]])
def test_the_smallest_and_the_largest_size_are_possible(plain, load, sizes):
    rows = load(plain).result("committee-size", members=ALL, sizes=sizes, resamples=0, level="rubric").rows

    assert [str(row["size"]) for row in rows] == sizes


def test_a_committee_that_passes_no_own_failure_has_no_interval_of_no_width(load):
    study = load(five_families(judged=40, instances=40, verdicts=("0111", "0011", "0001", "0000")))
    options = {"members": "J,A,B,C,D", "level": "rubric", "resamples": 200}

    rows = study.result("committee", **options).rows
    without = study.result("committee-families", **options).rows

    # J's own answers fail their first criterion alone, which every committee finds not met.
    own = next(row for row in rows if row["judge"] == "J")
    assert (own["o_self_committee"], own["hspp_self_committee"]) == (0.0, 0.0)
    assert own["hspp_self_committee_high"] is None or own["hspp_self_committee_high"] > 0.05
    outside = next(row for row in without if row["without"] == "F")
    assert outside["hspp_self_outside"] == 0.0
    assert outside["hspp_self_outside_high"] is None or outside["hspp_self_outside_high"] > 0.05
