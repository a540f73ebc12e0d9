"""Simultaneous visitors of a study share one copy of its arrays."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import streamlit as st
from explorer_studies import PLANS, write

from engine.arrays import study_arrays
from engine.arrays.bits import verdicts
from engine.arrays.bits.verdicts import VerdictCube
from engine.arrays.judgment_rows import Selection
from engine.arrays.slicing.resolve import resolve
from engine.arrays.truths.reference_planes import Planes
from engine.report.exhibit import PinnedView, pin, pins_of
from engine.slices import Slice
from engine.study import Study
from explorer import data

ROOT = Path(__file__).resolve().parents[2]
VISITORS = 8


def test_simultaneous_visitors_share_one_copy_of_a_studys_arrays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write(tmp_path, "plain", PLANS["plain"])
    key = data.key_of(data.files(str(tmp_path), "plain"))
    barrier, calls, cached_verdicts = threading.Barrier(VISITORS), [], verdicts.cached_verdicts
    monkeypatch.setattr(
        study_arrays,
        "cached_verdicts",
        lambda *arguments: calls.append(arguments) or cached_verdicts(*arguments),
    )

    def look(_: int) -> Planes:
        barrier.wait()
        study = data.study(key)
        request = resolve(study, Slice.of(paradigm="single_rubric"))
        cube = study.cube(request.selection)
        assert isinstance(cube, VerdictCube)
        return study.planes(cube, request)

    with ThreadPoolExecutor(VISITORS) as pool:
        results = list(pool.map(look, range(VISITORS)))

    assert len(calls) == 1
    assert all(planes is results[0] for planes in results)


def test_a_measure_is_computed_once_with_and_without_its_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = data.key_of(data.files(str(ROOT / "results"), "demo-health"))
    measures, compute = [], Study.result
    monkeypatch.setattr(
        Study,
        "result",
        lambda *arguments, **options: measures.append(arguments[1].name) or compute(*arguments, **options),
    )
    st.cache_data.clear()

    results = [data.result(key, "hspp"), data.result(key, "hspp", ()), data.result(key, "hspp", (), by=None)]

    assert measures == ["hspp"]
    assert results[0].rows == results[1].rows == results[2].rows


def test_a_view_pinned_meanwhile_is_read_without_another_copy_of_the_arrays(tmp_path: Path) -> None:
    write(tmp_path, "plain", PLANS["plain"])
    study, selection = Study.open(tmp_path / "plain"), Selection(paradigm="single_rubric")
    cube = study.cube(selection)
    pin(study.files, PinnedView("slice", {}), "A view")

    now = study.as_now()

    assert [each.title for each in pins_of(now.info)] == ["A view"]
    assert now.cube(selection) is cube
