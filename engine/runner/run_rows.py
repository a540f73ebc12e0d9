"""A run's rows in the table `runs`: one for each model, role, paradigm and variant, with what it took."""

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from engine import __version__
from engine.calls import Role
from engine.config import ModelConfig, RunConfig
from engine.runner.entries import Entry

Rows = list[dict[str, Any]]
_KEY = ("run_id", "model", "role", "paradigm", "variant")
_SUMS = ("calls", "prompt_tokens", "completion_tokens", "seconds")


@dataclass(frozen=True, slots=True)
class Used:
    """A template in use: for which paradigm (None: generators) and variant, its file's name and hash."""

    paradigm: str | None
    variant: str
    file: str | None
    sha256: str | None


class RunRows:
    """The rows of one run, made as models and templates come into use."""

    def __init__(self, config: RunConfig, run_id: str) -> None:
        self.run_id = run_id
        self._config = config
        self._templates: dict[tuple[str | None, str], Used] = {}
        self._started_at = _now()
        self._software = software()

    def use(self, templates: Iterable[Used]) -> None:
        """Take note of templates, for the rows of calls that use them."""
        self._templates |= {(each.paradigm, each.variant): each for each in templates}

    def lacks(self, asked: Iterable[tuple[str, Role, str | None, str]], rows: Rows) -> bool:
        """Return whether one of `asked` has no row yet."""
        return len(self.begun(asked, rows)) > len(rows)

    def begun(self, asked: Iterable[tuple[str, Role, str | None, str]], rows: Rows) -> Rows:
        """Return all rows of `runs` with one for each of `asked` (model, role, paradigm, variant)."""
        known = {_key(row) for row in rows}
        fresh = [self._row(*each) for each in asked if (self.run_id, *each) not in known]
        return [*rows, *fresh]

    def counted(self, entries: Sequence[Entry], rows: Rows) -> Rows:
        """Return all rows of `runs` with what the entries took added to the run's own."""
        asked = dict.fromkeys((e.model, e.role, e.paradigm, e.variant) for e in entries)
        changed = {_key(row): dict(row) for row in self.begun(asked, rows)}
        for entry in entries:
            row = changed[(self.run_id, entry.model, entry.role, entry.paradigm, entry.variant)]
            for name in _SUMS:
                row[name] = (row[name] or 0) + getattr(entry, name)
            if row["cost_usd"] is not None:
                row["cost_usd"] = None if entry.cost_usd is None else row["cost_usd"] + entry.cost_usd
            row["model_id"] = entry.model_id or row["model_id"]
        return list(changed.values())

    def ended(self, rows: Rows) -> Rows:
        """Return all rows of `runs`, the run's own with the time at which it ended."""
        return [row | {"finished_at": _now()} if row["run_id"] == self.run_id else row for row in rows]

    def _row(self, model: str, role: Role, paradigm: str | None, variant: str) -> dict[str, Any]:
        config = self._config.models.get(model)
        template = self._templates.get((paradigm, variant))
        sent = config.params.sent() if config else {}
        return {
            **dict(zip(_KEY, (self.run_id, model, role, paradigm, variant), strict=True)),
            "provenance": provenance(config) if config else None,
            "model_id": None,
            "temperature": sent.get("temperature"),
            "top_p": sent.get("top_p"),
            "max_tokens": sent.get("max_tokens"),
            "seed": sent.get("seed"),
            "reasoning": sent.get("reasoning_effort"),
            "logprobs": config.logprobs if config else None,
            "template": template.file if template else None,
            "template_sha256": template.sha256 if template else None,
            "config": self._config.text,
            "software": self._software,
            "started_at": self._started_at,
            **dict.fromkeys(_SUMS, 0),
            "cost_usd": 0.0,
        }


def provenance(config: ModelConfig) -> str:
    """Return where a model's answers come from."""
    return "simulated" if config.model.startswith("simulated/") else "api"


def spent(rows: Rows, run_id: str) -> float:
    """Return what a run cost so far, as far as it is known."""
    return sum(row.get("cost_usd") or 0.0 for row in rows if row["run_id"] == run_id)


def software() -> str:
    """Return the versions of what makes the calls."""
    parts = [f"spb-explorer {__version__}", f"Python {platform.python_version()}"]
    for package in ("litellm", "pyarrow"):
        try:
            parts.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return ", ".join(parts)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in _KEY)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
