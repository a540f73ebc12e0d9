"""What may overturn a conclusion: the committee that is the reference, and the cautions by their rules."""

from types import SimpleNamespace

import numpy as np
import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine.importers.formats.exchange import import_tidy
from engine.measures.rows import Column
from engine.measures.scorecard.deciding_source import deciding_source
from engine.measures.scorecard.scorecard_caveats import _theme_columns, cautions
from engine.slices import Slice
from engine.store import Store
from engine.study import Study

MEMBERS = ["J", "K", "A", "B", "D"]


@pytest.fixture(scope="module")
def with_committee(tmp_path_factory):
    """Return a study with a committee of two judges of one family and three others, and judge C beside it."""
    folder = tmp_path_factory.mktemp("committee")
    rng = np.random.default_rng(4)
    plain = study_of(models="J:F K:F A:G B:H C:I D:L", instances=12)
    for n in range(12):
        for generator in "JKABCD":
            refer(plain, generator, str(n % 2), f"x{n}")
            for judge in "JKABCD":
                judge_rubrics(plain, judge, generator, str(int(rng.random() < 0.5)), f"x{n}")
    plain.committees["c"] = {"members": MEMBERS, "paradigm": "single_rubric"}
    plain.write(folder / "small")
    import_tidy(folder / "small", Store(folder / "store"), "small")
    return Study.open(folder / "store" / "small")


@pytest.mark.parametrize(
    ("options", "shares"),
    [
        # Of five members two are J or K; A, B and D are themselves alone; C has no relative.
        ({}, {"J": 0.4, "K": 0.4, "A": 0.2, "B": 0.2, "C": 0.0, "D": 0.2}),
        # Of four who vote in place of J one is K; without A none is its relative.
        ({"leave_self_out": True}, dict.fromkeys("ABCD", 0.0) | {"J": 0.25, "K": 0.25}),
        ({"exclude_family": True}, dict.fromkeys("JKABCD", 0.0)),
    ],
)
def test_the_share_of_a_committee_that_is_the_judge_or_its_family(with_committee, options, shares):
    rows = with_committee.result("scorecard", reference="committee:c", resamples=0, **options).rows[1:]

    assert {row["judge"]: row["family_in_reference"] for row in rows} == pytest.approx(shares)
    assert {row["judge"] for row in rows if "family_in_reference" in row["cautions"]} == {
        judge for judge, share in shares.items() if share > 0
    }


def test_a_program_has_no_family(with_committee):
    rows = with_committee.result("scorecard", reference="program", resamples=0).rows[1:]

    assert {row["family_in_reference"] for row in rows} == {0.0}


def source_of(number="odds_self", truth="failed", unequal=(0, 0), families=6, placebos=3, assumed=False):
    """Return a source of two judges with so many placebos each, of so many families."""
    value = np.full((2, 4), np.nan)
    value[:, :placebos] = 0.5
    case = SimpleNamespace(
        families=SimpleNamespace(judge=np.arange(families), generator=np.arange(families)),
        tastes=SimpleNamespace(assumed=assumed),
        placebos=SimpleNamespace(value=value, se=np.full((2, 4), 0.1)),
    )
    return SimpleNamespace(case=case, number=number, truth=truth, unequal={"own": np.array(unequal)})


def codes(source, *, conclusions=("favours_itself", "not_shown"), family=(0.0, 0.0), expected=(0.5, 0.5)):
    names = [f"{whose}_expected{end}" for whose in ("own", "family") for end in ("", "_low", "_high")]
    columns = {name: Column([0.5, 0.5]) for name in names} | {"own_expected_high": Column(list(expected))}
    columns |= {"family_in_reference": Column(list(family)), "conclusion": Column(list(conclusions))}
    return cautions(source, columns)


def test_a_claim_without_doubt_has_no_caution():
    assert codes(source_of()) == [[], []]


def test_a_claim_on_few_placebos_or_few_families_is_cautioned_and_no_other_conclusion():
    assert codes(source_of(placebos=2)) == [["discernment_untold"], []]
    assert codes(source_of(families=5)) == [["few_families"], []]
    # Where tastes are assumed that is said of all, and not that the families are few.
    assert codes(source_of(families=5, assumed=True)) == [["tastes_assumed"], ["tastes_assumed"]]


