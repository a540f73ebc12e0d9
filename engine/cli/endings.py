"""The ending of the file of --out, and the format that it says."""

from pathlib import Path

from engine.cli.former import is_former
from engine.errors import UsageError

_MARKDOWN = (".md", ".markdown")

_ENDINGS_OF = {
    "table": _MARKDOWN,
    "text": _MARKDOWN,
    "md": _MARKDOWN,
    "markdown": _MARKDOWN,
    "html": (".html", ".htm"),
    **{name: (f".{name}",) for name in ("csv", "json", "svg", "png", "pdf")},
}
"""The endings that go with each format; one that goes with no format, such as .txt, goes with all."""


def check_format_of(out: str, form: str) -> None:
    """Raise UsageError if the ending of a file's name says another format than the one given."""
    ending, fitting = Path(out).suffix.lower(), _ENDINGS_OF.get(form)
    others = {each for endings in _ENDINGS_OF.values() for each in endings}
    if fitting is None or ending in fitting or ending not in others or is_former():
        return
    own = ".txt" if form in ("table", "text") else fitting[0]
    raise UsageError(
        f"--format {form} contradicts --out {out!r}, of which {ending} says the format; leave --format out, "
        f"or choose a name that ends in {own}"
    )
