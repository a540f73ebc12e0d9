"""Verdicts read in shards equal verdicts read at once, bit for bit."""

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from two_workers import two_workers

from engine.arrays import study_cache
from engine.arrays.bits.verdicts import (
    CachedSelection,
    InstanceShard,
    VerdictCube,
    build,
    cut,
    pack,
    prebuild_cache,
    read_shard,
    read_verdicts,
)
from engine.arrays.inventory import Inventory
from engine.arrays.judgment_rows import Selection
from engine.errors import StoreError
from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.study import Study

SINGLE = Selection(paradigm="single_rubric")


def awkward_rows() -> list[dict[str, object]]:
    """Return verdicts with repeats and missing values, in which judge c judged one instance only."""
    verdicts = np.random.default_rng(0).random((3, 3, 7, 11)) < 0.5
    rows = []
    for (judge, generator, instance, rubric), met in np.ndenumerate(verdicts):
        row = {
            "judge": "abc"[judge],
            "generator": "abc"[generator],
            "instance_id": f"i{instance}",
            "rubric_id": f"r{rubric}",
            "paradigm": "single_rubric",
            "status": "ok",
            "trial": 0,
        }
        number = judge + 2 * generator + 3 * instance + 5 * rubric
        if judge == 2 and instance != 4:
            continue
        if number % 11 == 0:
            rows += [row | {"trial": trial, "status": "unparsed", "met": None} for trial in range(2)]
        elif number % 7 == 0:
            rows += [
                row | {"trial": trial, "met": bool(met) ^ (trial == 2)} for trial in range(number % 3 + 1)
            ]
        else:
            rows.append(row | {"met": bool(met)})
    return rows[::-1]


def written(store: Store, name: str, parts: list[list[dict[str, object]]]) -> Study:
    """Write a study of eight instances, the last without a rubric, with each list of rows as a part."""
    tables = {
        "models": pa.table({"model": ["a", "b", "c"], "family": ["a", "b", "c"]}),
        "instances": pa.table({"instance_id": [f"i{number}" for number in range(8)]}),
        "rubrics": pa.table(
            {
                "instance_id": [f"i{instance}" for instance in range(7) for _ in range(11)],
                "rubric_id": [f"r{rubric}" for _ in range(7) for rubric in range(11)],
            }
        ),
    }
    for number, rows in enumerate(parts):
        tables["judgments"] = pa.Table.from_pylist(rows)
        store.write(name, tables, StudyInfo(), mode="append" if number else "new")
    return Study.open(Path(store.root) / name)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def awkward(store: Store) -> Study:
    """Write them in three parts, each with rows of all judges and instances, unsorted."""
    rows = awkward_rows()
    return written(store, "mixed", [rows[number::3] for number in range(3)])


@pytest.fixture(scope="module", params=["judge", "instance_id"])
def sorted_by(store: Store, request: pytest.FixtureRequest) -> tuple[str, Study]:
    """Write a part for each judge, or for each instance; return the column and the study."""
    rows, column = awkward_rows(), request.param
    names = sorted({str(row[column]) for row in rows})
    parts = [[row for row in rows if row[column] == name] for name in names]
    return column, written(store, column, parts)


def assert_same(actual: VerdictCube, expected: VerdictCube) -> None:
    one, two = pack(actual), pack(expected)
    assert one.facts == two.facts
    for name, values in two.arrays.items():
        np.testing.assert_array_equal(one.arrays[name], values, name)
        assert one.arrays[name].dtype == values.dtype, name


@pytest.mark.parametrize("count", [1, 2, 3, 8, 50])
@pytest.mark.parametrize("repeats", ["majority", "first"])
def test_shards_concatenated_equal_the_whole(awkward: Study, count: int, repeats: str) -> None:
    selection = Selection(paradigm="single_rubric", repeats=repeats)  # type: ignore[arg-type]

    cube = build(awkward.files, awkward.index, selection, judges="abc", count=count)

    assert_same(cube, read_verdicts(awkward.files, awkward.index, selection))


def test_shards_follow_the_order_of_the_rows(sorted_by: tuple[str, Study]) -> None:
    column, study = sorted_by

    shards = cut(study.files, study.index, SINGLE, "abc", 3)
    cube = build(study.files, study.index, SINGLE, judges="abc", count=3)

    ends = [(0, 8), (0, 8), (0, 8)] if column == "judge" else [(0, 2), (2, 5), (5, 8)]
    judges = [("a",), ("b",), ("c",)] if column == "judge" else [None, None, None]
    assert [(shard.first, shard.last) for shard in shards] == ends
    assert [shard.judges for shard in shards] == judges
    assert_same(cube, read_verdicts(study.files, study.index, SINGLE))


def test_a_study_without_matching_verdicts_is_packed_as_empty(awkward: Study) -> None:
    cube = build(awkward.files, awkward.index, Selection(paradigm="all_rubrics"), judges=[], count=3)

    assert cube.met.shape == (0, 0, awkward.index.layout.n_words)


def test_a_worker_that_cannot_reach_the_store_says_so(tmp_path: Path) -> None:
    shard = InstanceShard(str(tmp_path / "elsewhere"), "stamp", SINGLE, 0, 8)

    with pytest.raises(StoreError, match=r"a worker finds no study at .*elsewhere"):
        read_shard(shard)


def test_counts_of_the_parts_sum_to_those_of_the_study(awkward: Study) -> None:
    pieces = [Inventory.read(awkward.files, [part]) for part in awkward.files.parts()]

    assert len(pieces) == 3
    assert Inventory.merge(pieces) == awkward.inventory


def packed_files(study: Study) -> dict[str, bytes]:
    folder = Path(study.files.location.path).parent / ".packed" / study.name
    return {path.name: path.read_bytes() for path in folder.glob("*")}


@pytest.mark.filterwarnings("ignore")  # Dask's own
def test_a_cluster_packs_the_same_as_one_machine(awkward: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_cache, "LEAST_BYTES", 0)
    folder = Path(awkward.files.location.path).parent / ".packed"
    local, alone = list(prebuild_cache(awkward.files)), packed_files(awkward)
    shutil.rmtree(folder)

    with two_workers() as cluster:
        remote = list(prebuild_cache(awkward.files, cluster.scheduler_address))
    together = packed_files(awkward)
    shutil.rmtree(folder)

    assert local == remote == [CachedSelection(SINGLE, judges=3, generators=3, verdicts=local[0].verdicts)]
    assert len(alone) == 2  # the verdicts and the inventory
    assert together == alone
