"""The prompt of a stored judgment."""

import pytest
from collect.plan.small import as_table, config, stored, tables

from engine.collect.calls import Reply
from engine.collect.paradigms import read
from engine.collect.plan.planning import make_plan
from engine.collect.plan.study_texts import Library
from engine.collect.rows.rebuilt_prompts import rebuild
from engine.paradigms import PARADIGMS
from engine.store import Store
from engine.store.study_files import StudyInfo

EVERY = list(PARADIGMS)


def _judged(folder, *, templates=True):
    study = stored(folder, tables(1))
    plan = make_plan(config(paradigms=EVERY, orderings=["reversed"]), study)
    prompts = {request.key: plan.messages(request) for request in plan}
    rows = [row | {"run_id": "run-1"} for request in plan for row in read(request, Reply("?"))]
    runs = [
        {
            "run_id": "run-1",
            "model": "a",
            "role": "judge",
            "paradigm": each.kind,
            "variant": each.variant,
            "template": each.file,
            "template_sha256": each.sha256,
        }
        for each in plan.templates
    ]
    added = {"runs": runs, "judgments": rows} | ({"templates": plan.template_rows()} if templates else {})
    Store(folder).write(
        "s", {name: as_table(part) for name, part in added.items()}, StudyInfo(), mode="append"
    )
    return Store(folder).open("s"), prompts


def test_every_prompt_is_reconstructed_word_for_word(tmp_path):
    study, prompts = _judged(tmp_path)
    library = Library(study)

    rows = study.table("judgments").to_pylist()

    assert {row["paradigm"] for row in rows} == set(EVERY)
    for row in rows:
        assert list(rebuild(library, row).messages or ()) == prompts[row["call_id"]]


def test_an_imported_judgment_has_a_reason_instead_of_a_prompt(tmp_path):
    study, _ = _judged(tmp_path)
    row = study.table("judgments").to_pylist()[0] | {"run_id": "import"}

    rebuilt = rebuild(Library(study), row)

    assert rebuilt.messages is None
    assert "which template" in rebuilt.reason


@pytest.mark.parametrize("change", [{"call_id": "other"}, {"call_id": None}, {"trial": 3}])
def test_a_prompt_that_may_have_differed_is_not_shown(tmp_path, change):
    study, _ = _judged(tmp_path)
    row = study.table("judgments").to_pylist()[0] | change

    assert rebuild(Library(study), row).messages is None


def test_a_study_without_the_templates_text_says_so(tmp_path):
    study, _ = _judged(tmp_path, templates=False)

    rebuilt = rebuild(Library(study), study.table("judgments").to_pylist()[0])

    assert rebuilt.reason == "the study does not have its template"
