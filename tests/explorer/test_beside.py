"""A verdict set beside another: which judgments have one, and which of these differ."""

import pyarrow as pa
import pytest

import engine
from engine.errors import UsageError
from engine.explore.cells_beside import Beside
from engine.explore.judgment_detail import item
from engine.explore.judgment_page import rows
from engine.slices import Slice
from engine.store import Store
from engine.store.study_files import StudyInfo


def test_each_judgment_has_the_second_judges_verdict_on_the_same_response(demo):
    listing = rows(demo, Slice(), "all", judge="dune-large", beside=Beside("judge", "aster-mini"), limit=300)
    alone = rows(demo, Slice(), "all", judge="aster-mini", limit=100_000).rows
    verdict_of = {(row["generator"], row["instance_id"], row["rubric_id"]): row["verdict"] for row in alone}

    assert len(listing.rows) == 300
    for row in listing.rows:
        assert row["verdict_beside"] == verdict_of[row["generator"], row["instance_id"], row["rubric_id"]]


def test_each_judgment_has_the_same_judges_verdict_on_the_second_response(demo):
    beside = Beside("generator", "cinder-mini")
    listing = rows(
        demo, Slice(), "all", judge="dune-large", generator="boreal-mini", beside=beside, limit=200
    )
    alone = rows(demo, Slice(), "all", judge="dune-large", generator="cinder-mini", limit=100_000).rows
    verdict_of = {row["rubric_id"] + row["instance_id"]: (row["verdict"], row["reference"]) for row in alone}

    for row in listing.rows:
        beside_it = row["verdict_beside"], row["reference_beside"]
        assert beside_it == verdict_of[row["rubric_id"] + row["instance_id"]]


def test_differing_and_agreeing_judgments_add_up_to_all(demo):
    def total(differ):
        beside = Beside("judge", "aster-mini", differ)
        return rows(demo, Slice(), "all", judge="dune-large", beside=beside, limit=100_000)

    every, different = total(False), total(True)

    assert 0 < different.total < every.total
    assert all(row["verdict"] != row["verdict_beside"] for row in different.rows)
    agreeing = [row for row in every.rows if row["verdict"] == row["verdict_beside"]]
    assert len(agreeing) + different.total == every.total


def test_a_comparison_is_set_beside_the_one_with_the_same_opponent(demo):
    spec = Slice(paradigm="pairwise")
    beside = Beside("judge", "boreal-large")
    listing = rows(demo, spec, "all", judge="dune-large", generator="aster-mini", beside=beside, limit=50)
    alone = rows(demo, spec, "all", judge="boreal-large", generator="aster-mini", limit=100_000).rows
    verdict_of = {(row["opponent"], row["instance_id"]): row["verdict"] for row in alone}

    assert listing.rows
    for row in listing.rows:
        assert row["verdict_beside"] == verdict_of[row["opponent"], row["instance_id"]]


def test_a_judgment_is_never_set_beside_itself(plain):
    listing = rows(plain, Slice(), "all", beside=Beside("judge", "m1"), limit=1000)

    assert listing.rows
    assert {row["judge"] for row in listing.rows} == {"m2", "m3"}


def test_a_judgment_without_a_second_verdict_is_left_out_with_a_reason(plain):
    nothing = rows(plain, Slice(), "all", judge="m1", beside=Beside("judge", "m1"))

    assert nothing.rows == []
    assert nothing.reason == "no judgment of this slice has a verdict of judge:m1 on the same item"


@pytest.mark.parametrize("written", ["m1", "reader:m1", "judge:", "judge:nobody"])
def test_a_second_side_that_names_no_model_is_refused(plain, written):
    with pytest.raises(UsageError):
        rows(plain, Slice(), "all", beside=Beside.of(written))


def test_a_name_with_a_colon_is_read_whole():
    assert Beside.of("judge:a:b").name == "a:b"


@pytest.fixture(scope="module")
def study_of_calls(tmp_path_factory):
    """Return a study of one call that judged two rubrics, with its run."""
    root = tmp_path_factory.mktemp("called")
    place = {"judge": "m", "paradigm": "all_rubrics", "instance_id": "x", "generator": "m"}
    place |= {"run_id": "r", "call_id": "c", "status": "ok", "met": True, "ordering": "original"}
    tables = {
        "models": [{"model": "m", "family": "f"}],
        "instances": [{"instance_id": "x"}],
        "rubrics": [{"instance_id": "x", "rubric_id": name} for name in ("a", "b")],
        "references": [
            {"instance_id": "x", "generator": "m", "rubric_id": name, "source": "human", "met": False}
            for name in ("a", "b")
        ],
        "runs": [
            {
                "run_id": "r",
                "model": "m",
                "role": "judge",
                "paradigm": paradigm,
                "variant": "default",
                "template": f"{paradigm}.txt",
            }
            for paradigm in ("all_rubrics", "single_rubric")
        ],
        "judgments": [
            place | {"rubric_id": "a", "position": 1, "raw": '{"results": []}'},
            place | {"rubric_id": "b", "position": 2, "raw": None},
        ],
    }
    arrow_tables = {name: pa.Table.from_pylist(content) for name, content in tables.items()}
    Store(root).write("called", arrow_tables, StudyInfo(name="called", provenance="api"))
    return engine.open_study(str(root / "called"))


def test_each_verdict_of_a_call_has_the_calls_whole_answer(study_of_calls):
    listing = rows(study_of_calls, Slice(), "all")

    for row in listing.rows:
        judgment = item(
            study_of_calls, listing.request, instance_id="x", generator="m", rubric_id=row["rubric_id"]
        )
        assert [verdict.raw for verdict in judgment.verdicts] == ['{"results": []}']


def test_a_verdict_names_the_template_of_its_own_run_and_paradigm(study_of_calls):
    listing = rows(study_of_calls, Slice(), "all")

    judgment = item(study_of_calls, listing.request, instance_id="x", generator="m", rubric_id="a")

    assert ("template", "all_rubrics.txt") in judgment.verdicts[0].run_facts
    assert len([value for name, value in judgment.verdicts[0].run_facts if name == "template"]) == 1
