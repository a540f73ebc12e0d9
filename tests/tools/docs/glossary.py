"""Writes `docs/glossary.md` from the glossary.

Run `python -m tests.tools.docs.glossary > docs/glossary.md` after a change of a term; a test fails while the
page on disk differs.
"""

import sys

from engine.words.glossary import GLOSSARY

_INTRO = """\
# Glossary

The terms that pages, reports and commands use; `spb explain` prints them. This page is generated from
`engine/words/glossary.py` (`python -m tests.tools.docs.glossary > docs/glossary.md`); edit it there.
Formulas are in [Measures](measures.md), columns in [Store](store.md).

| Term | Meaning |
| --- | --- |
"""


def describe() -> str:
    """Return the text of `docs/glossary.md`."""
    return _INTRO + "".join(f"| {term.name} | {term.meaning} |\n" for term in GLOSSARY)


if __name__ == "__main__":
    sys.stdout.write(describe())
