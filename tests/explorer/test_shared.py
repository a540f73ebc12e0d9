"""People who look at one study at once share one copy of its arrays."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engine import arrays
from engine.cubes.planes import Planes
from engine.cubes.verdicts import VerdictCube
from engine.request import settle
from engine.slices import Slice
from explorer import data

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = 8


def test_people_who_come_at_once_share_one_copy_of_a_studys_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    data.study.clear()
    key = data.key_of(data.files(str(ROOT / "results"), "demo-health"))
    together, read, reads = threading.Barrier(PEOPLE), [], arrays.kept_verdicts
    monkeypatch.setattr(arrays, "kept_verdicts", lambda *told: read.append(told) or reads(*told))

    def look(_: int) -> Planes:
        together.wait()
        study = data.study(key)
        request = settle(study, Slice.of(paradigm="single_rubric"))
        cube = study.cube(request.selection)
        assert isinstance(cube, VerdictCube)
        return study.planes(cube, request)

    with ThreadPoolExecutor(PEOPLE) as pool:
        seen = list(pool.map(look, range(PEOPLE)))

    assert len(read) == 1
    assert all(planes is seen[0] for planes in seen)
