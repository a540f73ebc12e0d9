"""What is prepared before the first call: the study, from what the configuration names as its data."""

import json
from pathlib import Path

import pytest
from collect.run.small import config, config_text, write_folder

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import parse_config
from engine.collect.plan import prepare
from engine.collect.plan.prepare import prepare_study
from engine.errors import UsageError
from engine.store import Store


def questions(tmp_path: Path, *ids: str, name: str = "q.jsonl", column: str = "prompt") -> Path:
    path = tmp_path / name
    rows = [{"id": each, column: f"Question {each}?"} for each in ids]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def of_file(path: Path, *, more: str = "") -> RunConfig:
    return config(path, paradigms=["pairwise"], more=more)


def names(store: Store, table: str, column: str) -> list[str]:
    return sorted(store.open("s").table(table).column(column).to_pylist())


def test_a_file_of_questions_becomes_a_study_of_the_configurations_models(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")

    study = prepare_study(store, of_file(questions(tmp_path, "x", "y")))

    assert names(store, "instances", "instance_id") == ["x", "y"]
    assert names(store, "models", "model") == ["a", "b"]
    assert study.info.dataset == "q.jsonl"
    assert not store.open("s").has("rubrics")


def test_the_same_file_may_be_given_again_and_another_not(tmp_path: Path) -> None:
    store = Store(tmp_path / "store")
    prepare_study(store, of_file(questions(tmp_path, "x", "y")))

    again = prepare_study(store, of_file(questions(tmp_path, "x", "y")))

    assert again.table("instances").num_rows == 2
    other = questions(tmp_path, "y", "z", "w", name="other.jsonl")
    with pytest.raises(
        UsageError,
        match=r"has other questions than 'other.jsonl' \(1 that the file lacks; it lacks 2 of the file\)",
    ):
        prepare_study(store, of_file(other))
    fewer = questions(tmp_path, "x", name="fewer.jsonl")
    with pytest.raises(UsageError, match=r"\(1 that the file lacks; it lacks 0 of the file\)"):
        prepare_study(store, of_file(fewer))


def test_a_column_that_must_be_named_is_suggested_as_the_configuration_writes_it(tmp_path: Path) -> None:
    path = questions(tmp_path, "x", "y", column='Frage "1"')

    with pytest.raises(UsageError, match=r"^data: ") as refused:
        prepare_study(Store(tmp_path / "store"), of_file(path))

    remedy = r'name it in the configuration, such as columns = { prompt = "Frage \"1\"" }'
    assert str(refused.value).endswith(remedy)
    assert Store(tmp_path / "store").studies() == []


def test_a_folder_becomes_a_study_with_the_models_that_it_lacks(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "data", instances=2)
    (folder / "models.jsonl").write_text('{"model": "a", "family": "x"}\n')
    store = Store(tmp_path / "store")

    study = prepare_study(store, config(folder))

    models = {row["model"]: row["family"] for row in study.table("models").to_pylist()}
    assert models == {"a": "x", "b": "b"}
    assert study.info.dataset == "data"
    assert study.table("responses").num_rows == 4
    (folder / "models.jsonl").unlink()
    (folder / "responses.jsonl").unlink()
    without = prepare_study(Store(tmp_path / "other"), config(folder))
    assert {row["model"] for row in without.table("models").to_pylist()} == {"a", "b"}


def test_of_a_stored_study_all_but_its_judgments_and_title_is_taken(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "data", instances=2)
    judged = {"judge": "a", "paradigm": "single_rubric", "generator": "b", "instance_id": "i00000"}
    line = json.dumps({**judged, "rubric_id": "r0", "met": True})
    (folder / "judgments.jsonl").write_text(f"{line}\n")
    (folder / "study.json").write_text(json.dumps({"title": "Of others", "dataset": "theirs"}))
    first = Store(tmp_path / "first")
    whole = prepare_study(first, config(folder))

    copy = prepare_study(Store(tmp_path / "second"), config(Path(str(whole.location.path))))

    assert whole.table("judgments").num_rows == 1
    assert (copy.has("judgments"), copy.table("responses").num_rows) == (False, 4)
    assert (whole.info.title, copy.info.title) == ("Of others", None)
    assert whole.info.dataset == copy.info.dataset == "theirs"


def test_a_new_model_is_added_to_a_study_and_a_family_must_agree(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "data", instances=1)
    store = Store(tmp_path / "store")
    prepare_study(store, config(folder))
    third = "[models.c]\nmodel = 'openai/c'\nfamily = 'z'"

    more = prepare_study(store, config(folder, judges=["a", "c"], more=third))

    assert {row["model"]: row["family"] for row in more.table("models").to_pylist()} == {
        "a": "x", "b": "y", "c": "z",
    }  # fmt: skip
    assert prepare_study(store, config(folder, a="family = 'x'")).table("models").num_rows == 3
    with pytest.raises(UsageError, match=r"models\.b\.family is 'w', and the study has 'y'; make them agree"):
        prepare_study(store, config(folder, b="family = 'w'"))
    with pytest.raises(UsageError, match=r"models\.b\.family is 'w', and the study has 'y'"):
        prepare_study(Store(tmp_path / "new"), config(folder, b="family = 'w'"))


def test_without_data_the_study_must_exist(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "data", instances=1)
    text = config_text(folder).replace(f"data = {json.dumps(str(folder))}\n", "")
    store = Store(tmp_path / "store")

    with pytest.raises(
        UsageError,
        match=r"there is no 's' in the store .* it holds none; .* the file of its questions as data",
    ):
        prepare_study(store, parse_config(text))
    prepare_study(store, config(folder))
    assert prepare_study(store, parse_config(text)).name == "s"
    with pytest.raises(UsageError, match=r"there is no 't' in the store .*; choose from: s; or"):
        prepare_study(store, parse_config(text.replace('study = "s"', 'study = "t"')))


def test_a_dataset_that_is_no_file_is_fetched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched = []

    def fetch(data: str, store: Store, study: str) -> None:
        fetched.append((data, study))
        prepare._create_from_folder(store, config(write_folder(tmp_path / "data", instances=1)))

    monkeypatch.setattr("engine.importers.datasets.catalogue.fetch", fetch)
    text = config_text(tmp_path / "data").replace(json.dumps(str(tmp_path / "data")), '"ifeval"')
    store = Store(tmp_path / "store")

    for _ in range(2):
        assert prepare_study(store, parse_config(text)).name == "s"
    assert fetched == [("ifeval", "s")]
