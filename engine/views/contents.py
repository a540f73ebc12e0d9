"""What a study holds: how many of each thing, and where it comes from."""

from typing import TYPE_CHECKING

from engine.findings.commands import command_words
from engine.importers.reading.rows import different_criteria
from engine.phrases import criteria, join_names, quantity
from engine.views.keys import NoKeys
from engine.views.shown import Shown
from engine.views.view import View
from engine.words.provenance import provenance_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.store.study_files import StudyInfo


def sizes_of(study: "MeasuredStudy") -> dict[str, int]:
    """Return the number of models, families, questions and so on, by the noun in the singular."""
    if study.only_runs:
        return _sizes_of_runs(study)
    index = study.index
    families = {name for name in index.model_fields["family"] if name is not None}
    return {
        "model": len(index.models),
        "family": len(families),
        "question": index.n_instances,
        "criterion": index.n_rubrics,
        "answer": len(study.files.table("responses", ["instance_id"])),
        "judgment": study.inventory.total(),
    }


def _sizes_of_runs(study: "MeasuredStudy") -> dict[str, int]:
    """Return the same of what some runs judged."""
    columns = ["judge", "generator", "opponent", "instance_id", "rubric_id"]
    judged = study.files.judgments(columns, {"run_id": study.only_runs})

    def distinct(*names: str) -> set[tuple[str, ...]]:
        rows = judged.group_by(list(names)).aggregate([]).to_pylist()
        return {tuple(row[name] for name in names) for row in rows if None not in row.values()}

    answers = distinct("generator", "instance_id") | distinct("opponent", "instance_id")
    models = {model for model, _ in answers} | {judge for (judge,) in distinct("judge")}
    families = study.families()
    return {
        "model": len(models),
        "family": len({families[model] for model in models} - {None}),
        "question": len(distinct("instance_id")),
        "criterion": len(distinct("instance_id", "rubric_id")),
        "answer": len(answers),
        "judgment": study.inventory.total(),
    }


def _different_criteria(study: "MeasuredStudy") -> int:
    """Return the number of criteria, those that several questions have counted once."""
    rows = study.files.table("rubrics", ["instance_id", "rubric_id", "criterion"]).to_pylist()
    if study.only_runs:
        judged = study.files.judgments(["instance_id", "rubric_id"], {"run_id": study.only_runs})
        things = {tuple(row.values()) for row in judged.to_pylist()}
        rows = [row for row in rows if (row["instance_id"], row["rubric_id"]) in things]
    return different_criteria(rows)


def answer(study: "MeasuredStudy", _: NoKeys) -> Shown:
    """Show the counts of the study, and where it comes from."""
    info = study.info
    sizes = sizes_of(study)
    parts = {thing: quantity(count, thing) for thing, count in sizes.items() if count}
    if "criterion" in parts:
        parts["criterion"] = criteria(sizes["criterion"], _different_criteria(study))
    counts = ", ".join(parts.values())
    facts = {
        "name": study.name,
        "provenance": provenance_words(info),
        "data set": _data_sets(info),
        "licence": info.licence,
        "source": info.source,
        "created": (info.created_at or "").partition("T")[0],
        "notes": info.notes,
    }
    return Shown(
        sentences=(f"{counts}.",) if counts else (),
        basis=tuple(f"{name}: {fact}" for name, fact in facts.items() if fact),
        commands=(command_words(("study", "info"), study.name, {}),),
    )


def _data_sets(info: "StudyInfo") -> str | None:
    """Return the data set's name, or the files' where several were imported."""
    files = list(dict.fromkeys(each.file for each in info.imports or ()))
    return join_names(files) if len(files) > 1 else info.dataset


CONTENTS = View("contents", "The study", "What does the study hold, and where is it from?", NoKeys, answer)
