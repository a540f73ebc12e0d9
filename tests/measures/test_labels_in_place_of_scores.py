"""Equal quality by human labels: every measure on equal and on contrast pairs, by hand."""

import pytest
from plain.builders import one, study_of
from plain.pair_builders import G, O, both_orders

FEW = {"resamples": 0, "min_instances": 1}
HUMAN = {"quality": "human"}


def say(study, generator, opponent, values, instance="x0", kind="equal_pair", task="t"):
    """Labels of p, q and r in turn for a pair; the settled label follows a `|`."""
    votes, _, adjudicated = values.partition("|")
    people = [
        *zip("pqr", votes.split(), strict=False),
        *([("adjudicated", adjudicated.strip())] if adjudicated else []),
    ]
    for person, value in people:
        study.add(
            "annotations",
            annotator=person,
            task=task,
            item=f"{instance}{generator}{opponent}",
            round=1,
            kind=kind,
            instance_id=instance,
            generator=generator,
            opponent=opponent,
            value=value,
        )


def labelled():
    """People prefer A to B in x0 and x1 (settled), B in x2, call them equal in x3, and are divided on x4."""
    study = study_of("J:F A:G B:H", instances=5)
    for i, answers in enumerate(((G, G), (O, O), (G, G), (G, G), (G, G))):
        both_orders(study, "J", "A", "B", answers, f"x{i}")
    say(study, "A", "B", "generator generator equal", "x0")
    say(study, "A", "B", "opponent opponent equal | generator", "x1")
    say(study, "B", "A", "generator generator", "x2")
    say(study, "A", "B", "equal equal", "x3")
    say(study, "A", "B", "generator opponent", "x4")
    return study


def test_discriminability_uses_pairs_in_which_people_prefer_one(load):
    result = load(labelled()).result("discriminability", **HUMAN, **FEW)

    # J names A in x0 (right), B in x1 (wrong: settled for A), A in x2 (wrong). The others have none.
    row = one(result.rows, judge="J")
    assert (row["correct"], row["n"], row["d"]) == (1, 3, pytest.approx(1 / 3))


def test_preferences_define_contrast_pairs_but_not_equal_ones(load):
    study = study_of("J:F A:G B:H", instances=2)
    for i in range(2):
        both_orders(study, "J", "A", "B", (G, G), f"x{i}")
    say(study, "A", "B", "generator generator", "x0", kind="preference")
    say(study, "A", "B", "tie tie", "x1", kind="preference")
    study = load(study)

    able = one(study.result("discriminability", **HUMAN, **FEW).rows, judge="J")
    partial = study.result("equal-quality", **HUMAN, **FEW)

    assert (able["correct"], able["n"]) == (1, 1)
    assert partial.rows == []
    assert partial.left_out["no_quality"] == 2  # both orders of x1: people do not call x0 equal


def test_pairs_drawn_by_scores_do_not_restrict_labelled_pairs(load):
    study = labelled()
    row = {"judge": "J", "instance_id": "x4", "generator": "A", "opponent": "B"}
    study.add("pairs", purpose="contrast", **row)
    study.add("pairs", purpose="null", **row)

    able = one(load(study).result("discriminability", **HUMAN, **FEW).rows, judge="J")

    assert able["n"] == 3


def own_pairs():
    """J firmly chooses its own in two pairs that people call equal; variant cot exists only in x0."""
    study = study_of("J:F A:G B:H", instances=2)
    for i in range(2):
        both_orders(study, "J", "J", "A", (G, G), f"x{i}")
        both_orders(study, "J", "A", "B", (G, G), f"x{i}")
        both_orders(study, "J", "J", "A", (G, O) if i else (G, G), f"x{i}", variant="cot")
        say(study, "J", "A", "equal equal opponent", f"x{i}")
        say(study, "A", "B", "generator generator", f"x{i}")
    return study


def test_archetypes_accept_human_labels(load):
    row = one(load(own_pairs()).result("archetypes", **HUMAN, **FEW).rows, judge="J")

    # D: A is better for people and for J, twice. No null pair, so that there is no SPB and no archetype.
    assert (row["d"], row["n_contrast"], row["n_pairs"]) == (1.0, 2, 2)
    assert (row["spb"], row["archetype"], row["mean_quality"]) == (None, None, None)


def test_mitigation_accepts_human_labels(load):
    row = one(load(own_pairs()).result("mitigation", **HUMAN, **FEW).rows, judge="J", variant="cot")

    # Two firm choices of its own by default, one with cot.
    assert (row["n_pairs"], row["firm_lost"], row["firm_gained"]) == (2, 1, 0)


@pytest.mark.parametrize("measure", ["equal-quality", "discriminability", "archetypes", "mitigation"])
def test_without_labels_every_measure_says_so(load, measure):
    study = study_of("J:F A:G B:H")
    both_orders(study, "J", "A", "B", (G, G))
    both_orders(study, "J", "A", "B", (G, G), variant="cot")

    result = load(study).result(measure, **HUMAN, **FEW)

    assert result.rows == []
    assert "no labels say" in result.reason


@pytest.mark.parametrize(
    ("settled", "counts"), [("generator", (1, 1)), ("opponent", (0, 1)), ("equal", (0, 0))]
)
def test_a_settled_label_decides_against_the_majority(load, settled, counts):
    study = study_of("J:F A:G B:H", instances=2)
    both_orders(study, "J", "A", "B", (G, G), "x0")
    say(study, "A", "B", f"opponent opponent equal | {settled}", "x0")
    if settled == "opponent":
        study.annotations.clear()
        say(study, "A", "B", f"generator generator equal | {settled}", "x0")

    rows = load(study).result("discriminability", **HUMAN, **FEW).rows

    # J names A: right where A is settled to be better, wrong where B is, and no answer where they are equal.
    assert [(row["correct"], row["n"]) for row in rows] == ([counts] if counts[1] else [])
