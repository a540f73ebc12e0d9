"""Writes `docs/findings.md` from the rules.

Run `python -m tests.tools.docs.findings > docs/findings.md` after a change of a rule's words; a test fails
while the page on disk differs.
"""

import sys
from textwrap import fill

from engine.findings.claims import QUESTIONS
from engine.findings.gather import RULES

WIDTH = 115
"""Line width of the rules, in characters."""

_INTRO = """\
# Findings

This page is generated from the rules (`python -m tests.tools.docs.findings > docs/findings.md`); edit them
there.

The explorer's page *Findings* and `study.findings()` ([notebook.md](notebook.md)) turn a study's numbers into
claims: which judges favour themselves, where they do so most, how that affects a ranking, whether a committee
helps and what it would cost, what to do, and what has changed since the last run. No model writes a
sentence: each claim is made by a rule, a small function in `engine/findings/` that reads a measure's rows.

## What a claim contains

A sentence; the number with its 95 % interval, its n and what was left out; the view it came from and the
command that prints it; and marks:

- **small**: it rests on fewer than 30 cases.
- **not significant**: p, adjusted (Benjamini-Hochberg) over *everything that its rule tried* (all
  judges, all slices, all pairs of judge and opponent), is 0.05 or more; if the number has no test, its
  interval includes the value that means no effect. Claims are not adjusted across rules, since each rule
  answers its own question.
- **contradicted**: another number says otherwise, such as a ratio that vanishes on rubrics that both
  responses failed. Claims of a raised score, a raised rank or a win rate above the truth are checked against
  numbers that account for the quality of the responses (the ratio of own failures, T), since leniency and
  chance cause them too, most of all for the weakest models. A number *shows nothing* if it is less than
  a quarter of its interval's width above the value that means no effect.
- **cause open**: of a judge, or of the judges together, that overrates its own answers or its family's:
  whether because they are its own is open.
- **simulated**: a program made the judgments.

A claim that is neither *not significant* nor *contradicted* **stands**; the others are listed under *Not
shown*, and no short answer repeats them. Claims are listed by question, those
that stand first and contradicted ones last, then in the order of the rules below, then as each rule orders
them: by the end of the interval nearer to no effect, which is far from it only if a number is both large and
certain.

If a rule cannot be applied, because the study has no reference, no family or no pairs, the page says so.

## The rules
"""


def describe() -> str:
    """Return the page's text, ending in a newline."""
    parts = [_INTRO]
    for question, title in QUESTIONS.items():
        parts.append(f"### {title}\n")
        for rule in (rule for rule in RULES if rule.question == question):
            summary = f"**{rule.title}** (`{rule.name}`, from {_source(rule.measure)}). {rule.words}"
            parts.append(fill(summary, WIDTH, break_long_words=False, break_on_hyphens=False) + "\n")
    return "\n".join(parts)


def _source(measure: str) -> str:
    return measure if " " in measure else f"`{measure}`"


if __name__ == "__main__":
    sys.stdout.write(describe())
