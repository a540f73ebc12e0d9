"""A study stores its run's templates, so that the prompts sent can be reconstructed."""

import json
from pathlib import Path

from collect.run.small import FakeModels, config

from engine.collect.calls import Failure, Reply
from engine.collect.plan.study_texts import Library
from engine.collect.rows.rebuilt_prompts import rebuild
from engine.collect.run.start import run
from engine.collect.run_options import RunOptions, Shard
from engine.store import Store
from engine.store.writer import validate_study

PARADIGMS = ["single_rubric", "all_rubrics", "direct_assessment", "pairwise"]


def hashes(store: Store) -> list[str]:
    digests: list[str] = store.open("s").table("templates")["template_sha256"].to_pylist()
    return digests


def unreadable(model: str, prompt: str) -> Reply:
    del model, prompt
    return Reply("no verdict")


def test_the_prompts_of_a_run_are_reconstructed_as_sent(tmp_path: Path, folder: Path) -> None:
    store, models = Store(tmp_path / "store"), FakeModels(unreadable)

    run(config(folder, paradigms=PARADIGMS, orderings=["original", "reversed"]), store, models=models)

    study = store.open("s")
    library = Library(study)
    rebuilt = {
        (row["judge"], json.dumps(rebuild(library, row).messages))
        for row in study.table("judgments").to_pylist()
    }
    assert rebuilt == set(models.prompts)
    assert len(rebuilt) == 2 * (3 * 2 * 2 + 3 * 2 * 2 + 3 * 2 + 3 * 2)
    validate_study(study)


def test_the_prompts_that_a_stand_in_answered_are_reconstructed_too(tmp_path: Path, folder: Path) -> None:
    def answer(model: str, prompt: str) -> Reply | Failure:
        return Failure("server", "the server failed", 503) if model == "a" else unreadable(model, prompt)

    store, models = Store(tmp_path / "store"), FakeModels(answer)
    spare = "[models.spare]\nmodel = 'openai/spare'\nfamily = 'z'"

    run(config(folder, a="fallback = ['spare']", more=spare, paradigms=PARADIGMS), store, models=models)

    study = store.open("s")
    rows = [row for row in study.table("judgments").to_pylist() if row["judge"] == "spare"]
    rebuilt = {("spare", json.dumps(rebuild(Library(study), row).messages)) for row in rows}
    assert {row["stood_in_for"] for row in rows} == {"a"}
    assert rebuilt == {prompt for prompt in models.prompts if prompt[0] == "spare"}


def test_a_resumed_or_shared_run_writes_its_templates_once(tmp_path: Path, folder: Path) -> None:
    store = Store(tmp_path / "store")
    settings = config(folder, paradigms=["single_rubric"])

    for number in (1, 2):
        run(settings, store, RunOptions(shard=Shard(number, 2)), models=FakeModels())
    run(settings, store, models=FakeModels())
    run(config(folder, paradigms=["single_rubric", "pairwise"]), store, models=FakeModels())

    assert len(hashes(store)) == len(set(hashes(store))) == 2


def test_one_text_under_two_names_is_stored_once(tmp_path: Path, folder: Path) -> None:
    for name in ("mine", "yours"):
        (folder / f"{name}.txt").write_text("Is {{rubric}} met by {{response}}?", "utf-8")
    store, models = Store(tmp_path / "store"), FakeModels()

    variants = [str(folder / "mine.txt"), str(folder / "yours.txt")]
    run(config(folder, variants=variants), store, models=models)

    study = store.open("s")
    rows = study.table("judgments").to_pylist()
    assert len(hashes(store)) == 1
    assert {row["variant"] for row in rows} == {"mine", "yours"}
    assert all(rebuild(Library(study), row).messages for row in rows)
