"""What a configuration leaves out and is clear all the same: tables of models, and the study's paradigm.

It is added to the text of the configuration, so that what is stored with a run says it all.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import tomli_w

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.named_models import (
    has_known_provider,
    likely_name,
    models_by_name,
    needs_address,
)
from engine.errors import UsageError, names_of_store
from engine.paradigms import PARADIGMS, TRAITS, Paradigm
from engine.phrases import join_names
from engine.store import FOLDER_GIVEN, Store
from engine.store.location import check_name
from engine.store.publish import is_study
from engine.store.study_files import StudyFiles
from engine.wording import Sentence, list_of_studies

_JUDGE_FIELDS = ("judges", "quality_judges", "gold_judges")


@dataclass(frozen=True)
class StoredStudy:
    """The study that a configuration names, as far as it answers what the configuration leaves out."""

    files: StudyFiles

    @cached_property
    def models(self) -> frozenset[str]:
        return frozenset(self.files.table("models", ["model"])["model"].to_pylist())

    @cached_property
    def judges(self) -> frozenset[str]:
        return frozenset(pc.unique(self.files.judgments(["judge"])["judge"]).to_pylist())

    @property
    def fields_without_texts(self) -> dict[str, str]:
        """What judges read and the study has no text of, in words, by the fields that an import reads."""
        answers = {"response": "texts of answers"}
        if self.paradigms and all(TRAITS[each].of_pairs for each in self.paradigms):
            answers["opponent_response"] = "texts of their opponents"
        texts = {"instances": ("prompt", {"prompt": "questions"}), "responses": ("text", answers)}
        return {
            field: words
            for table, (column, fields) in texts.items()
            if not pc.any(pc.is_valid(self.files.table(table, [column])[column])).as_py()
            for field, words in fields.items()
        }

    @cached_property
    def paradigms(self) -> dict[Paradigm, list[str]]:
        """The paradigms of the study's judgments, in order of preference, each with its variants."""
        pairs = self.files.judgments(["paradigm", "variant"])
        rows = pairs.group_by(["paradigm", "variant"]).aggregate([]).to_pylist()
        return {
            each: variants
            for each in PARADIGMS
            if (variants := sorted(str(row["variant"]) for row in rows if row["paradigm"] == each))
        }


def stored_study(store: Store | None, name: object) -> StoredStudy | None:
    """Return the study of that name; None if there is none, or the name is not one."""
    if store is None or not isinstance(name, str):
        return None
    try:
        place = store.location.child(check_name(name))
    except UsageError:
        return None
    return StoredStudy(StudyFiles(place)) if is_study(place) else None


def check_stored(store: Store, config: RunConfig) -> None:
    """Raise UsageError, with the studies that there are, for a study without data that the store lacks."""
    name = config.study
    if config.data is not None or is_study(store.location.child(name)):
        return
    names = store.studies()
    close = get_close_matches(name, names, 1)
    near = f"did you mean {close[0]!r}? " if close else ""
    remedy = (
        Sentence(f"{near}choose from: ", names_of_store(names, list_of_studies()))
        if names
        else Sentence("it holds none; import one with `spb import`, or ", FOLDER_GIVEN)
    )
    raise UsageError(
        f"study: there is no {name!r} in the store {store.root!r}; ",
        remedy,
        "; or for a new study name the file of its questions as data",
    )


@dataclass(frozen=True, slots=True)
class CompleteText:
    """The text of a configuration with what it left out.

    `notes` say what was added, and `problem` what only the user can decide: a mistake in what the text does
    hold is to be said first.
    """

    text: str
    notes: tuple[str, ...] = ()
    problem: str = ""


def complete(text: str, raw: Mapping[str, Any], folder: Path, study: StoredStudy | None) -> CompleteText:
    """Return a configuration's text with tables of models and paradigms that it leaves out."""
    completed = _with_paradigms(text, raw, folder, study)
    if not (tables := _tables(raw, folder, study)):
        return completed
    notes = (
        f"{table['model']} has no table in the configuration; in the study it is {name!r}, of the family "
        f"{table.get('family', 'that the study says')}"
        for name, table in tables.items()
    )
    text = _with_tables(completed.text, tables)
    return replace(completed, text=text, notes=(*completed.notes, *notes))


