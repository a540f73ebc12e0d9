"""`docs/findings.md`, written from the rules.

Run `python -m tests.tools.docs.findings > docs/findings.md` after a change of a rule's words; a test fails
while the page on disk says something else.
"""

import sys
from textwrap import fill

from engine.findings.claims import QUESTIONS
from engine.findings.gather import RULES

WIDTH = 115
"""Characters of a line of the rules."""

_INTRO = """\
# Findings

This page is made from the rules (`python -m tests.tools.docs.findings > docs/findings.md`); edit it there.

The page *Findings* of the explorer and `study.findings()` ([notebook.md](notebook.md)) say what a study's
numbers claim: which judges favour themselves, where most, what it does to a ranking, whether a committee
helps and what it would cost, what to do, and what has changed since the last run. No model writes a
sentence: each claim is made by a rule, a small function in `engine/findings/` that reads rows of a
measure.

## What a claim carries

A sentence; the number with its 95 % interval, its n and what was left out; the view it came from and the
command that prints it; and marks:

- **small**: fewer than 30 cases stand behind it.
- **not significant**: p, adjusted after Benjamini and Hochberg over *everything that its rule tried* (all
  judges, all slices, all pairs of judge and opponent), is 0.05 or more; where the number has no test, its
  interval holds the value that means nothing found. Claims are not adjusted over the page: each rule asks a
  question of its own.
- **contradicted**: another number says otherwise. First of all a ratio that vanishes on rubrics that both
  responses failed. Claims of a lifted score, a lifted place and a win rate above the truth are held against
  the numbers that allow for how good the responses are (the ratio of own failures, T): they come of mere
  leniency or chance too, and most for the weakest models. A number *shows nothing* where it stands less
  than a quarter of its interval's width above the value that means nothing.
- **simulated**: the judgments were made up.

A claim without the second and third mark *stands*. Claims are told question by question, those that stand
first and those contradicted last; among these in the order of the rules below, and within a rule in the
rule's own order, which goes by the end of the interval that lies nearer to nothing: it is far off only
where a number is both sure and large.

What a rule could not try, for want of a reference, of its family or of pairs, is said on the page with the
reason.

## The rules
"""


def describe() -> str:
    """Return the page's text, ending in a newline."""
    parts = [_INTRO]
    for question, title in QUESTIONS.items():
        parts.append(f"### {title}\n")
        for rule in (rule for rule in RULES if rule.question == question):
            summary = f"**{rule.title}** (`{rule.name}`, from {_source(rule.measure)}). {rule.method.words}"
            parts.append(fill(summary, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n")
    return "\n".join(parts)


def _source(measure: str) -> str:
    return measure if " " in measure else f"`{measure}`"


if __name__ == "__main__":
    sys.stdout.write(describe())
