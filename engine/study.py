"""`Study`: an open study, as notebooks, the command line and the pages use it.

It stands above views, findings, charts and reports, which read a `MeasuredStudy`. `study.pyi`, generated from
the catalogue (`python -m tests.tools.study_stub --write`), tells type checkers and editors which options each
measure takes and which fields its rows have.
"""

import datetime as dt
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from engine.arrays.slicing.given_names import names_given, with_given_names
from engine.arrays.study_arrays import StudyArrays
from engine.arrays.tables import judgment_frame, response_frame
from engine.errors import UsageError, nearest, python_words, quoted
from engine.findings.findings import Findings
from engine.measures.catalogue import MEASURES, with_rows
from engine.measures.entry import Measure
from engine.measures.measured_study import MeasuredStudy, measure_of, say_successor
from engine.measures.measures_frame import frame_of_measures
from engine.measures.methods import docstring_of, method_name, signature_of
from engine.measures.reading import frame_to_read
from engine.measures.result import Result
from engine.slices import FLAG_NAMES, FLAGS, Repeats, parts_of
from engine.store import Mode
from engine.store.study_files import StudyFiles
from engine.values import python_value, true_or_false
from engine.wording import in_python, option
from engine.words.no_numbers import without_number

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

    from engine.report.gate_report import GateReport


@dataclass(frozen=True, repr=False, eq=False)
class StudyResult(Result):
    """A result that knows the models' families, so that a notebook shows it with its chart."""

    families: Mapping[str, str | None] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        """Return the chart and the rows as HTML for a notebook."""
        from engine.report.notebook import result_html

        return result_html(self, self.families)


@dataclass(frozen=True, repr=False)
class StudyFindings(Findings):
    """Findings that a notebook shows."""

    def _repr_html_(self) -> str:
        """Return the findings as HTML for a notebook, with the board of judges."""
        from engine.report.notebook import findings_html

        return findings_html(self)


