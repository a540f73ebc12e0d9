"""`relatedness`: by hand, against plain loops, and with and without shared errors planted."""

import random

import pytest
from plain.awkward import awkward_study
from plain.builders import judge_rubrics, one, refer, study_of
from plain.relatedness import kappas

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study


def test_judges_that_pass_the_same_failures_are_related_whatever_their_families(load):
    # J and A pass the same third of B's to E's failures, B to E each pass another at random.
    draw, names = random.Random(3), "JABCDE"
    plain = study_of(" ".join(f"{name}:{name}" for name in names), instances=60)
    for n in range(60):
        for generator in names:
            refer(plain, generator, "0", f"x{n}")
            shared = draw.random() < 0.33
            for judge in names:
                met = shared if judge in "JA" else draw.random() < 0.33
                judge_rubrics(plain, judge, generator, str(int(met)), f"x{n}")

    rows = load(plain).result("relatedness", resamples=50).rows

    alike = one(rows, judge="J", other_judge="A")
    assert alike["kappa"] == 1
    assert alike["relatedness_low"] > 0.2
    assert alike["n"] == 4 * 60
    assert max(row["relatedness"] for row in rows if row is not alike) < alike["relatedness_low"]


def test_without_a_reference_nothing_is_wrong_and_the_remedy_is_named(load):
    plain = study_of("J:F A:G B:H")
    for judge in "JAB":
        for generator in "JAB":
            judge_rubrics(plain, judge, generator, "1")

    result = load(plain).result("relatedness", resamples=0)

    assert result.rows == []
    assert "spb reference" in result.reason


def test_three_judges_have_a_kappa_and_no_relatedness_with_the_reason(load):
    plain = study_of("J:F A:G B:H C:I", rubrics=(1, 1), instances=5)
    for n in range(5):
        refer(plain, "C", "10", f"x{n}")
        for judge in "JAB":
            judge_rubrics(plain, judge, "C", "11" if n % 2 else "00", f"x{n}")

    row = one(load(plain).result("relatedness", resamples=0).rows, judge="J", other_judge="A")

    assert row["kappa"] == 1
    assert (row["relatedness"], row["reasons"]["relatedness"]) == (None, "fewer_than_four_judges")
    assert row["reasons"]["growth"] == "fewer_than_five_judges_that_answer"


@pytest.mark.parametrize("options", [{}, {"reference": "human"}, {"relatives": "provider"}], ids=str)
def test_it_equals_its_plain_second_implementation(tmp_path, options):
    rows = awkward_study(random.Random(5), instances=7, paradigms=("single_rubric",))
    rows.write(tmp_path / "exchange")
    import_tidy(tmp_path / "exchange", Store(tmp_path / "store"), "awkward")
    expected = kappas(rows, **options)

    result = Study.open(tmp_path / "store" / "awkward").result("relatedness", resamples=0, **options)

    ours = {(row["judge"], row["other_judge"]): (row["kappa"], row["n"]) for row in result.rows}
    assert set(ours) == set(expected)
    for pair, (kappa, n) in expected.items():
        assert ours[pair][1] == n
        assert ours[pair][0] == (None if kappa is None else pytest.approx(kappa, abs=1e-9))
