"""The rows of a run in the table `runs`."""

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from typing import Any

from engine.collect.calls import Role
from engine.collect.client.openai_requests import NAME
from engine.collect.configuration.chat_protocol import serves_model
from engine.collect.configuration.config import ModelConfig, Price, RunConfig
from engine.collect.configuration.prices import cost_usd, known_sum
from engine.collect.database.calls_under_way import Group
from engine.collect.database.entries import Entry
from engine.collect.paradigms.templates import Template
from engine.explore.answering_models import COUNTED, add_counts, changes_between, counts_of
from engine.store.writer import Rows
from engine.version import __version__

_KEY = ("run_id", "model", "role", "paradigm", "variant")
_PARAMS = ("temperature", "top_p", "max_tokens", "seed")
_SETTINGS = (*_PARAMS, "reasoning", "logprobs", "template", "template_sha256", "config", "software")
"""The columns that follow from the configuration."""
_SUMS = ("calls", "prompt_tokens", "completion_tokens", "seconds", "structured", "cached")


class RunRows:
    """The rows of one run, created as models and templates come into use."""

    def __init__(self, config: RunConfig, run_id: str, templates: Iterable[Template] = ()) -> None:
        self.run_id = run_id
        self._config = config
        self._templates: dict[tuple[str | None, str], Template] = {
            (each.paradigm, each.variant): each for each in templates
        }
        self._started_at = _now()
        self._answered: dict[str, dict[str, Counter[str]]] = {}  # by model, in this start

    def begin_start(self) -> None:
        """Tell the calls that are added from now on from those of earlier starts."""
        self._answered.clear()

    def with_groups(self, groups: Iterable[Group], rows: Rows) -> Rows:
        """Return all rows of `runs` with one for each of `groups` (model, role, paradigm, variant)."""
        keys = {_key(row) for row in rows}
        new_rows = [self._row(*each) for each in groups if (self.run_id, *each) not in keys]
        return [*rows, *new_rows]

    def add_calls(self, entries: Sequence[Entry], rows: Rows) -> Rows:
        """Return all rows of `runs`, with the entries' calls, tokens and costs added to the run's own."""
        groups = dict.fromkeys((e.model, e.role, e.paradigm, e.variant) for e in entries)
        changed = {_key(row): dict(row) for row in self.with_groups(groups, rows)}
        answers: dict[tuple[Any, ...], list[Entry]] = {}
        for entry in entries:
            row = changed[(self.run_id, entry.model, entry.role, entry.paradigm, entry.variant)]
            for name in _SUMS:
                row[name] = (row[name] or 0) + getattr(entry, name)
            row["cost_usd"] = known_sum((row["cost_usd"], entry.cost_usd))
            if entry.saved_usd is not None:
                row["saved_usd"] = (row["saved_usd"] or 0.0) + entry.saved_usd
            row["model_id"] = entry.model_id or row["model_id"]
            answers.setdefault(_key(row), []).append(entry)
        for key, answered in answers.items():
            for name, counts in _answer_counts(answered).items():
                changed[key][name] = add_counts(changed[key].get(name), counts)
        return list(changed.values())

    def note_answers(self, entries: Sequence[Entry]) -> None:
        """Remember what the answers of this start say of their models."""
        for model in dict.fromkeys(entry.model for entry in entries):
            own = self._answered.setdefault(model, {name: Counter() for name in COUNTED})
            for name, counts in _answer_counts([e for e in entries if e.model == model]).items():
                own[name] += counts

    def add_charges(self, dollars: Mapping[Group, float], rows: Rows) -> Rows:
        """Return all rows of `runs` with the possible cost of calls whose answers were lost to a kill."""
        changed = {_key(row): dict(row) for row in self.with_groups(dollars, rows)}
        for group, usd in dollars.items():
            row = changed[(self.run_id, *group)]
            row["cost_usd"] = known_sum((row["cost_usd"], usd))
        return list(changed.values())

    def note_redone(self, notes: Mapping[str, str], rows: Rows, *, new_settings: bool = True) -> Rows:
        """Return all rows of `runs`, with `notes` for models whose calls are requested again.

        With `new_settings`, the settings in these rows become those of the current configuration.
        """
        changed = []
        for row in rows:
            if row["run_id"] == self.run_id and row["model"] in notes:
                new_row = self._row(*_key(row)[1:]) if new_settings else row
                text = "; ".join(filter(None, (row.get("redone"), notes[row["model"]])))
                row = row | {name: new_row[name] for name in _SETTINGS} | {"redone": text}
            changed.append(row)
        return changed

    def set_end(self, rows: Rows) -> Rows:
        """Return all rows of `runs`, the run's with the time and with what differs from earlier starts."""
        now, changes = _now(), {name: self._changes(name, rows) for name in self._answered}
        ended = []
        for row in rows:
            if row["run_id"] == self.run_id:
                row = row | {"finished_at": now}
                if change := changes.get(row["model"]):
                    row["changed"] = "; ".join(filter(None, (row.get("changed"), f"{now[:10]}: {change}")))
            ended.append(row)
        return ended

    def _changes(self, model: str, rows: Rows) -> str:
        """Return how a model's answers of this start differ from those of earlier ones."""
        own = [row for row in rows if (row["run_id"], row["model"]) == (self.run_id, model)]
        this_start, before = self._answered[model], {}
        for name in COUNTED:
            total: Counter[str] = sum((counts_of(row.get(name)) for row in own), Counter())
            before[name] = total - this_start[name]
        return changes_between(before, this_start)

    def _row(self, model: str, role: Role, paradigm: str | None, variant: str) -> dict[str, Any]:
        config = self._config.models.get(model)
        template = self._templates.get((paradigm, variant))
        params = config.params.to_dict() if config else {}
        return {
            **dict(zip(_KEY, (self.run_id, model, role, paradigm, variant), strict=True)),
            "provenance": provenance(config) if config else None,
            "model_id": None,
            **{name: params.get(name) for name in _PARAMS},
            "reasoning": params.get("reasoning_effort"),
            "logprobs": config.logprobs or config.protocol == "completion" if config else None,
            "template": template.file if template else None,
            "template_sha256": template.sha256 if template else None,
            "config": self._config.text,
            "software": software(config) if config else None,
            "started_at": self._started_at,
            **dict.fromkeys(_SUMS, 0),
            "cost_usd": 0.0,
            "saved_usd": 0.0,
        }


