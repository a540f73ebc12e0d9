"""Writes `docs/measures.md` from the catalogue.

Run `python -m tests.tools.docs.measures > docs/measures.md` after a change of the catalogue or of the slice
flags; a test fails while the page on disk differs.
"""

import sys

from engine.arrays.left_out import CODES
from engine.measures.catalogue import MEASURES
from engine.measures.entry import Measure
from engine.measures.reasons import REASONS
from engine.slices import FLAGS, GROUPINGS

_INTRO = """\
# Measures

This page is generated from the catalogue of measures
(`python -m tests.tools.docs.measures > docs/measures.md`); edit it there.

`spb measure MEASURE STUDY` prints a measure's rows; `study.measure("MEASURE")` returns them as a
pandas frame. A field with an interval has two more columns, `_low` and `_high`: a 95 % interval from 1,000
resamples of instances, unless its table names another method ([intervals.md](intervals.md)). A tested field
has `_p` and `_p_adjusted` (over judges, Benjamini-Hochberg). An undefined number is null, and
`reasons` of its row gives a code from [Why a number is missing](#why-a-number-is-missing); `left_out` counts
what was not used, by the codes of [What was left out](#what-was-left-out).
"""

_SLICES = """\
## Slices

Every measure takes these filters (as flags with hyphens on the command line), and `by` one of {groupings}.
`slice` names a saved slice, which the other filters refine; `against` compares with another slice
(`axis=accuracy;polarity=negative`), `common` keeps only the responses counted in all the sets compared, and
`resamples` and `seed` set how intervals are drawn. `interval` is `percentile` or, by default for measures of
slices, `expanded`: wider if cases are few ([intervals.md](intervals.md)).

| filter | what it keeps | choices | default |
| --- | --- | --- | --- |
"""


def describe() -> str:
    """Return the text of `docs/measures.md`."""
    slices = _SLICES.format(groupings=", ".join(f"`{name}`" for name in GROUPINGS))
    for flag in FLAGS:
        choices = ", ".join(f"`{choice}`" for choice in flag.choices)
        default = f"`{flag.default}`" if flag.default not in (None, (), False) else ""
        slices += f"| `{flag.name}` | {flag.meaning} | {choices} | {default} |\n"
    return "\n".join([_INTRO, slices, *map(_describe_measure, MEASURES.values()), *_describe_codes()])


def _describe_codes() -> list[str]:
    """Return the sections on the codes of `reasons` and of `left_out`."""
    sections = (("Why a number is missing", "meaning", REASONS), ("What was left out", "counts", CODES))
    return [
        f"## {title}\n\n| code | {verb} |\n| --- | --- |\n"
        + "".join(f"| `{code}` | {words} |\n" for code, words in codes.items())
        for title, verb, codes in sections
    ]


def _describe_measure(measure: Measure) -> str:
    lines = [
        f"## {measure.name}",
        "",
        f"{measure.title}. {measure.question}",
        "",
        f"- Formula: {measure.formula}",
        f"- Paper: {measure.paper}",
        f"- Left out: {measure.left_out}",
        f"- Compared by `against`: `{measure.headline}`, as a {measure.compared_as}",
    ]
    if not measure.sliced:
        lines[-1] = f"- Grouped by: {', '.join(f'`{name}`' for name in measure.groups) or 'nothing'}"
    lines += [f"- Option `{option.name}`: {option.meaning}" for option in measure.options]
    lines += ["", "| field | meaning | kind | interval | tested against |", "| --- | --- | --- | --- | --- |"]
    for field in measure.fields:
        tested = "" if field.null is None else f"{field.null:g}"
        interval = (measure.method(field.name) or "yes") if field.interval else ""
        lines.append(f"| `{field.name}` | {field.meaning} | {field.kind} | {interval} | {tested} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(describe())
