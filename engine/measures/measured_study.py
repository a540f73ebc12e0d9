"""A study whose measures can be computed: what views, findings and reports read.

`Study`, for notebooks and the command line, stands above them and adds frames, charts and findings.
`measured_study.pyi`, generated from the catalogue (`python -m tests.tools.study_stub --write`), tells type
checkers which options each measure takes and which fields its rows have.
"""

import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from engine.arrays.slicing.given_names import with_given_names
from engine.arrays.slicing.median_lengths import with_medians
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.text_names import names_of_groups
from engine.errors import StudyChangedError, python_words, unknown
from engine.measures.catalogue import find, with_rows
from engine.measures.compute import compute_measure
from engine.measures.entry import Measure
from engine.measures.result import Result
from engine.saved_slices import apply_saved_slices, with_plain_names
from engine.slices import FLAGS, name_of
from engine.store.named_study import find_study
from engine.store.study_files import StudyFiles


class MeasuredStudy(StudyArrays):
    """One study and its measures. What it has read is cached, so a second measure reads no file.

    The stored tables never change under it; open the study again to see additions.
    """

    @classmethod
    def open(cls, path: str | Path | None = None, *, store: str | Path | None = None) -> Self:
        """Open a study by its name in a store, its folder or its `s3://` URL; UsageError if there is none."""
        with python_words():
            return cls(find_study(path, store))

    def result(self, measure: str | Measure, **arguments: Any) -> Result:
        """Compute a measure; see `measure` for the arguments. Works without pandas."""
        entry, arguments = with_rows(measure_of(measure), with_plain_names(arguments))
        arguments = with_medians(self, self.within_runs(with_given_names(self, arguments)))
        study = self
        try:
            result = compute_measure(self, entry, **apply_saved_slices(self.info, arguments))
        except StudyChangedError:  # replaced while it was read: once more, from the new files
            study = type(self)(StudyFiles(self.files.location), self.only_runs)
            result = compute_measure(study, entry, **apply_saved_slices(study.info, arguments))
        columns = (*result.group_columns.values(), *result.filters)
        return study._finished(replace(result, names=names_of_groups(study, columns)))

    def of_runs(self, runs: str | Iterable[str] | None) -> Self:
        """Return the study with the judgments of these runs alone, or of all for none.

        UsageError, which names the runs, for one that it does not have.
        """
        if runs is None:
            return self
        several = isinstance(runs, Iterable) and not isinstance(runs, str)
        names, present = tuple(runs) if several else (runs,), self.inventory.runs
        for run in names:
            if run not in present:
                raise unknown("run", run, present)
        return type(self)(self.files, tuple(dict.fromkeys(names))) if names else self

    def _finished(self, result: Result) -> Result:
        """Return a result in the form that readers of this kind of study get."""
        return result

    def families(self, relatives: str | None = None) -> dict[str, str | None]:
        """Return the family of each model, or what `relatives` names in its place; None where unknown."""
        if relatives is not None:
            name_of(next(flag for flag in FLAGS if flag.name == "relatives"), relatives)
        return dict(zip(self.index.models, self.index.model_fields[relatives or "family"], strict=True))


def measure_of(measure: str | Measure) -> Measure:
    """Return the entry of a measure; a former name is said to be one, once at each place of a program."""
    entry = measure if isinstance(measure, Measure) else find(measure)
    if entry is not measure:
        say_successor(entry)
    return entry


def say_successor(entry: Measure) -> None:
    """Warn a program of a measure's former name, at the line that calls the study."""
    if entry.part_of is not None:
        name, rows = entry.part_of
        text = f"the measure {entry.name} is now {name} with rows={rows!r}"
        warnings.warn(text, FutureWarning, stacklevel=4)
