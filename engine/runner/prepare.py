"""The study that a run collects into, made from the configuration's `data` where it is not there yet."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine import schema
from engine.config import RunConfig
from engine.errors import UsageError
from engine.store import Store, StudyFiles
from engine.store.collected import exchange_table
from engine.store.locations import locate
from engine.store.publish import is_study
from engine.store.sources import Batch, Source, from_tables

_OF_A_STUDY = ("models", "instances", "rubrics", "responses", "references", "preferences")


def has_study(store: Store, config: RunConfig) -> bool:
    """Return whether the study is there."""
    return is_study(store.location.child(config.study))


def prepared_study(store: Store, config: RunConfig) -> StudyFiles:
    """Return the study with all models that may be called; made from `data` where it is not there.

    Raises UsageError where there is neither a study nor data, or a model's family is another in the study;
    BadInputError for data that an import would refuse.
    """
    if not has_study(store, config):
        _make(store, config)
    study = store.open(config.study)
    missing = _missing(study.table("models").to_pylist(), config)
    if missing:
        table = exchange_table("models", missing)
        store.write(config.study, {"models": table}, study.info, mode="append")
        study = store.open(config.study)
    return study


def _make(store: Store, config: RunConfig) -> None:
    if config.data is None:
        listed = ", ".join(store.studies()) or "(there are none)"
        raise UsageError(
            f"there is no study {config.study!r} in {store.root!r} and the configuration has no data; "
            f"give data, or one of the studies: {listed}"
        )
    if os.path.isdir(config.data_folder):
        _make_from_folder(store, config)
        return
    from engine.datasets import fetch

    fetch(config.data, store, config.study)


def _make_from_folder(store: Store, config: RunConfig) -> None:
    """Write the exchange folder as a study; models of the configuration that it lacks are added.

    Of a stored study only the questions, the responses and what is taken as true are taken over: its
    judgments were made by other runs.
    """
    from engine.importers.tidy import open_tidy
    from engine.store.writer import write_sources

    folder = config.data_folder
    found = open_tidy(folder)
    sources = dict(found.sources)
    if _is_stored(folder):
        sources = {name: source for name, source in sources.items() if name in _OF_A_STUDY}
    models = sources.get("models")
    if models is None:
        sources["models"] = from_tables(schema.MODELS, exchange_table("models", config.model_rows()))
    else:
        batches = list(models.batches)
        sources["models"] = replace(models, batches=_with_models(batches, config), columns=None)
    info = found.info
    if info.dataset is None:
        info = info.model_copy(update={"dataset": found.name})
    write_sources(store, config.study, _ordered(sources), info, mode="new")


def _is_stored(folder: Path) -> bool:
    """Return whether the folder is a study that was written here, not one put together for exchange."""
    place = locate(folder)
    return is_study(place) and StudyFiles(place).info.parts is not None


def _with_models(batches: list[Batch], config: RunConfig) -> Iterator[Batch]:
    """Yield the folder's models, then those of the configuration that are not among them."""
    yield from batches
    rows = [row for batch in batches for row in batch.rows.to_pylist()]
    missing = _missing([{**row, "model": str(row.get("model"))} for row in rows], config)
    if missing:
        (added,) = exchange_table("models", missing).combine_chunks().to_batches()
        yield Batch(added, len(rows) + 1)


def _ordered(sources: Mapping[str, Source]) -> dict[str, Source]:
    return {name: sources[name] for name in schema.TABLES if name in sources}


def _missing(rows: list[dict[str, Any]], config: RunConfig) -> list[dict[str, Any]]:
    """Return the rows of models that are to be added; UsageError where a family is another one."""
    families = {row["model"]: row.get("family") for row in rows}
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
