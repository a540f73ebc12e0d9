"""Fewer than thirty cases are marked as few, and too few questions have no p: both sides of each border."""

import pytest
from plain.builders import compare, judge_rubrics, one, refer, study_of
from plain.pair_builders import both_orders, rate

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study

FEW = {"resamples": 0}


def study_at(folder, plain):
    plain.write(folder / "small")
    import_tidy(folder / "small", Store(folder / "store"), "small")
    return Study.open(folder / "store" / "small")


def without(number, judge):
    """Return whether a judge lacks the case: J has thirty, K twenty-nine."""
    return judge == "K" and number == 29


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Thirty questions with pairs of J's or K's answer and A's, which is better, and thirty of A and B."""
    plain = study_of("J:F K:G A:H B:I R:Q")
    plain.instances.clear()
    plain.rubrics.clear()
    for number in range(30):
        own, far = f"x{number}", f"y{number}"
        plain.add("instances", instance_id=own, category="own")
        plain.add("instances", instance_id=far, category="far")
        rate(plain, "R", {"J": 6, "K": 6, "A": 6}, own)
        rate(plain, "R", {"A": 9, "B": 6}, far)
        for model, text in (("J", "short"), ("K", "short"), ("A", "rather long")):
            plain.add("responses", instance_id=own, generator=model, text=text)
        for judge in "JK":
            for source in "PQ":
                plain.add(
                    "preferences", instance_id=own, generator=judge, opponent="A", source=source, outcome=-1
                )
            if without(number, judge):
                continue
            choice = "generator" if number % 3 else "opponent"
            both_orders(plain, judge, judge, "A", (choice, choice), own)
            both_orders(plain, judge, "A", "B", (choice, choice), far)
            for first in ("generator", "opponent"):
                compare(plain, judge, judge, "A", first, choice, own)
                plain.judgments[-1]["paradigm"] = "recognition"
    return study_at(tmp_path_factory.mktemp("pairs"), plain)


@pytest.mark.parametrize(
    ("measure", "number", "options", "row"),
    [
        ("dbg", "n", {}, {"opponent": None}),
        ("gold-stress", "n", {"paradigm": "pairwise"}, {"number": "dbg"}),
        ("quality-baseline", "n_examples", {}, {"opponent": None}),
        ("best-of-n", "n", {}, {}),
        ("order-effect", "n_pairs", {}, {}),
        ("length", "n", {}, {}),
        ("equal-quality", "n_pairs", {}, {}),
        ("recognition-score", "n", {}, {}),
        ("discriminability", "n", {"category": "far"}, {}),
    ],
)
def test_thirty_pairs_are_not_few(pairs, measure, number, options, row):
    rows = pairs.result(measure, **{"category": "own", **FEW, **options}).rows

    of_judge = {judge: one(rows, judge=judge, **row) for judge in "JK"}
    assert {judge: each[number] for judge, each in of_judge.items()} == {"J": 30, "K": 29}
    assert {judge: each["small"] for judge, each in of_judge.items()} == {"J": False, "K": True}


def test_thirty_pairs_of_a_model_are_not_few(pairs):
    rows = pairs.result("votes", category="own", **FEW).rows

    numbers = {judge: (one(rows, judge=judge, generator="A")["n"]) for judge in "JK"}
    assert numbers == {"J": 30, "K": 29}
    assert {judge: one(rows, judge=judge, generator="A")["small"] for judge in "JK"} == {
        "J": False,
        "K": True,
    }


@pytest.mark.parametrize(
    ("measure", "options", "p"),
    [
        ("discriminability", {"category": "far"}, "p"),
        ("dbg", {"category": "own", "resamples": 20}, "dbg_p"),
        ("dbg", {"against": "category=own", "category": "own", "resamples": 20}, "p"),
    ],
)
def test_a_p_of_pairs_takes_as_many_questions_as_are_asked_for(pairs, measure, options, p):
    assert_p_from_thirty(pairs, measure, options, p)


def assert_p_from_thirty(study, measure, options, p):
    """Assert that too few questions are the reason why there is no p from 31 on, and none with 30."""
    enough, too_few = (
        study.result(measure, **{**FEW, **options, "min_instances": least}).rows for least in (30, 31)
    )

    defined = [row[p] is not None for row in enough]
    assert any(defined)
    assert "too_few_instances" not in [row["reasons"].get(p) for row in enough]
    assert all(row[p] is None for row in too_few)
    of_defined = [row["reasons"][p] for row, has_p in zip(too_few, defined, strict=True) if has_p]
    assert set(of_defined) == {"too_few_instances"}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory):
    """Thirty questions on which every answer fails, as written and rewritten, for five judges."""
    plain = study_of("J:F K:G A:H M:M N:N L:L", instances=30)
    for number in range(30):
        place = f"x{number}"
        for model in "JKAMN":
            refer(plain, model, "0", place)
        for judge in "JKLMN":
            own = judge != "L" and not (judge in "KN" and number == 29)
            other = not (judge in "KM" and number == 29)
            for model, judged in ((judge, own), ("A", other)):
                for transform in ("none", "terse") if judged else ():
                    judge_rubrics(plain, judge, model, str(number % 2), place, transform=transform)
            if other and judge in "JK":
                judge_rubrics(plain, judge, "A", "1", place, paradigm="all_rubrics")
            for model, judged in ((judge, own), ("A", other)):
                if judged and judge in "JKMN":
                    plain.add(
                        "judgments", judge=judge, paradigm="familiarity", instance_id=place, generator=model,
                        score=-1.0 - number % (2 if model == "A" else 3),
                    )  # fmt: skip
    return study_at(tmp_path_factory.mktemp("verdicts"), plain)


