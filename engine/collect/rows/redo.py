"""Responses that `--redo` repeats, and all that is about them, which is withdrawn with them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from engine.collect.calls import CallRequest, Subject
from engine.collect.configuration.config import RunConfig
from engine.collect.paradigms.template_files import rewriting_template
from engine.collect.plan.study_texts import ResponseKey
from engine.collect.run_options import Shard
from engine.paradigms import NO_ANSWER, TRAITS
from engine.shown_order import shown_models
from engine.store.study_files import StudyFiles

OF_JUDGMENTS = ("paradigm", "instance_id", "generator", "opponent", "transform", "ordering")
"""The columns of a judgment that say which responses it is about."""


@dataclass(frozen=True)
class RepeatedResponses:
    """The responses to repeat, by key, with the ids of their calls (empty: made without a model).

    What was made of a response, such as a rewriting, is repeated with it.
    """

    calls: Mapping[ResponseKey, str] = field(default_factory=dict)

    def concern_judgment(self, row: Mapping[str, Any]) -> bool:
        """Return whether a judgment is about one of the responses; `row` has the columns OF_JUDGMENTS."""
        if not self.calls:
            return False
        models = {row["generator"], row["opponent"]}
        if TRAITS[row["paradigm"]].of_lists:
            models |= set(shown_models(row["ordering"]) or ())
        # In a pair under a transform, the opponent may be shown as written.
        forms = {row["transform"], "none"}
        return any((row["instance_id"], model, form) in self.calls for model in models for form in forms)

    def concern(self, table: str, row: Mapping[str, Any]) -> bool:
        """Return whether a row of `responses`, `references` or `preferences` is about one of them."""
        if table == "responses":
            return (row["instance_id"], row["generator"], row["transform"]) in self.calls
        models = (row["generator"], row["opponent"]) if table == "preferences" else (row["generator"],)
        if table == "preferences" and row["transform"] != "none":
            return any((row["instance_id"], model, row["transform"]) in self.calls for model in models)
        return any((row["instance_id"], model, "none") in self.calls for model in models)

    def without(self, table: str, rows: pa.Table) -> tuple[pa.Table, list[dict[str, Any]]]:
        """Return a table without what is about the responses, and the rows that were left out."""
        keys = [
            name
            for name in ("instance_id", "generator", "opponent", "transform")
            if name in rows.column_names
        ]
        concerned = [self.concern(table, row) for row in rows.select(keys).to_pylist()]
        left_out = rows.filter(pa.array(concerned, pa.bool_())).to_pylist()
        return rows.filter(pa.array([not each for each in concerned], pa.bool_())), left_out


def names_judgment(redo: frozenset[str], row: Mapping[str, Any]) -> bool:
    """Return whether `redo` names a judgment, by its status, its shortfall or the fallback that gave it."""
    stands_in = "stood_in" in redo and row["stood_in_for"] is not None
    return row["status"] in redo or row["shortfall"] in redo or stands_in


TABLES = ("responses", "references", "preferences")
"""The tables with rows about a response, besides the judgments."""


def repeated_responses(
    config: RunConfig, study: StudyFiles, redo: frozenset[str], shard: Shard | None
) -> RepeatedResponses:
    """Return the collected responses that `redo` names and the configuration can collect again."""
    columns = ["instance_id", "generator", "transform", "finish_reason", "shortfall"]
    rows = study.table("responses", columns).to_pylist()
    calls: dict[ResponseKey, str] = {}
    for row in rows:
        key = (row["instance_id"], row["generator"], row["transform"])
        request = _request(config, key) if _is_named(row, redo) else None
        if request is not None and (shard is None or shard.holds(request.key)):
            calls[key] = request.key
    originals = {key[:2] for key in calls if key[2] == "none"}
    for row in rows:
        key = (row["instance_id"], row["generator"], row["transform"])
        if key[:2] in originals and key not in calls:
            request = _request(config, key)
            calls[key] = "" if request is None else request.key
    return RepeatedResponses(calls)


def _is_named(row: Mapping[str, Any], redo: frozenset[str]) -> bool:
    shortfall = row["shortfall"]
    if shortfall is None:
        return "refused" in redo and row["finish_reason"] == "content_filter"
    return shortfall in redo or ("unparsed" in redo and shortfall in NO_ANSWER)


def _request(config: RunConfig, key: ResponseKey) -> CallRequest | None:
    """Return the call that collects a response, None if the configuration has none."""
    instance_id, generator, transform = key
    if transform == "none":
        subject = Subject(instance_id, generator)
        is_called = generator in config.generators and generator in config.models
        return CallRequest("generator", generator, None, "default", subject) if is_called else None
    rewriting = config.rewritings.get(transform)
    if rewriting is None or rewriting.by is None:
        return None
    variant = rewriting_template(transform, rewriting.template, config.folder).variant
    subject = Subject(instance_id, generator, transform=transform)
    return CallRequest("generator", rewriting.by, None, variant, subject)
