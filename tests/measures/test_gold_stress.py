"""`gold-stress`: by hand, and against plain loops over every panel of gold judges."""

import random

import pytest
from plain.awkward import PEOPLE, awkward_study
from plain.awkward_pairs import RATERS, awkward_pairs_study
from plain.builders import judge_rubrics, one, refer, study_of
from plain.gold_stress import mean_change, of_dbg, of_people, of_spb
from plain.pair_builders import both_orders

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study


def prefer(study, source, outcome, instance="x0"):
    study.add(
        "preferences", instance_id=instance, generator="J", opponent="A", source=source, outcome=outcome
    )


def test_dbg_is_given_under_every_panel_and_without_each_family(load):
    # J wins both pairs by its own verdict. Gold: P prefers J in both, Q and R (family G) in none.
    # DBG: P 1 - 1 = 0; Q, R, Q+R 1 - 0 = 1; P+Q and P+R are even, 1 - .5; all: 1 - 0, two to one.
    plain = study_of("J:F A:H Q:G R:G", instances=2)
    for x in ("x0", "x1"):
        both_orders(plain, "J", "J", "A", ("generator", "generator"), x)
        for source, outcome in (("P", 1), ("Q", -1), ("R", -1)):
            prefer(plain, source, outcome, x)

    row = one(load(plain).result("gold-stress", resamples=0).rows, judge="J")

    assert dict(zip(row["panels"], row["value_by_panel"], strict=True)) == {
        "P": 0, "Q": 1, "R": 1, "P + Q": 0.5, "P + R": 0.5, "Q + R": 1, "P + Q + R": 1,
    }  # fmt: skip
    assert (row["number"], row["value"], row["least"], row["greatest"], row["n"]) == ("dbg", 1, 0, 1, 2)
    assert row["same_side"] == pytest.approx(6 / 7)
    # P leaves P+Q, P+R and all: .5, .5, 0; Q leaves P+Q, Q+R, all: .5, 0, .5; R likewise.
    assert row["changes"] == pytest.approx([1 / 3, 1 / 3, 1 / 3])
    assert (row["families_without"], row["value_without"]) == (["G"], [0])


def test_a_member_of_a_committee_is_not_a_gold_judge_of_itself(load):
    # Each judge says met of its own answer alone. J never votes for J: with one other, that one decides.
    # By A, J's and B's answers fail, and J passes its own alone: 1 - 0. By B, J's and A's fail, likewise.
    # A and B are even on A's and B's answers: nothing of others fails, and there is no number.
    plain = study_of("J:F A:G B:H", instances=10)
    plain.committees["all"] = {"members": ["J", "A", "B"], "paradigm": "single_rubric", "variant": "default"}
    for n in range(10):
        for judge in "JAB":
            for generator in "JAB":
                judge_rubrics(plain, judge, generator, "1" if judge == generator else "0", f"x{n}")

    row = one(load(plain).result("gold-stress", reference="committee:all", resamples=0).rows, judge="J")

    assert sorted(row["panels"]) == ["A", "B", "J + A", "J + B"]
    assert row["value_by_panel"] == [1.0] * 4
    assert (row["value"], row["least"], row["hspp_self"]) == (None, 1, None)


def test_one_gold_judge_has_no_panels_and_the_remedy_is_named(load):
    plain = study_of("J:F A:G B:H")
    for generator in "JAB":
        refer(plain, generator, "0")
        for judge in "JAB":
            judge_rubrics(plain, judge, generator, "1")

    result = load(plain).result("gold-stress", resamples=0)

    assert result.rows == []
    assert "--reference committee:NAME" in result.reason


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    plain_studies = {
        "pairs": awkward_pairs_study(random.Random(4), instances=4),
        "rubrics": awkward_study(random.Random(4), instances=6, paradigms=("single_rubric",)),
    }
    opened = {}
    for name, rows in plain_studies.items():
        folder = tmp_path_factory.mktemp(name)
        rows.write(folder / "exchange")
        import_tidy(folder / "exchange", Store(folder / "store"), name)
        opened[name] = rows, Study.open(folder / "store" / name)
    return opened


@pytest.mark.parametrize(
    ("name", "number", "plainly", "sources", "filters"),
    [
        ("pairs", "dbg", of_dbg, sorted({*PEOPLE, "dune <b>judge</b>"}), {}),
        ("pairs", "spb", of_spb, RATERS, {}),
        ("rubrics", "own_minus_others", of_people, PEOPLE, {"reference": "human"}),
    ],
)
def test_it_equals_its_plain_second_implementation(studies, name, number, plainly, sources, filters):
    rows, study = studies[name]
    expected = plainly(rows, list(sources), **filters)

    ours = study.result("gold-stress", resamples=0, **filters).rows

    of_number = {row["judge"]: row for row in ours if row["number"] == number}
    assert expected
    assert {judge for judge, row in of_number.items() if row["panels"]} == set(expected)
    for judge, panels in expected.items():
        row = of_number[judge]
        mine = dict(zip(row["panels"], row["value_by_panel"], strict=True))
        assert {frozenset(panel.split(" + ")): round(value, 9) for panel, value in mine.items()} == {
            frozenset(panel): round(value, 9) for panel, value in panels.items()
        }
        for gold_judge, change in zip(row["gold_judges"], row["changes"], strict=True):
            assert change == pytest.approx(mean_change(panels, gold_judge)), (judge, gold_judge)
