"""The responses of a list, as the column `ordering` names them."""

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