def test_thirty_failures_are_not_few(verdicts):
    ratios = verdicts.result("hspp", paradigm="single_rubric", **FEW).rows
    rates = verdicts.result("overestimation", paradigm="single_rubric", **FEW).rows

    small = {row["judge"]: (row["n_self"], row["small"]) for row in ratios if row["judge"]}
    assert small == {"J": (30, False), "K": (29, True), "L": (0, True), "M": (30, False), "N": (29, True)}
    of_a = {row["judge"]: (row["n"], row["small"]) for row in rates if row["generator"] == "A"}
    assert of_a == {"J": (30, False), "K": (29, True), "L": (30, False), "M": (29, True), "N": (30, False)}


def test_thirty_cases_of_its_own_and_of_others_as_written_and_changed_are_not_few(verdicts):
    rows = verdicts.result("robustness", paradigm="single_rubric", **FEW).rows

    assert {row["judge"]: (row["n_own"], row["n_other"], row["small"]) for row in rows} == {
        "J": (30, 30, False), "K": (29, 29, True), "L": (0, 30, True),
        "M": (30, 29, True), "N": (29, 30, True),
    }  # fmt: skip


def test_thirty_failures_in_a_list_are_not_few(verdicts):
    rows = verdicts.result("order-effect", paradigm="all_rubrics", **FEW).rows

    whole = {row["judge"]: (row["n_verdicts"], row["small"]) for row in rows if row["position"] is None}
    assert whole == {"J": (30, False), "K": (29, True)}


def test_thirty_criteria_that_two_judged_are_not_few(verdicts):
    rows = verdicts.result("relatedness", paradigm="single_rubric", **FEW).rows

    numbers = {row["judge"] + row["other_judge"]: (row["n"], row["small"]) for row in rows}
    assert (numbers["JL"], numbers["JN"]) == ((30, False), (30, False))
    assert (numbers["JK"], numbers["KL"], numbers["ML"]) == ((29, True),) * 3


def test_thirty_questions_of_known_familiarity_are_not_few(verdicts):
    rows = verdicts.result("familiarity-score", **FEW).rows

    small = {row["judge"]: (row["n_own"], row["small"]) for row in rows}
    assert small == {"J": (30, False), "K": (29, True), "M": (29, True), "N": (29, True)}


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """Thirty questions scored 1 and 2 by J and K in both orders of the options, and by people."""
    plain = study_of("J:F K:G A:H", instances=30)
    for row in plain.instances:
        row["category"] = "half" if int(row["instance_id"][1:]) < 15 else "rest"
    for number in range(30):
        keys = {"instance_id": f"x{number}", "generator": "A", "rubric_id": "k0"}
        plain.add("references", source="human:a", score=1 + number % 2, **keys)
        for judge in "JK":
            for ordering, score in (("1-2", 1), ("2-1", 2)):
                if (judge, number, ordering) != ("K", 0, "2-1"):
                    plain.add(
                        "judgments",
                        judge=judge,
                        paradigm="score_rubric",
                        ordering=ordering,
                        score=score,
                        **keys,
                    )
    return study_at(tmp_path_factory.mktemp("scores"), plain)


@pytest.mark.parametrize(
    ("measure", "number"),
    [("position", "n"), ("model-likeness", "n"), ("ordering", None), ("permutation", None)],
)
def test_thirty_scores_are_not_few(scores, measure, number):
    half = {} if number is None else {"category": "half"}

    rows = scores.result(measure, **half, **FEW).rows

    # J gives fifteen questions a score in two orders; K lacks one of them, and one of its thirty scores of 2.
    small = {(row["judge"], row["small"]) for row in rows}
    assert small == {("J", False), ("K", True)}
    if number is not None:
        assert {(row["judge"], row[number]) for row in rows} == {("J", 30), ("K", 29)}


def test_a_p_of_verdicts_takes_as_many_questions_as_are_asked_for(verdicts):
    options = {"paradigm": "single_rubric", "resamples": 20}

    assert_p_from_thirty(verdicts, "hspp", options, "hspp_self_p")
    assert_p_from_thirty(verdicts, "familiarity-score", {"resamples": 20}, "familiarity_gap_p")


@pytest.mark.parametrize("p", ["chi2_p", "chi2_shuffle_p"])
def test_a_p_of_positions_takes_as_many_questions_as_are_asked_for(scores, p):
    assert_p_from_thirty(scores, "position", {"resamples": 20}, p)