def test_a_placebo_without_an_error_does_not_count():
    source = source_of()
    source.case.placebos.se[0, 0] = 0.0

    assert codes(source) == [["discernment_untold"], []]


def test_matched_numbers_have_neither_outside_judges_nor_placebos():
    source = source_of("hspp_matched", placebos=0, families=1)

    assert codes(source) == [["no_outside_judges"]] * 2


def test_odds_without_a_truth_compare_strictness():
    assert codes(source_of(truth="any")) == [["strictness"]] * 2
    assert codes(source_of("bonus_outside", truth="any")) == [[], []]


def test_missing_verdicts_of_either_side_the_reference_and_the_scale_are_cautions_of_their_judge():
    assert codes(source_of(unequal=(0, 1))) == [[], ["missing_verdicts"]]
    assert codes(source_of(unequal=(-1, 0))) == [["missing_verdicts"], []]
    assert codes(source_of(), family=(0.0, 0.25)) == [[], ["family_in_reference"]]
    assert codes(source_of(), expected=(1.2, 0.5)) == [["beyond_scale"], []]


@pytest.fixture(scope="module")
def themed(with_committee):
    """Return a function that counts the themes named, of an instance each; the other instances have none."""
    options = {"decide": "odds_self", "clusters": "instance", "material": None}
    spec = Slice(reference="program")
    source = deciding_source(with_committee, spec, options)

    def counted(*themes, joint=source.joint):
        of_instances = np.array([*themes, *[None] * (12 - len(themes))], dtype=object)
        index = SimpleNamespace(instance_fields={"theme": of_instances})
        view = SimpleNamespace(study=SimpleNamespace(index=index))
        columns = _theme_columns(SimpleNamespace(view=view, joint=joint), 6)
        return [columns[name] for name in ("themes_for", "themes_against")]

    return counted


def by_plain_counts(study, judge, instances):
    """Return own share passed by the judge less by others, less the same of other families' answers.

    Each outside judge is compared on the answers outside both families; the differences are averaged.
    """
    families = dict(zip("JKABCD", "FFGHIL", strict=True))
    rows = study.files.table("judgments", ("judge", "generator", "instance_id", "met")).to_pylist()
    failed = [row for row in rows if row["instance_id"] in instances and int(row["instance_id"][1:]) % 2 == 0]

    def passed(who, generator):
        mets = [row["met"] for row in failed if (row["judge"], row["generator"]) == (who, generator)]
        return sum(mets) / len(mets)

    own, other = [], []
    for who in families:
        if families[who] == families[judge]:
            continue
        own.append(passed(judge, judge) - passed(who, judge))
        strangers = [g for g in families if families[g] not in (families[judge], families[who])]
        other.append(np.mean([passed(judge, g) - passed(who, g) for g in strangers]))
    return np.mean(own) - np.mean(other)


def test_themes_for_and_against_a_judge_are_those_with_a_difference_on_its_side(with_committee, themed):
    themes = ["a", "a", "a", "a", "b", "b", "b", "b", "c", "c", "c", "c"]

    above, below = themed(*themes)

    for place, judge in enumerate("JKABCD"):
        sides = [
            by_plain_counts(with_committee, judge, {f"x{n}" for n in range(12) if themes[n] == theme})
            for theme in "abc"
        ]
        assert above.values[place] == sum(side > 1e-9 for side in sides)
        assert below.values[place] == sum(side < -1e-9 for side in sides)


def test_two_themes_are_compared_and_one_and_very_many_are_not(themed, monkeypatch):
    assert [column.reason(0) for column in themed("a", "x", "a")] == ["no_themes"] * 2  # x1 has no failure
    assert list(themed("a")[0].values) == [None] * 6
    assert None not in list(themed("a", "a", "b")[0].values)
    monkeypatch.setattr("engine.measures.scorecard.scorecard_caveats.MOST_THEMES", 3)
    assert None not in list(themed(*"aabbcccc")[0].values)
    assert themed(*"aabbccdd")[0].reason(0) == "no_themes"
    assert themed("a", "b", joint=None)[1].reason(0) == "not_of_these_judgments"
