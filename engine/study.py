"""A study opened for measuring: what notebooks, the command line and the pages use."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.arrays import StudyArrays
from engine.measures.driver import take
from engine.saved_slices import refined
from engine.store import StudyFiles

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from engine.findings import Findings
    from engine.measures.result import Result


class Study(StudyArrays):
    """One study. What is read is kept: a second measure reads no file.

    The stored tables never change under it; open the study again to see what was added.
    """

    @classmethod
    def open(cls, path: str | Path) -> "Study":
        """Open the study in a folder or at an `s3://` URL; UsageError where there is none."""
        return cls(StudyFiles.at(path))

    def result(self, measure: str, **asked: Any) -> "Result":
        """Take a measure; see `measure` for the arguments. Works without pandas."""
        return take(self, measure, **refined(self.info, asked))

    def measure(self, measure: str, **asked: Any) -> "pd.DataFrame":
        """Take a measure of a slice and return its rows.

        Arguments are the slice flags (`engine.slices.Slice`), `slice` (the name of a saved one, which the
        flags refine), the measure's own options, and `by` (a column to group by), `against` (filters of a
        slice to compare with), `common`, `resamples` (1000; 0: no intervals), `seed`, and `interval`
        (`percentile`, or `expanded`: wider where cases are few). Columns are the fields that the catalogue
        names; `attrs` holds `filters`, `left_out` and `reason`.
        Raises an error of `engine.errors` that names the choices.
        """
        return self.result(measure, **asked).frame()

    def found(self, **asked: Any) -> "Result":
        """Search the study for slices that stand apart; see `find`. Works without pandas."""
        from engine.finder import found

        return found(self, **refined(self.info, asked))

    def find(self, **asked: Any) -> "pd.DataFrame":
        """Hold every slice of one column and of two against the rest of its judge's rubric verdicts.

        Arguments are the slice flags, `slice` (the name of a saved one), and `top` (that many rows). Returns
        the slices, the surest first, with the fields of `engine.finder.FIND`; `attrs` holds `filters` (what
        was searched, how many slices were tried), `left_out` and `reason`.
        """
        return self.found(**asked).frame()

    def findings(self, *, resamples: int | None = None, seed: int | None = None) -> "Findings":
        """Return what is found in the study: claims with their numbers, made by rules (`engine.findings`).

        `resamples` (1000) and `seed` (0) are those of the intervals.
        """
        from engine.findings import findings

        return findings(self, resamples=resamples, seed=seed)

    def chart(self, measure: str, **asked: Any) -> "alt.TopLevelMixin":
        """Take a measure, with the arguments of `measure`, and return its chart, for a notebook.

        Raises what `measure` raises, and UsageError where no chart is drawn of the measure or of its
        rows.
        """
        from engine.charts import check, draw

        check(measure, asked)
        result = self.result(measure, **asked)
        kin = self.index.model_fields[result.filters.get("relatives") or "family"]
        return draw(result, dict(zip(self.index.models, kin, strict=True)))