class Study(MeasuredStudy):
    """One study. What it has read is cached, so a second measure reads no file.

    The stored tables never change under it; open the study again to see additions.
    """

    def __init__(self, files: StudyFiles, only_runs: tuple[str, ...] = ()) -> None:
        if not isinstance(files, StudyFiles):
            raise UsageError(f"Study takes the files of a study; write engine.open_study({quoted(files)})")
        super().__init__(files, only_runs)

    def _finished(self, result: Result) -> StudyResult:
        """Return a result that knows the models' families."""
        return StudyResult(**vars(result), families=self.families(result.filters.get("relatives")))

    def result(self, measure: str | Measure, **arguments: Any) -> Result:
        """Compute a measure; see `measure` for the arguments. Works without pandas."""
        by = arguments.get("by")
        if by is None or (isinstance(by, str) and "," not in by):
            return super().result(measure, **arguments)
        by = list(map(str, parts_of(by)))  # a text is split as in a terminal
        if not by:
            raise UsageError(option("by"), ' names no column; give one such as "category", or leave it out')
        if len(by) == 1:
            return super().result(measure, **{**arguments, "by": by[0]})
        from engine.explore.two_columns import result_by_two  # which needs an open study

        return result_by_two(self, measure, by, arguments)

    def measure(self, measure: str | Measure, **arguments: Any) -> "pd.DataFrame":
        """Compute a measure of a slice and return its rows.

        `measure` is a name or an entry of the catalogue. Arguments are the filters of `engine.Slice`, `slice`
        (an `engine.Slice`, or the name of a saved one; a filter beside it is added, or takes the place of its
        own of that name), the measure's own options, and `by` (a column to group by, or two, as a list),
        `against` (a slice, or its filters, to compare with), `common` (only answers counted in all slices and
        for all judges compared), `resamples` (1000; 0: no intervals), `seed`, and `interval` (`percentile`,
        or `expanded`: wider if cases are few).
        Intervals are of 95% and, but for those of conclusions, not adjusted for the number of judges. Those
        of resamples depend on the seed, and a little on the order of the study's rows and on its other runs,
        which give each question its place in the draws. Columns are the fields of the catalogue, after
        `slice`, the value of `by`, or those of two under their own names; `attrs` holds `filters`,
        `left_out`, `reason` and `remarks`: what to know of the numbers, such as what merging several runs
        leaves out, which is warned of too.
        Raises an error of `engine.errors` that names the choices.
        """
        entry = measure_of(measure)
        with python_words():
            _check_arguments(arguments)
            result = self.result(entry, **arguments)
            return self._with_remarks(result, result.frame(), stacklevel=3)

    def judges(self, *, full: bool = False, **arguments: Any) -> "pd.DataFrame":
        """Return what is concluded on each judge: the codes of `spb judges`, a row for each.

        `attrs["sentences"]` says it in words, of the judges together first, and which other kinds of
        judgments, and variants, have conclusions: these rest on one, `attrs["filters"]["paradigm"]` and
        `["variant"]`. The conclusion on
        them is no row: its numbers are in `attrs["mean"]`, and in `attrs["together"]`.
        `own_given` is the share of own cases that it passed, `own_expected` the share that judges of other
        families lead to expect, `n_own` the own cases; `print(study.judges().to_string())` hides none of
        these columns, as pandas does in a narrow terminal. Intervals are adjusted for the number of judges,
        as the conclusions are; `full=True` has 95% ones, which are not, as `excess_low_plain`. With
        `by="category"`, a row for each judge and value of that column, and these numbers alone, with
        intervals that are not adjusted. Other arguments are those of `scorecard`; `full=True`
        returns all columns. `attrs["remarks"]` holds what merging several runs leaves out (`run="monday"`
        takes one), and that judges contradict what is true, so that verdicts are probably read inverted; it
        is warned of too.
        """
        measure = _of_judges(arguments)
        with python_words():
            _check_arguments(arguments)
            result = self.result(measure, **arguments)
            frame = self._to_read(result, full=full)
        if measure == "scorecard":
            from engine.views.summaries import summary_of
            from engine.words.other_judgments import other_conclusions, other_variants

            sentences = [*summary_of(result).sentences]
            if arguments.get("paradigm") is None:
                sentences += other_conclusions(self, result.filters.get("paradigm"))
            sentences += other_variants(self, result)
            frame.attrs["sentences"] = [in_python(sentence) for sentence in sentences]
        return frame

    def _to_read(self, result: Result, *, full: bool) -> "pd.DataFrame":
        true_or_false("full", full)
        frame = self._with_remarks(result, frame_to_read(result, full=full), stacklevel=4)
        if frame.empty and (reason := frame.attrs["reason"]) is not None:
            warnings.warn(f"{result.measure.name} of {self.name} has no rows: {reason}", stacklevel=3)
        elif number := without_number(result):
            warnings.warn(f"{result.measure.name} of {self.name} has no {number}", stacklevel=3)
        return frame

    def _with_remarks(self, result: Result, frame: "pd.DataFrame", *, stacklevel: int) -> "pd.DataFrame":
        """Return the frame with its remarks, each a warning too, unless `repeats` says what is to count."""
        from engine.words.based_on import OfRuns
        from engine.words.conclusion_remarks import remarks_on_conclusions

        remarks = remarks_on_conclusions(self, result)
        frame.attrs["remarks"] = [in_python(remark) for remark in remarks]
        for remark in remarks:
            if result.filters.get("repeats") != "first" or not isinstance(remark, OfRuns):
                warnings.warn(in_python(remark), stacklevel=stacklevel)
        return frame

    def judgments(
        self, *, full: bool = False, **columns: str | float | Sequence[str | float] | None
    ) -> "pd.DataFrame":
        """Return the judgments as they are stored, a row for each verdict, score or choice.

        Arguments select rows by a column: `judge="gpt-4o"`, `run="monday"`, `paradigm=["pairwise"]`,
        `points=5`; None and an empty list select all, also of `met`, so that rows without a verdict are
        selected by `status`. By default those columns that name a judgment and hold a verdict in this study;
        `full=True` returns all columns, with `axis`, `category`, `segment`, `language`, `checker` and
        `points` where the study has them, and the texts of `question` and `criterion`. A judgment without a
        verdict is missing (NA), and `status` says why. Beside what is stored stand `theme`, the criterion's
        or else the question's, and for verdicts on criteria `reference_met`, the study's reference (programs
        first, then people), and `points` if some are below 0: it is good for an answer if such a criterion is
        not met.
        """
        true_or_false("full", full)
        _warn_of_empty(columns, columns)
        with python_words():
            return judgment_frame(self, columns, full=full)

    def responses(
        self, *, full: bool = False, **columns: str | float | Sequence[str | float] | None
    ) -> "pd.DataFrame":
        """Return what the models wrote, a row for each answer; of some runs, those that these judged.

        Arguments select rows by a column: `generator="gpt-4o"`. `full=True` returns all columns.
        """
        true_or_false("full", full)
        _warn_of_empty(columns, columns)
        with python_words():
            return response_frame(self, columns, full=full)

    def measures(self, *, full: bool = False) -> "pd.DataFrame":
        """Return the measures, a row for each: its method, its question, and whether it applies here.

        `applies` is whether it has rows for this study by its defaults, for which each is computed once,
        without intervals; what one that has none needs, its result says. `full=True` adds definition, paper,
        and what is left out.
        """
        true_or_false("full", full)
        with python_words():
            return frame_of_measures(self, full=full)

    def plot(self, measure: str | Measure | None = None, **arguments: Any) -> "alt.TopLevelMixin":
        """Draw a measure as the explorer's page does: by default, or as "judges", the conclusions on judges.

        Arguments are those of `measure`. The chart is written to a file by its own method:
        `study.plot().save("judges.png")`. Raises UsageError that lists the measures with a chart if this one
        has none, and one with the reason if there is nothing to draw.
        """
        from engine.charts import check, draw

        if isinstance(measure, str) and measure.endswith((".png", ".svg", ".pdf", ".html", ".json")):
            raise UsageError(
                f"plot takes a measure, not the file {measure!r}; write plot().save({measure!r})"
            )
        with python_words():
            _check_arguments(arguments)
            if measure is None or measure == "judges":
                measure = _of_judges(arguments)
            declared = measure_of(measure)
            entry, others = with_rows(declared, arguments)
            check(entry.name, others)
            result = self.result(entry, **others)
            return draw(result, self.families(result.filters.get("relatives")))

    def find_result(self, **arguments: Any) -> Result:
        """Search the study for slices that stand out; see `slices`. Works without pandas."""
        from engine.explore.find_slices import search_study

        return search_study(self, **arguments)

    def slices(self, **arguments: Any) -> "pd.DataFrame":
        """Compare every slice by one or two columns with the rest of its judge's verdicts on criteria.

        Arguments are the slice flags, `slice` (the name of a saved one), `top` (the number of rows) and `by`
        (the columns of the slices, else all).
        Returns the slices, most certain first, with the fields of `engine.explore.find_slices.FIND`; `attrs`
        holds `filters` (what was searched, how many slices were tried), `left_out`, `reason` and `remarks`.
        """
        with python_words():
            _check_arguments(arguments)
            result = self.find_result(**arguments)
            return self._with_remarks(result, result.frame(), stacklevel=3)

    def find(self, **arguments: Any) -> "pd.DataFrame":
        """Return the slices that stand out; the former name of `slices`."""
        return self.slices(**arguments)

    def findings(self, *, resamples: int | None = None, seed: int | None = None) -> StudyFindings:
        """Return the study's findings: claims with their numbers, made by rules (`engine.findings`).

        `resamples` (1000) and `seed` (0) apply to the intervals.
        """
        from engine.findings.gather import findings

        return StudyFindings(**vars(findings(self, resamples=resamples, seed=seed)))

    def gate(
        self,
        judge: str | Sequence[str] = (),
        *,
        max_excess: float | None = None,
        max_ratio: float | None = None,
        require: Literal["no_material_preference", "not_shown"] | None = None,
        independent: bool = False,
        group: bool = False,
        run: str | Sequence[str] = (),
        paradigm: str | None = None,
        variant: str | None = None,
        repeats: Repeats = "majority",
    ) -> "GateReport":
        """Check the judges, or those named, against one rule, as `spb gate` does.

            result = study.gate(max_excess=10)
            print(result)  # the result of all, the rule, and what to know of both
            assert result, str(result)  # a failure says who fails, and by which rule
            result.frame()  # a row for each judge: status, estimate, low, high, reason

        `max_excess` (10 if no rule is given): a judge is PASS if what it passes beyond the expected lies,
        with its whole 95% interval, below so many of 100 own cases; else FAIL if it is concluded that it
        favours itself or overrates its own answers, and INCONCLUSIVE if not. `max_ratio` bounds the odds,
        `require` names a conclusion, and `independent` fails a judge that judges its own family. `group`
        checks the judges together, as one. `run`, `paradigm`, `variant` and `repeats` say which judgments
        count.

        Raises UsageError where the rule applies to no judge.
        """
        from engine.explore.share_of_cases import share_of_cases
        from engine.report.gate_report import gate_report

        independent, group = true_or_false("independent", independent), true_or_false("group", group)
        within = self.within_runs(with_given_names(self, {"run": run}))
        runs = () if independent and not run else parts_of(within["run"])
        with python_words():
            checked = gate_report(
                self,
                names_given(self, "judges", judge),
                max_excess=python_value(max_excess),
                max_ratio=python_value(max_ratio),
                require=require,
                independent=independent,
                group=group,
                runs=runs,
                paradigm=paradigm,
                variant=variant,
                repeats=repeats,
            )
        hint = share_of_cases("max_excess", max_excess)
        return checked.noting(*([] if hint is None else [hint])).in_python()

    def power(
        self,
        excess: float | Sequence[float] = (),
        *,
        questions: int | None = None,
        power: float = 0.8,
        tastes: float = 0.0,
    ) -> "pd.DataFrame":
        """Return how many questions a study like this one needs to find an excess, as `spb plan power` does.

            study.power(10)  # 10 of 100 own cases beyond those expected
            study.power(10, questions=200)  # the power of so many

        `excess` is one number of 100 own cases or several, by default 5, 10 and 20 (of scores: points, 2, 5
        and 10). A row for each excess and `target`: `adjusted` is one of several judges that are tested,
        `group` the judges together, `judge` one named beforehand; `questions` and `power` are missing where
        no number is enough, and `reason` says why. `effect` is the excess in the unit of the number on which
        the conclusions rest (`attrs["measure"]`). What is assumed, such as the share that is expected to
        pass (`rate`), is taken from this study, where it has such judgments; `attrs["assumed"]` has it:
        `judges`, `families`, `rate`, `spread`, `cases`, `clustering` and `tastes`, which
        `engine.explain("clustering")`, say, explains, and `heterogeneity`, the standard deviation of
        families' means beyond sampling, which the judges together are planned with. `attrs["sentences"]`
        has what to know of it, such as how many questions have the cases that count. To find that a judge
        favours itself, more than judges' tastes explain, give `tastes`, such as 0.34 log-odds (MEASURES 16).
        """
        import pandas as pd

        from engine.explore.planned_excess import planned_rows
        from engine.words.based_on import runs_judged

        excesses = [python_value(each) for each in parts_of(python_value(excess))]
        with python_words():
            rows, assumed, caveats = planned_rows(
                self, excesses, wanted=power, instances=questions, tastes=tastes
            )
        columns = {"instances": "questions"}
        names = ["excess", "effect", "target", "questions", "power", "reason"]
        frame = pd.DataFrame(rows).rename(columns=columns).reindex(columns=names)
        frame["questions"] = frame["questions"].astype("Int64")
        frame.attrs |= {"measure": assumed.pop("measure"), "assumed": assumed, "power": power}
        frame.attrs["sentences"] = [in_python(each) for each in (*caveats, *runs_judged(self))]
        return frame

    def report(
        self, path: str | Path, *, story: str = "main", date: str | dt.date | None = None, force: bool = False
    ) -> Path:
        """Write the report of the study into one file, and return its path, as `spb report` does.

            study.report("report.html")  # or .md

        It has the findings and the pinned views of a `story`. `date` (2026-11-22, or a `datetime.date`) is
        printed, by default today's. Raises UsageError if the file exists already, unless `force`.
        """
        from engine.report.saving import save_report

        with python_words():
            return save_report(self, path, story=story, date=date, force=force)

    def card(
        self, judge: str, path: str | Path, *, date: str | dt.date | None = None, force: bool = False
    ) -> Path:
        """Draw the conclusion on one judge into a file, and return its path, as `spb report --judge` does.

            study.card("gpt-4o", "card.svg")  # or .png, .md, .html

        `date` is printed, by default the study's. Raises UsageError if the file exists already, unless
        `force`.
        """
        from engine.report.saving import save_card

        with python_words():
            return save_card(self, judge, path, date=date, force=force)

    def save(
        self,
        name: str,
        *,
        store: str | Path | None = None,
        mode: Mode = "new",
        run: str | None = None,
    ) -> Self:
        """Write the study into a store as the study `name`, and return that one, for commands and pages too.

            monday = engine.from_frame(frame, judge="rater", met="verdict")
            monday.save("weeks", run="monday")
            tuesday.save("weeks", run="tuesday", mode="append")

        `store` is a folder or `s3://` URL, by default SPB_STORE, else `results`. `mode` is "new", which
        refuses a name that exists, "append" or "replace". `run` names the run of judgments that name none.
        The checks are those of an import. Of a study of some runs, only their judgments are written.
        """
        from engine.importers.saved_copy import save_copy

        with python_words():
            files = save_copy(self.files, name, runs=self.only_runs, store=store, mode=mode, run=run)
        return type(self)(files)

    def chart(self, measure: str | Measure, **arguments: Any) -> "alt.TopLevelMixin":
        """Draw a measure; the former name of `plot`."""
        return self.plot(measure_of(measure), **arguments)

    def __dir__(self) -> list[str]:
        """Return what is there for readers of a study: not the measures' arrays, nor former names."""
        former = {method_name(measure) for measure in MEASURES.values() if measure.part_of is not None}
        hidden = {*vars(StudyArrays), *vars(self), *former, *_NOT_COMPLETED} - {"name", "info"}
        return [name for name in super().__dir__() if name.startswith("__") or name not in hidden]

    def __getattr__(self, name: str) -> Any:
        """Raise AttributeError for a method that there is not, with the one that was perhaps meant."""
        if hasattr(type(self), name):  # whose own error this is
            object.__getattribute__(self, name)
        problem = f"a study has no {name!r}"
        if not name.startswith("_"):
            meant = nearest(name, dir(self))
            problem += f"; did you mean {meant}" if meant else "; study.measures() lists its measures"
        raise AttributeError(problem, name=name, obj=self)

    def __repr__(self) -> str:
        """Return the study's folder; nothing is read."""
        return f"<Study: {self.files.path}>"

    def _repr_html_(self) -> str:
        """Return the board of judges and the study's contents, for a notebook."""
        from engine.report.notebook import study_html

        return study_html(self)


