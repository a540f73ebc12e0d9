"""The published study's page: read if unchanged, refused if its format differs."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import BadInputError, SpbError, UsageError
from engine.importers.datasets.catalogue import catalogue, catalogue_path, fetch
from engine.importers.datasets.published_studies import import_dashboard
from engine.store import Store

PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "rubric-self-preference"
needs_published = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="needs the published study at ../shared/data/rubric-self-preference"
)


def small_page() -> dict[str, Any]:
    """Two models, two instances, three rubrics (two and one)."""
    return {
        "generators": ["a", "b"],
        "modelToFamily": {"a": "x", "b": "y"},
        "rubricCounts": [2, 1],
        "refRubricFlat": {"a": "101", "b": "010"},
        "srRubricFlat": {"a|a": "110", "a|b": "0?1"},
        "arRubricFlat": {"b|a": "111"},
        "daScores": {"a|b": [0.5, None]},
        "pwcOutcomes": {"a|a|b": "XT", "b|a|b": "Y-"},
        "rubricPointsFlat": [1, 1, 2],
        "rubricLengthsFlat": [10, 20, 30],
        "instructionIdNames": ["keywords:existence", "startend:quotation"],
        "rubricInstructionIdsFlat": [1, 2, 1],
        "defaultJudges": ["a"],
    }


def write_page(path: Path, data: object) -> Path:
    path.write_text(f"<script>\nconst DATA = {json.dumps(data)};\nrender(DATA);</script>", "utf-8")
    return path


def test_a_small_page_becomes_its_tables(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")

    report = import_dashboard(write_page(tmp_path / "dashboard.html", small_page()), store, "s")

    files = store.open("s")
    assert files.table("models", ["model", "family"]).to_pylist() == [
        {"model": "a", "family": "x"},
        {"model": "b", "family": "y"},
    ]
    rubrics = files.table("rubrics", ["instance_id", "rubric_id", "points", "axis", "checker", "length"])
    assert [tuple(row.values()) for row in rubrics.to_pylist()] == [
        ("ifeval-000", "0", 1.0, "keywords", "keywords:existence", 10),
        ("ifeval-000", "1", 1.0, "startend", "startend:quotation", 20),
        ("ifeval-001", "0", 2.0, "keywords", "keywords:existence", 30),
    ]
    assert files.table("references")["met"].to_pylist() == [True, False, True, False, True, False]
    judgments = files.table(
        "judgments", ["paradigm", "generator", "met", "score", "choice", "first", "status"]
    )
    assert [tuple(row.values()) for row in judgments.to_pylist()] == [
        ("single_rubric", "a", True, None, None, None, "ok"),
        ("single_rubric", "a", True, None, None, None, "ok"),
        ("single_rubric", "a", False, None, None, None, "ok"),
        ("single_rubric", "b", False, None, None, None, "ok"),
        ("single_rubric", "b", None, None, None, None, "unparsed"),
        ("single_rubric", "b", True, None, None, None, "ok"),
        ("all_rubrics", "a", True, None, None, None, "ok"),
        ("all_rubrics", "a", True, None, None, None, "ok"),
        ("all_rubrics", "a", True, None, None, None, "ok"),
        ("direct_assessment", "b", None, 0.5, None, None, "ok"),
        ("direct_assessment", "b", None, None, None, None, "unparsed"),
        ("pairwise", "a", None, None, "generator", None, "ok"),
        ("pairwise", "a", None, None, "tie", None, "ok"),
        ("pairwise", "a", None, None, "opponent", None, "ok"),
        ("pairwise", "a", None, None, None, None, "unparsed"),
    ]
    assert report.warnings == [
        "srRubricFlat: 1 places hold no verdict",
        "daScores: 1 places hold no verdict",
        "pwcOutcomes: 1 places hold no verdict",
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"srRubricFlat": None}, "srRubricFlat"),
        ({"srRubricFlat": {"a|a": "11"}}, "3 characters"),
        ({"srRubricFlat": {"a": "111"}}, "judge|generator"),
        ({"refRubricFlat": {"a": "101"}}, "the model 'b'"),
        ({"daScores": {"a|b": [0.5]}}, "2 numbers"),
        ({"daScores": {"a|b": [0.5, "high"]}}, "'high'"),
        ({"pwcOutcomes": {"a|b": "XX"}}, "judge|x|y"),
        ({"rubricCounts": {"a": 1}}, "rubricCounts"),
        ({"rubricInstructionIdsFlat": [1, 2, 4]}, "a bit mask"),
        ({"modelToFamily": {"a": "x"}}, "modelToFamily['b']"),
    ],
)
def test_a_changed_format_is_refused_with_the_expected_form(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    page = write_page(tmp_path / "dashboard.html", {**small_page(), **change})

    with pytest.raises(BadInputError) as caught:
        import_dashboard(page, Store(tmp_path / "store"), "s")

    assert words in str(caught.value)
    assert "expected" in str(caught.value)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    "field", [name for name in small_page() if name not in ("defaultJudges", "rubricPointsFlat")]
)
def test_a_missing_field_is_refused_by_name(tmp_path: Path, field: str) -> None:
    data = small_page()
    del data[field]

    with pytest.raises(BadInputError, match=f"field '{field}' is missing; expected"):
        import_dashboard(write_page(tmp_path / "dashboard.html", data), Store(tmp_path / "store"), "s")


@pytest.mark.parametrize(
    "text", ["", "<html></html>", "const DATA = [1]", "const DATA = {", "const DATA = {x: 1}"]
)
def test_a_page_without_the_object_is_refused(tmp_path: Path, text: str) -> None:
    page = tmp_path / "dashboard.html"
    page.write_text(text)

    with pytest.raises(BadInputError, match="expected one JSON object after `const DATA =`"):
        import_dashboard(page, Store(tmp_path / "store"), "s")


def published_page() -> dict[str, Any]:
    """The page's object reassembled from the study's tables."""
    models, rubrics, references, judgments = (
        pq.read_table(PUBLISHED / f"{name}.parquet").to_pylist()
        for name in ("models", "rubrics", "references", "judgments")
    )
    counts: dict[str, int] = {}
    for row in rubrics:
        counts[row["instance_id"]] = counts.get(row["instance_id"], 0) + 1
    names = sorted({row["checker"] for row in rubrics})
    page: dict[str, Any] = {
        "generators": [row["model"] for row in models],
        "modelToFamily": {row["model"]: row["family"] for row in models},
        "rubricCounts": list(counts.values()),
        "refRubricFlat": {},
        "srRubricFlat": {},
        "arRubricFlat": {},
        "daScores": {},
        "pwcOutcomes": {},
        "rubricPointsFlat": [row["points"] for row in rubrics],
        "rubricLengthsFlat": [row["length"] for row in rubrics],
        "instructionIdNames": names,
        "rubricInstructionIdsFlat": [1 << names.index(row["checker"]) for row in rubrics],
        "defaultJudges": [],
    }
    for row in references:
        verdicts = page["refRubricFlat"].get(row["generator"], "")
        page["refRubricFlat"][row["generator"]] = verdicts + str(int(row["met"]))
    for row in judgments:
        key = f"{row['judge']}|{row['generator']}"
        if row["paradigm"] == "single_rubric":
            page["srRubricFlat"][key] = page["srRubricFlat"].get(key, "") + str(int(row["met"]))
        else:
            page["daScores"].setdefault(key, []).append(row["score"])
    return page


@needs_published
def test_the_published_page_becomes_the_published_tables(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")

    report = import_dashboard(write_page(tmp_path / "dashboard.html", published_page()), store)

    files = store.open("rubric-self-preference")
    for name in ("models", "instances", "rubrics", "references", "judgments"):
        expected = pq.read_table(PUBLISHED / f"{name}.parquet")
        table = files.table(name, expected.column_names)
        assert _sorted(table) == _sorted(expected.cast(_plain(table)))
    assert report.warnings == []
    assert files.info.committees["five-largest"].members == [
        "gemma_3_27b_it",
        "llama_4_maverick_17b_128e_instruct",
        "qwen3_235b_instruct",
        "gpt_5",
        "claude_4_5_sonnet",
    ]


def _plain(table: pa.Table) -> pa.Schema:
    kinds = [f.type.value_type if pa.types.is_dictionary(f.type) else f.type for f in table.schema]
    return pa.schema(list(zip(table.column_names, kinds, strict=True)))


def _sorted(table: pa.Table) -> pa.Table:
    plain = table.cast(_plain(table))
    keys = [name for name in plain.column_names if pa.types.is_string(plain.schema.field(name).type)]
    return plain.sort_by([(name, "ascending") for name in keys]).combine_chunks()


def test_the_catalogue_names_the_published_study() -> None:
    entry = catalogue()["rubric-self-preference"]

    assert entry.sha256 == "56ddbdab0fa17c49d1a529c93af13819e7454943011b6fb2a42fdb600bbe8c52"
    assert "0d4ca1ad63763c00119164f57844cd324dee1fad/sandbox/dashboard.html" in entry.url


def test_a_wrong_checksum_is_a_warning_with_from(tmp_path: Path) -> None:
    page = write_page(tmp_path / "dashboard.html", small_page())
    store = Store(tmp_path / "store")

    report = fetch("rubric-self-preference", store, origin=str(page))

    assert "another version" in report.warnings[0]
    assert store.studies() == ["rubric-self-preference"]


def test_a_wrong_checksum_is_an_error_for_a_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = write_page(tmp_path / "dashboard.html", small_page())
    offline_catalogue(tmp_path, monkeypatch, page, "0" * 64)

    with pytest.raises(
        BadInputError, match=f"{hashlib.sha256(page.read_bytes()).hexdigest()}, the catalogue has 0+"
    ):
        fetch("rubric-self-preference", Store(tmp_path / "store"))

    assert not (tmp_path / "store").exists()


def test_a_download_with_the_correct_checksum_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write_page(tmp_path / "dashboard.html", small_page())
    offline_catalogue(tmp_path, monkeypatch, page, hashlib.sha256(page.read_bytes()).hexdigest())
    sizes: list[int] = []

    report = fetch(
        "rubric-self-preference",
        Store(tmp_path / "store"),
        "mine",
        progress=lambda size, _: sizes.append(size),
    )

    assert report.study is not None
    assert report.study.endswith("mine")
    assert sizes[-1] == page.stat().st_size


def offline_catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: Path, sha256: str) -> None:
    text = catalogue_path().read_text("utf-8")
    entry = catalogue()["rubric-self-preference"]
    copy = tmp_path / "catalogue.toml"
    copy.write_text(text.replace(entry.url, page.as_uri()).replace(entry.sha256, sha256), "utf-8")
    monkeypatch.setattr("engine.importers.datasets.catalogue.catalogue_path", lambda: copy)


def test_an_unknown_data_set_is_refused_with_the_choices(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown data set 'zz'; choose from: rubric-self-preference"):
        fetch("zz", Store(tmp_path / "store"))


def test_a_download_that_fails_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SpbError, match=r"could not be downloaded: .* give a file with --from"):
        fetch("rubric-self-preference", Store(tmp_path / "store"), origin="http://127.0.0.1:9/x")


def test_an_existing_study_is_refused_before_anything_is_downloaded(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    fetch("rubric-self-preference", store, origin=str(write_page(tmp_path / "dashboard.html", small_page())))

    with pytest.raises(UsageError, match="exists already"):
        fetch("rubric-self-preference", store, origin="http://127.0.0.1:9/x")
