"""A store on S3 opens from its packed arrays, and its judgments are read by byte range."""

import random
from collections.abc import Iterator

import pyarrow as pa
import pytest
from object_store import Fetched, url, watched

from engine.arrays import study_cache
from engine.store import Store, parts
from engine.store.study_files import StudyInfo
from engine.study import Study

JUDGES = [f"m{number}" for number in range(10)]
INSTANCES = [f"i{number:03d}" for number in range(250)]


@pytest.fixture(scope="module")
def watched_store(object_store: str) -> Iterator[tuple[str, list[Fetched]]]:
    """Write a study in row groups of one judge each, open it once, and record all later reads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_cache, "LEAST_BYTES", 0)
        patch.setattr(parts, "GROUP_ROWS", 2 * len(INSTANCES))
        store = Store(url(object_store, "results"))
        store.write("s", _tables(), StudyInfo())
        Study(store.open("s")).result("hspp", resamples=0)
        with watched(object_store) as (other, requests):
            yield url(other, "results/s"), requests


def _tables() -> dict[str, pa.Table]:
    """Return two generators' responses judged by ten models, each verdict with incompressible text."""
    words = random.Random(0)
    places = [(judge, generator, name) for judge in JUDGES for generator in JUDGES[:2] for name in INSTANCES]
    judges, generators, instances = zip(*places, strict=True)
    judged = {
        "judge": judges,
        "paradigm": ["single_rubric"] * len(places),
        "instance_id": instances,
        "generator": generators,
        "rubric_id": ["r"] * len(places),
        "met": [words.random() < 0.5 for _ in places],
        "explanation": [words.randbytes(100).hex() for _ in places],
    }
    truth = [(generator, name) for generator in JUDGES[:2] for name in INSTANCES]
    return {
        "models": pa.table({"model": JUDGES, "family": JUDGES}),
        "instances": pa.table({"instance_id": INSTANCES}),
        "rubrics": pa.table({"instance_id": INSTANCES, "rubric_id": ["r"] * len(INSTANCES)}),
        "references": pa.table(
            {
                "instance_id": [name for _, name in truth],
                "generator": [generator for generator, _ in truth],
                "rubric_id": ["r"] * len(truth),
                "source": ["program"] * len(truth),
                "met": [False] * len(truth),
            }
        ),
        "judgments": pa.table(judged),
    }


def test_a_study_on_s3_opens_without_fetching_a_judgment(watched_store):
    address, requests = watched_store
    requests.clear()

    result = Study.open(address).result("hspp", resamples=0)

    assert len(result.rows) > 0
    assert any("/.packed/s/" in request.key for request in requests)
    assert not [request for request in requests if "/judgments/" in request.key]


def test_the_words_of_one_judge_are_fetched_by_byte_range(watched_store):
    address, requests = watched_store
    files = Study.open(address).files
    total_bytes = sum(info.size for info in files.files() if "/judgments/" in info.path)
    requests.clear()

    rows = files.judgments(["explanation"], {"judge": ("m7",)})

    fetched = [request for request in requests if "/judgments/" in request.key]
    assert rows.num_rows == 500
    assert all(request.byte_range is not None for request in fetched)
    # A tenth of the words, and the footer with up to 64 kB before it.
    assert sum(request.size for request in fetched) < total_bytes / 4
    assert len(fetched) <= 4
