"""Studies and labels written by earlier versions: they stay readable and give the same results."""

import hashlib
import shutil
from pathlib import Path

import pytest

import engine
from engine import schema
from engine.annotations.agreement import agreement
from engine.annotations.database import Database
from engine.annotations.people import add_person, person_with_email
from engine.conclusions import OF_JUDGE
from engine.report.exhibit import exhibit_of
from engine.store.study_files import Pin, StudyFiles
from engine.store.writer import validate_study

ARCHIVES = Path(__file__).parents[1] / "data" / "archives"
VERSIONS = range(1, schema.SCHEMA_VERSION + 1)


@pytest.fixture(params=VERSIONS)
def archived(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the study that the version wrote."""
    name = f"schema-{request.param}"
    return Path(shutil.copytree(ARCHIVES / name, tmp_path / name))


@pytest.fixture(params=["annotations-1.db", "annotations-2.db"])
def labels(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """The labels that the version wrote, opened."""
    path = shutil.copy(ARCHIVES / request.param, tmp_path)
    return Database(f"sqlite:///{path}")


def test_the_archives_are_unchanged() -> None:
    lines = (ARCHIVES / "SHA256SUMS").read_text().splitlines()
    checksums = dict(reversed(line.split(maxsplit=1)) for line in lines)

    sums = {
        f"./{path.relative_to(ARCHIVES).as_posix()}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in ARCHIVES.rglob("*")
        if path.is_file() and path.name != "SHA256SUMS"
    }

    assert sums == checksums


def test_every_table_of_an_archived_study_exists_and_is_sound(archived: Path) -> None:
    reports = validate_study(StudyFiles.at(archived))

    assert {report.name: report.rows for report in reports} == {
        "models": 3,
        "instances": 4,
        "rubrics": 8,  # a verdict and a score on each instance
        "responses": 12,  # 3 models on 4 instances
        "references": 24,
        "preferences": 4,
        "pairs": 1,
        "runs": 2,
        "judgments": 41,  # 2 judges x 12 verdicts, 1 unparsed, 4 assessments, 4 scores, 4 pairs in 2 orders
        "annotations": 1,
    }


def test_measures_of_an_archived_study_match_hand_arithmetic(archived: Path) -> None:
    study = engine.open_study(str(archived))

    ratios = study.measure("hspp", paradigm="single_rubric", resamples=20).set_index("judge")
    orders = study.measure("order-effect", resamples=20).set_index("judge")

    # All 4 responses of each model failed their rubric in truth. Judge a passes 3 of its own, 2 of its
    # relative b and 1 of the stranger c: (3/4) / (1/4) and (2/4) / (1/4). Judge c passes 2 of its own and 1
    # of a and b each, strangers both: (2/4) / (1/4).
    assert ratios.loc["a", "hspp_self"] == pytest.approx(3.0)
    assert ratios.loc["a", "hspp_family"] == pytest.approx(2.0)
    assert ratios.loc["c", "hspp_self"] == pytest.approx(2.0)
    # Judge a keeps its choice in 3 of 4 pairs, and calls 1 of 8 shown pairs a tie.
    assert orders.loc["a", "firm_share"] == pytest.approx(3 / 4)
    assert orders.loc["a", "tie_share"] == pytest.approx(1 / 8)


def test_what_was_saved_with_an_archived_study_is_kept(archived: Path) -> None:
    info = StudyFiles.at(archived).info

    assert info.committees["both"].members == ["a", "c"]
    assert info.slices == {"facts": {"axis": ["facts"]}}
    assert [pin.title for pin in info.stories["main"]] == ["By axis"]


def test_archived_labels_match_hand_arithmetic_and_accept_newer_features(labels: Database) -> None:
    result = agreement(labels, "t", resamples=0)
    add_person(labels, "cy", email="cy@example.org")
    person = person_with_email(labels, "cy@example.org")
    labels.close()

    # Two people labelled 4 pairs: ann `generator` 4 times, bo 3 times and `opponent` once: they agree on 3 of
    # 4. By chance two of the 8 labels would agree on (7/8)^2 + (1/8)^2 = 50/64 (Fleiss), and a label of each
    # on 1 x 3/4 (Cohen): (48 - 50) / (64 - 50) = -1/7, and (3/4 - 3/4) / (1 - 3/4) = 0.
    assert person is not None
    assert (result.items, result.labels) == (4, 8)
    assert result.kappa.value == pytest.approx(-1 / 7)
    assert result.pairs["ann", "bo"].value == pytest.approx(0)


def test_a_study_of_version_0_2_opens_and_is_concluded_on_anew() -> None:
    study = engine.open_study(ARCHIVES / "version-0-2")

    group, *judges = study.result("scorecard").rows

    assert group["judge"] is None
    assert [row["judge"] for row in judges] == ["m00", "m01", "m02", "m03", "m04", "m05"]
    assert {row["conclusion"] for row in judges} <= set(OF_JUDGE)


@pytest.mark.parametrize(
    "pin",
    StudyFiles.at(ARCHIVES / "version-0-2").info.stories["main"],
    ids=lambda pin: f"{pin.page}-{pin.id}",
)
def test_what_version_0_2_pinned_is_still_shown(pin: Pin) -> None:
    shown = exhibit_of(engine.open_study(ARCHIVES / "version-0-2"), pin)

    assert not [text for text in shown.problems if "no page" in text or "could not be computed" in text]
    lacks_pairs = pin.page in ("order_effects", "equal_quality", "quality_baseline")
    lacks_kinds = pin.view.get("part") == ["slices"]
    assert bool(shown.sentences or shown.table) != (lacks_pairs or lacks_kinds)
