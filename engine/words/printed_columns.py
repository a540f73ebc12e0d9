"""Columns that commands print beside those of measures and tables, with their meanings."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """A column of a command's JSON and CSV, or a field of `study.json`."""

    name: str
    of: str
    meaning: str


_COLUMNS = {
    "study.json": {
        "name": "the study's name",
        "title": "its title",
        "dataset": "the data set that its questions come from",
        "provenance": "where its judgments come from: api, imported, simulated, or mixed",
        "committees": "the committees by name: members, paradigm, variant",
        "slices": "saved filters by name",
        "stories": "ordered lists of pinned views by name",
        "created_at": "when it was first written",
        "schema_version": "the version of the tables' columns",
        "licence": "the licence, as its source states it",
        "source": "where it was taken from",
        "notes": "remarks on it",
        "imports": "the files that were imported, and how each was read",
        "truth": "what a simulation planted",
        "label_selections": "how the items that people labelled were selected, by task",
        "parts": "the files of judgments in use",
        "tables": "its other tables, each of which must have its file",
    },
    "gate": {
        "status": "PASS, FAIL or INCONCLUSIVE",
        "rule": "the rule that was checked (CSV)",
        "rules": "the rule that was checked, once for all rows (JSON)",
        "reason": "why, in words",
        "estimate": "the number that the rule bounds: the excess (of 1), or the odds",
        "low": "the lower end of its 95% interval",
        "high": "the upper end of its 95% interval",
        "kind": "which number it is: excess, ratio or change",
        "bound": "the largest number that passes",
        "own_given": "the share of own cases that the judge passed or voted for, or its points",
        "own_expected": "the same, as expected from other judges as strict as it; with n_matched, the share "
        "of other families' failures of the same criteria that it passed",
        "n_own": "own cases that the number rests on",
        "n_matched": "pairs of its own and another family's failure of the same criterion, where no judge of "
        "another family has a part in the number, which then rests on these",
        "of_points": "whether scores decide, so that the numbers are points of own answers",
        "is_checked": "whether the rule applies to the judge",
    },
    "measure --by and --against": {
        "slice": "the value of the column of `--by`; of two, each has a column of its own name instead",
        "a": "the number in the slice",
        "b": "the number in the slice that it is compared with",
        "difference": "a divided by b where the number is a ratio, else a minus b",
        "low": "the lower end of the difference's 95% interval",
        "high": "the upper end of the difference's 95% interval",
        "p": "p-value of no difference",
        "p_adjusted": "p-value adjusted for the judges tested",
        "p_is_smallest": "whether p, and so p_adjusted, is at most that: no smaller p is possible with so "
        "few resamples",
        "small": "whether it rests on fewer than 30 cases",
        "reasons": "for each undefined number, the code of why",
        "left_out": "counts of what was not used, by code",
    },
    "plan power": {
        "judges": "the judges of the study that is planned, which answer too",
        "families": "the families that they belong to",
        "rate": "the share expected without an effect: of own cases that pass, or of pairs on which two "
        "judges differ",
        "spread": "the standard deviation of a judge's scores of one answer, in points; it counts for scores",
        "cases": "a judge's own cases in a question: criteria that its answer failed, or pairs",
        "clustering": "how alike a judge's own cases of one question are: their intraclass correlation, from "
        "0 to 1",
        "tastes": "the standard deviation of judges' tastes, in log-odds, points or shares; 0 plans to find "
        "an effect, whatever its cause",
        "heterogeneity": "the standard deviation of families' means beyond chance, in log-odds, points or "
        "shares; 0 where all judges are taken to have one effect",
    },
    "run list": {
        "run_id": "the run",
        "state": "how far it is: starting, running, stopping, or how it ended",
        "done": "calls answered",
        "total": "calls planned",
        "cost_usd": "dollars spent",
        "seconds_left": "seconds until it ends, at its present rate",
        "started_at": "when it started",
    },
}
_ENDS = {
    "_low": "The lower end of the 95% interval of {0}.",
    "_high": "The upper end of the 95% interval of {0}.",
    "_p_adjusted": "The p-value of {0}, adjusted for the judges tested.",
    "_p": "The p-value of {0}: how often chance alone gives such a number.",
}


def printed_columns() -> Iterator[PrintedColumn]:
    """Yield the columns of commands, then the ends and p-values of the fields of measures."""
    from engine.explore.find_slices import FIND
    from engine.measures.catalogue import MEASURES

    for of, columns in _COLUMNS.items():
        yield from (PrintedColumn(name, of, meaning) for name, meaning in columns.items())
    yield from (PrintedColumn(field.name, "slices", field.meaning) for field in FIND.fields)
    declared = {field.name for measure in MEASURES.values() for field in measure.fields}
    derived = {
        column: field.name
        for measure in MEASURES.values()
        for field in measure.fields
        for column in field.columns()
        if column not in declared
    }
    for column, field in derived.items():
        end = column.removeprefix(field)
        yield PrintedColumn(column, "measures", _ENDS[end].format(field))
