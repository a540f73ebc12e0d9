"""Preparation before the first call: study, templates, stages, and an estimate of calls, tokens and cost."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from engine import schema
from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.implied_settings import check_stored
from engine.errors import UsageError
from engine.importers.own_questions.question_checks import Questions
from engine.importers.own_questions.question_columns import QuestionColumnError
from engine.importers.own_questions.question_file import read_questions
from engine.store import Store
from engine.store.batches import Batch, ExchangeTable, from_tables
from engine.store.conversion import convert
from engine.store.location import locate
from engine.store.publish import is_study
from engine.store.study_files import StudyFiles, StudyInfo
from engine.store.writer import exchange_table

_INPUT_TABLES = ("models", "instances", "rubrics", "responses", "references", "preferences")


def prepare_study(store: Store, config: RunConfig) -> StudyFiles:
    """Return the study with all models that may be called, created from `data` if it does not exist."""
    if not is_study(store.location.child(config.study)):
        check_stored(store, config)
        if config.has_local_data:
            create = _create_from_folder if config.data_path.is_dir() else _create_from_questions
            create(store, config)
        elif config.data is not None:
            from engine.importers.datasets.catalogue import fetch

            fetch(config.data, store, config.study)
    study = store.open(config.study)
    if missing := check_study(study, config):
        table = exchange_table("models", missing)
        store.write(config.study, {"models": table}, study.info, mode="append")
        study = store.open(config.study)
    return study


def _create_from_folder(store: Store, config: RunConfig) -> None:
    """Write the exchange folder as a study, adding the configuration's models that it lacks.

    Of a stored study only the instances, responses and references are copied: its judgments were made by
    other runs.
    """
    from engine.importers.formats.exchange import open_tidy
    from engine.store.writer import write_sources

    tidy, place = open_tidy(config.data_path), locate(config.data_path)
    sources = dict(tidy.sources)
    # A stored study, not an exchange folder.
    info = tidy.info
    if is_study(place) and StudyFiles(place).info.parts is not None:
        sources = {name: source for name, source in sources.items() if name in _INPUT_TABLES}
        info = info.model_copy(update={"title": None})  # which may say where those judgments are from
    models = sources.get("models")
    if models is None:
        sources["models"] = from_tables(schema.MODELS, exchange_table("models", config.model_rows()))
    else:
        sources["models"] = replace(models, batches=_with_models(models, config), columns=None)
    if info.dataset is None:
        info = info.model_copy(update={"dataset": tidy.name})
    ordered = {name: sources[name] for name in schema.TABLES if name in sources}
    write_sources(store, config.study, ordered, info, mode="new")


def _create_from_questions(store: Store, config: RunConfig) -> None:
    """Write a file of questions as a study of the configuration's models."""
    questions = questions_of(config)
    tables = {"models": config.model_rows(), "instances": questions.instances, "rubrics": questions.rubrics}
    filled = {name: exchange_table(name, list(rows)) for name, rows in tables.items() if rows}
    store.write(config.study, filled, StudyInfo(dataset=config.data_path.name), mode="new")


def check_study(study: StudyFiles, config: RunConfig) -> list[dict[str, Any]]:
    """Return the rows of models that the study lacks.

    UsageError if the study has other questions than the file that is the configuration's `data`, or has a
    model of it in another family.
    """
    _check_questions(study, config)
    return _missing_models(study.table("models").to_pylist(), config)


def _check_questions(study: StudyFiles, config: RunConfig) -> None:
    if not config.has_local_data or config.data_path.is_dir():
        return
    in_study = set(study.table("instances", ["instance_id"])["instance_id"].to_pylist())
    in_file = {row["instance_id"] for row in questions_of(config).instances}
    if in_study != in_file:
        more, fewer = len(in_study - in_file), len(in_file - in_study)
        raise UsageError(
            f"the study {config.study!r} has other questions than {config.data_path.name!r} "
            f"({more:,} that the file lacks; it lacks {fewer:,} of the file); give the study another name"
        )


def questions_of(config: RunConfig) -> Questions:
    """Read the file of questions that is a configuration's `data`."""
    try:
        return read_questions(config.data_path, config.columns)
    except QuestionColumnError as error:
        remedy = f"columns = {{ prompt = {json.dumps(error.likely, ensure_ascii=False)} }}"
        raise UsageError(f"data: {error.problem}; name it in the configuration, such as {remedy}") from None


def _with_models(models: ExchangeTable, config: RunConfig) -> Iterator[Batch]:
    """Yield the batches of a folder's models, and one with the configuration's models that it lacks."""
    rows: list[dict[str, Any]] = []
    for batch in models.batches:
        yield batch
        columns = {
            name: convert(
                schema.MODELS.column(name), batch.rows.column(name), batch, blank=models.blank_is_absent
            ).to_pylist()
            for name in ("model", "family")
            if name in batch.rows.schema.names
        }
        rows += [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    if missing := _missing_models(rows, config):
        (added,) = exchange_table("models", missing).combine_chunks().to_batches()
        yield Batch(schema.MODELS, added, len(rows) + 1)


def _missing_models(rows: list[dict[str, Any]], config: RunConfig) -> list[dict[str, Any]]:
    """Return the rows of models to add; UsageError if a family differs."""
    families = {row.get("model"): row.get("family") for row in rows}
    missing = []
    for row in config.model_rows():
        name = row["model"]
        if name not in families:
            missing.append(row)
        elif config.models[name].family not in (None, families[name]):
            raise UsageError(
                f"models.{name}.family is {config.models[name].family!r}, and the study has "
                f"{families[name]!r}; make them agree"
            )
    return missing