_NOT_COMPLETED = ("chart", "find", "find_result", "open")
"""Methods that Tab leaves out: former names, what `slices` and `open_study` do, for programs."""


def _of_judges(arguments: Mapping[str, Any]) -> str:
    """Return the measure that says what is concluded on judges, or grouped what is expected of them."""
    return "scorecard" if arguments.get("by") is None else "expected"


_SWITCHES = {
    "common",
    *(each.name for each in FLAGS if each.kind == "switch"),
    *(each.name for measure in MEASURES.values() for each in measure.options if each.kind == "switch"),
}
"""The arguments of measures that are True or False."""


def _check_arguments(arguments: Mapping[str, Any]) -> None:
    """Refuse a switch that is neither True nor False, and warn of a filter without a value."""
    for name in _SWITCHES & arguments.keys():
        if arguments[name] is not None:
            true_or_false(name, arguments[name])
    _warn_of_empty(arguments, (*FLAG_NAMES, "judge", "generator"), stacklevel=4)


def _warn_of_empty(arguments: Mapping[str, Any], names: Iterable[str], stacklevel: int = 3) -> None:
    """Warn of a filter without a value, which a program may have meant to select nothing: it selects all."""
    for name in names:
        value = arguments.get(name)
        if isinstance(value, Sized) and not isinstance(value, tuple) and not len(value):
            warnings.warn(f"{name}= is empty, which selects all, as without it", stacklevel=stacklevel)


def _method(measure: Measure) -> Callable[..., "pd.DataFrame"]:
    """Return the method of a measure, with the signature and the docstring of its entry."""

    def method(self: Study, *, full: bool = False, **arguments: Any) -> "pd.DataFrame":
        say_successor(measure)
        with python_words():
            _check_arguments(arguments)
            return self._to_read(self.result(measure, **arguments), full=full)

    method.__name__ = method_name(measure)
    method.__qualname__ = f"Study.{method.__name__}"
    method.__doc__ = docstring_of(measure)
    method.__signature__ = signature_of(measure)  # type: ignore[attr-defined]
    return method


for _measure in MEASURES.values():
    if not hasattr(Study, method_name(_measure)):  # one of another package never hides a method
        setattr(Study, method_name(_measure), _method(_measure))