def _answer_counts(entries: Iterable[Entry]) -> dict[str, Counter[str]]:
    """Return how often new answers name their model, their server's fingerprint and their address."""
    new = [entry for entry in entries if not entry.cached]
    values = ("model_id", "fingerprint", "address")
    return {
        column: Counter(value for entry in new if (value := getattr(entry, name)) is not None)
        for column, name in zip(COUNTED, values, strict=True)
    }


def provenance(config: ModelConfig) -> str:
    return "simulated" if config.model.startswith("simulated/") else "api"


def run_cost(rows: Rows, run_id: str, prices: Mapping[str, Price | None]) -> float:
    """Return the cost of a run so far.

    If a row's cost is unknown because its model had no price, its tokens are counted at the current price.
    """
    dollars = 0.0
    for row in (each for each in rows if each["run_id"] == run_id):
        price = prices.get(row["model"])
        if row["cost_usd"] is not None:
            dollars += row["cost_usd"]
        elif price is not None:
            dollars += cost_usd(price, row["prompt_tokens"] or 0, row["completion_tokens"] or 0)
    return dollars


def software(config: ModelConfig) -> str:
    """Return the transport of a model's calls (our own or litellm) and the versions of the packages."""
    transport, packages = "litellm", ["litellm", "pyarrow"]
    if provenance(config) == "simulated":
        transport, packages = "simulated", ["pyarrow"]
    elif serves_model(config):
        transport, packages = NAME, ["aiohttp", "pyarrow"]
    parts = [f"spb-explorer {__version__}", f"Python {platform.python_version()}", f"calls by {transport}"]
    for package in packages:
        with suppress(metadata.PackageNotFoundError):
            parts.append(f"{package} {_version(package)}")
    return ", ".join(parts)


@cache
def _version(package: str) -> str:
    """Return the installed version, which is read from a file: once, as each write of a run asks for it."""
    return metadata.version(package)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _KEY)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