def with_table_names(raw: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return a configuration in which a model's name by litellm stands for the one table that calls it."""
    models = raw.get("models", {})
    if not isinstance(models, dict):
        return dict(raw)
    callers: dict[str, list[str]] = {}
    for name, table in models.items():
        if isinstance(table, dict):
            callers.setdefault(str(table.get("model")), []).append(name)

    def table_name(name: object) -> object:
        tables = callers.get(name, []) if isinstance(name, str) and name not in models else []
        return tables[0] if len(tables) == 1 else name

    renamed = dict(raw)
    for field in _fields_of_models(raw, folder):
        if isinstance(raw.get(field), list):
            renamed[field] = [table_name(name) for name in raw[field]]
    return renamed


def table_lines(name: str) -> str:
    """Return the lines that add a model to a configuration."""
    model = name if "/" in name.strip("/") else likely_name(name)
    table = {"model": model}
    if needs_address(model):
        table["api_base"] = "http://127.0.0.1:8000/v1"
    return tomli_w.dumps({"models": {name.rpartition("/")[2] or name: table}}).rstrip()


def _with_paradigms(
    text: str, raw: Mapping[str, Any], folder: Path, study: StoredStudy | None
) -> CompleteText:
    """Return the text with the paradigm of the study's judgments; those of several are a problem."""
    if study is None or raw.get("paradigms") or not any(raw.get(field) for field in _JUDGE_FIELDS):
        return CompleteText(text)
    paradigms, name = study.paradigms, study.files.name
    if not paradigms:
        return CompleteText(text)
    if "paradigms" in raw or len(paradigms) > 1:
        state = "empty" if "paradigms" in raw else "left out"
        problem = (
            f"paradigms is {state}, and the study {name!r} has judgments of {join_names(list(paradigms))}; "
            f"name those to judge by, such as paradigms = {json.dumps(list(paradigms)[:1])}"
        )
        return CompleteText(text, problem=problem)
    ((paradigm, variants),) = paradigms.items()
    lines = [f"paradigms = {json.dumps([paradigm])}"]
    if "variants" not in raw and _is_shipped(paradigm, variants, folder):
        lines.append(f"variants = {json.dumps(variants)}")
    note = f"as the study {name!r} was judged: {', '.join(lines)}"
    return CompleteText("\n".join([*lines, text]), (note,))


def _is_shipped(paradigm: Paradigm, variants: list[str], folder: Path) -> bool:
    """Return whether judgments are of one variant that is not the default, and whose template is there."""
    from engine.collect.paradigms.template_files import judging_templates

    if len(variants) != 1 or variants == ["default"]:
        return False
    try:
        judging_templates([paradigm], variants, "general", folder)
    except UsageError:
        return False
    return True


def _tables(raw: Mapping[str, Any], folder: Path, study: StoredStudy | None) -> dict[str, dict[str, Any]]:
    """Return the tables of the models that are named as litellm knows them and have none, by name."""
    renamed, models = with_table_names(raw, folder), raw.get("models", {})
    if not isinstance(models, dict):
        return {}
    names = dict.fromkeys(
        name
        for field in _fields_of_models(raw, folder)
        for name in _texts(renamed.get(field))
        if name not in models and has_known_provider(name) and not needs_address(name)
    )
    last_parts = [name.rpartition("/")[2] for name in names]
    tables: dict[str, dict[str, Any]] = {}
    stored = study.models if study is not None else frozenset()
    answering = {*stored, *(() if _has_questions(raw, folder) else _texts(raw.get("generators")))}
    for name, last in zip(names, last_parts, strict=True):
        is_taken = last in models or last_parts.count(last) > 1
        in_full = is_taken or (name in answering and last not in stored)
        in_study = name if in_full else last
        (table,) = models_by_name([name]).tables.values()
        tables[in_study] = {
            key: value for key, value in table.items() if key != "family" or in_study not in stored
        }
    return tables


def _texts(names: object) -> Iterator[str]:
    return (name for name in names if isinstance(name, str)) if isinstance(names, list) else iter(())


def _fields_of_models(raw: Mapping[str, Any], folder: Path) -> Iterable[str]:
    """Return the fields whose names are models to call; of `generators` a study may have the answers."""
    return (*_JUDGE_FIELDS, *(("generators",) if _has_questions(raw, folder) else ()))


def _has_questions(raw: Mapping[str, Any], folder: Path) -> bool:
    """Return whether the data is a file of questions, so that all answers are still to be written."""
    data = raw.get("data")
    with suppress(OSError, RuntimeError, ValueError):  # a path that no system has, or nobody's home
        return isinstance(data, str) and (folder / Path(data).expanduser()).is_file()
    return False


def _with_tables(text: str, tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a configuration with tables added, as far as possible in the user's own words."""
    added = f"{text.rstrip()}\n\n{tomli_w.dumps({'models': tables})}"
    try:
        tomllib.loads(added)
    except tomllib.TOMLDecodeError:  # `models = { ... }` cannot be added to
        raw = tomllib.loads(text)
        return tomli_w.dumps({**raw, "models": {**raw.get("models", {}), **tables}})
    return added
