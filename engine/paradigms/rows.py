"""Judgment rows: what they share, whatever was asked."""

import math
from typing import Any

from engine.calls import Failure, Reply, Request
from engine.schema import JUDGMENTS, Status

Values = dict[str, Any]

LONGEST_RAW = 1_000_000
"""Characters of an answer that are kept; of a longer one the beginning and the end are."""
LONGEST_EXPLANATION = 20_000

_COLUMNS = tuple(name for name in JUDGMENTS.names if name != "run_id")


def row(request: Request, status: Status, **values: Any) -> Values:
    """Return a row about the request's subject: every column but run_id, null where nothing is said."""
    subject = request.subject
    known = {
        "call_id": request.key,
        "judge": request.model,
        "paradigm": request.paradigm,
        "variant": request.variant,
        "transform": subject.transform,
        "instance_id": subject.instance_id,
        "generator": subject.generator,
        "opponent": subject.opponent,
        "first": subject.first,
        "ordering": subject.ordering,
        "trial": subject.trial,
        "status": status,
    }
    return dict.fromkeys(_COLUMNS) | known | values


def with_call(rows: list[Values], reply: Reply) -> list[Values]:
    """Write on the first row what was said and what it cost; the others share its call_id."""
    said = reply.text or reply.refusal or ""
    rows[0] |= {
        "raw": shortened(said, LONGEST_RAW),
        "latency_s": _at_least_zero(reply.latency_s),
        "prompt_tokens": _at_least_zero(reply.prompt_tokens),
        "completion_tokens": _at_least_zero(reply.completion_tokens),
        "cost_usd": _at_least_zero(reply.cost_usd),
    }
    return rows


def failed_rows(rows: list[Values], failure: Failure) -> list[Values]:
    """Return the rows with status `error` and the reason."""
    status = "" if failure.status is None else f" (HTTP {failure.status})"
    reason = shortened(f"{failure.kind}{status}: {failure.message}", LONGEST_EXPLANATION)
    return [each | {"status": "error", "explanation": reason} for each in rows]


def explanation(value: object) -> str | None:
    """Return a judge's reason as it is stored; None for anything but words."""
    if not isinstance(value, str) or not value.strip():
        return None
    return shortened(value.strip(), LONGEST_EXPLANATION)


def shortened(text: str, longest: int) -> str:
    """Return a text that a store can hold: its middle left out where it is too long, no half characters."""
    if len(text) > longest:
        half = longest // 2
        text = f"{text[:half]}\n[… {len(text) - 2 * half} characters left out …]\n{text[-half:]}"
    return text.encode("utf-8", "replace").decode("utf-8")


def _at_least_zero(value: float | None) -> float | None:
    if value is None or not math.isfinite(value) or value < 0:
        return None
    return value
