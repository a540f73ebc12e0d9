"""The column `ordering`: the responses of a list, or the options of a score, in the order shown."""

import json
from collections.abc import Sequence


def shown_order(models: Sequence[str]) -> str:
    """Return the models behind a list of responses, in the order shown, in stored form."""
    return json.dumps(list(models), ensure_ascii=False)


def shown_models(ordering: str | None) -> tuple[str, ...] | None:
    """Return the models behind a list of responses, in the order shown; None for any other text."""
    try:
        models = json.loads(ordering or "")
    except (ValueError, RecursionError):
        return None
    is_valid = isinstance(models, list) and all(isinstance(name, str) and name for name in models)
    return tuple(models) if is_valid and len(set(models)) == len(models) > 1 else None


def shown_scores(ordering: str | None) -> tuple[float, ...]:
    """Return the scores of an ordering as shown, empty if it is not one."""
    try:
        return tuple(float(part) for part in (ordering or "").split("-"))
    except ValueError:
        return ()
