"""Writes `docs/llms.txt`, the list of pages for language models, from the navigation of `mkdocs.yml`.

Run `python -m tests.tools.docs.llms > docs/llms.txt` after a change of the navigation or of a page's first
sentences; a test fails while the file on disk differs. Its links are those of the pages as Markdown, which
`hooks.py` beside this module puts into the site.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
_SUMMARY = (
    "Measures whether LLM judges favour their own answers, or those of their family, from verdicts, "
    "comparisons or scores. A command line (`spb`), a Python package (`engine`) and an explorer. The "
    "commands to know: `spb import FILE --study NAME`, `spb judges NAME`, `spb open NAME`; `-h` after any "
    "command describes it."
)

_NOTES = """\
- Demonstrations (`demo-health` on the pages): `spb data fetch demonstrations` copies simulated studies \
into `results/`.
- A study needs judges of three families (four for a conclusion on the judges together), verdicts of \
judges on their own answers, judges of other families on the same answers, and of pairs **both orders**, \
with `first` saying which answer was shown first. `spb import FILE --dry-run` says what a file allows.
- Exit codes: 0 answered; 2 wrong usage or input, nothing written; 3 no answer, as with too little data. \
Of `spb gate`: 0 pass, 1 fail, 3 inconclusive, 2 not checked.
- `--format json` prints every number, with its interval and the reasons; messages go to standard error. \
A table may have fewer columns and rows than `--all`.
- The spending cap of a run is `max_usd` under `[run]` of its configuration, or `--max-usd`.
"""
"""What a program that has this page alone cannot guess."""


class _Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, whose tags for Python objects are not needed here."""


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)


def navigation() -> list[Any]:
    """Return the navigation of the site: pages by title, and sections of them."""
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    site: dict[str, Any] = yaml.load(text, _Loader)  # noqa: S506 - a safe loader, of the project's own file
    return list(site["nav"])


def describe() -> str:
    """Return the text of `docs/llms.txt`."""
    return (
        "\n".join(["# Self-preference explorer", "", f"> {_SUMMARY}", "", _NOTES, *_lines(navigation())])
        + "\n"
    )


def _lines(entries: list[Any]) -> Iterator[str]:
    pages = [each for each in entries if isinstance(next(iter(each.values())), str)]
    sections = [each for each in entries if each not in pages]
    if pages:
        yield "## Start here"
        yield ""
    for entry in pages:
        yield from map(_line, entry, entry.values())
    for section in sections:
        ((title, inner),) = section.items()
        yield f"\n## {title}\n"
        for entry in inner:
            yield from map(_line, entry, entry.values())


def _line(title: str, page: str) -> str:
    return f"- [{title}]({page}): {first_sentence((ROOT / 'docs' / page).read_text('utf-8'))}"


def first_sentence(page: str) -> str:
    """Return the first sentence of a page's first paragraph, as plain text."""
    text = re.sub(r"<!--.*?-->\n*|```.*?```", "", page, flags=re.DOTALL)
    paragraphs = [each for each in text.split("\n\n") if each.strip() and not each.lstrip().startswith("#")]
    words = " ".join(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraphs[0]).split())
    return re.split(r"(?<=[.?!])\s", words)[0].removesuffix(":")


if __name__ == "__main__":
    sys.stdout.write(describe())
