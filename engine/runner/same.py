"""Whether a run may go on under a configuration, or has become another one."""

import tomllib
from collections.abc import Iterable
from typing import Any

from engine.config import RunConfig
from engine.errors import UsageError
from engine.runner.run_rows import Rows, Used

_ALIKE = ("model", "params", "logprobs", "simulated")
"""What of a model decides its answers; its address, price and key may change."""


def last_run(rows: Rows) -> str | None:
    """Return the study's last run that was made by `spb run`, None where there is none."""
    made = [row for row in rows if row["config"] is not None and row["provenance"] in ("api", "simulated")]
    return max((str(row["run_id"]) for row in made), default=None)


def refuse_another(run_id: str, rows: Rows, config: RunConfig, used: Iterable[Used]) -> None:
    """Raise UsageError that names what changed since the run `run_id` was begun.

    Models, paradigms and variants may be added; those that the run has asked already must be the same.
    """
    mine = [row for row in rows if row["run_id"] == run_id]
    changes = [*_changed_templates(mine, used), *_changed_models(mine, config)]
    if changes:
        raise UsageError(
            f"the run {run_id!r} of the study {config.study!r} was begun otherwise: {'; '.join(changes)}; "
            "put that back, or begin a new run with --fresh"
        )


def _changed_templates(rows: Rows, used: Iterable[Used]) -> list[str]:
    before = {(row["paradigm"], row["variant"]): row["template_sha256"] for row in rows}
    changes = []
    for template in used:
        old = before.get((template.paradigm, template.variant))
        if old is not None and old != template.sha256:
            way = template.paradigm or "rewriting"
            changes.append(
                f"the template of {way}, variant {template.variant!r}, has the sha256 "
                f"{str(template.sha256)[:12]}…, it had {old[:12]}…"
            )
    return changes


def _changed_models(rows: Rows, config: RunConfig) -> list[str]:
    changes: dict[str, None] = {}
    for row in rows:
        name = row["model"]
        before = _model(row["config"], name)
        if name not in config.models or before is None:
            continue
        now = _model(config.text, name) or {}
        for field in _ALIKE:
            old, new = before.get(field), now.get(field)
            if _plain(old) != _plain(new):
                changes[f"models.{name}.{field} is {_shown(new)}, it was {_shown(old)}"] = None
    return list(changes)


def _model(text: str | None, name: str) -> dict[str, Any] | None:
    """Return a model's table in the text of a configuration."""
    try:
        found = tomllib.loads(text or "").get("models", {}).get(name)
    except tomllib.TOMLDecodeError:
        return None
    return found if isinstance(found, dict) else None


def _plain(value: Any) -> Any:
    """Return the value with what is left out written as what it then is."""
    return None if value in ({}, False) else value


def _shown(value: Any) -> str:
    return "left out" if value is None else repr(value)
