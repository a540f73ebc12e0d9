"""What the words of a run's configuration mean: its fields, and the words under which they are looked for."""

from collections.abc import Iterator
from typing import Any

from engine.phrases import full_stop

_HELP = "`spb run example` prints a configuration, and docs/run-options.md has all its fields."
_SUBJECTS: dict[str, tuple[tuple[str, ...], str]] = {
    "configuration": (
        ("config", "config.toml", "run.toml", "toml", "run configuration"),
        (
            "the TOML file of `spb run`: the study, who answers, who judges and how, each model's name, "
            "price and parameters, and the spending cap. `spb run -h` shows the smallest."
        ),
    ),
    "cap": (
        ("spending cap", "budget"),
        (
            "what a run may cost in US dollars, over all its starts: `max_usd` under [run] in its "
            "configuration, or `spb run CONFIG.toml --max-usd X`. It needs the price of each model."
        ),
    ),
    "price": (
        ("prices", "cost per token"),
        (
            'what a model costs, as litellm lists it; else `price = "IN/OUT"` under [models.NAME] in a '
            "run's configuration, in US dollars per million tokens sent and received, or `spb try --price`."
        ),
    ),
}
"""What people look for, with its other names and its meaning."""


def run_subjects(name: str) -> Iterator[dict[str, Any]]:
    """Yield what of a run's configuration is called so, in lower case and with spaces."""
    for subject, (others, meaning) in _SUBJECTS.items():
        if name in (subject, *others):
            yield {"name": subject, "kind": "spb run", "meaning": f"{meaning} {_HELP}"}


_OTHER_NAMES = {
    "base url": "api base",
    "openai base url": "api base",
    "openai api base": "api base",
    "endpoint": "api base",
    "api key": "api key env",
}
"""What other programs call a field, with spaces, and the field."""


def run_fields(name: str) -> Iterator[dict[str, Any]]:
    """Yield the fields of a run's configuration of that name, in lower case and with spaces."""
    from engine.collect.configuration.read_config import fields_by_table

    name = _OTHER_NAMES.get(name, name)
    for table, fields in fields_by_table().items():
        for field, meaning in fields.items():
            if field.replace("_", " ") == name:
                kind = f"field of a run's configuration, {table}"
                yield {"name": field, "kind": kind, "meaning": f"{full_stop(meaning)} {_HELP}"}
