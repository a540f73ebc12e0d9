"""What a gate says of the judges of a study: the result of each, and of all, in sentences and rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from engine.explore.gate import (
    EXCESS_RULE,
    TOGETHER,
    GateResult,
    GateStatus,
    check_judges,
    fails_with_open_cause,
    overall,
)
from engine.explore.newest_run import NewestRun, newest_alone
from engine.measures.merged_repeats import merged_repeats
from engine.measures.undefined_reasons import meaning
from engine.phrases import full_stop, join_names
from engine.report.gate_results import gate_junit, gate_markdown, totals
from engine.slices import Repeats
from engine.wording import Sentence, Wording, in_python, option
from engine.words.based_on import runs_judged
from engine.words.other_judgments import other_conclusions, other_variants
from engine.words.slice_words import unused_reference

if TYPE_CHECKING:
    import pandas as pd

    from engine.measures.measured_study import MeasuredStudy


@dataclass(frozen=True, repr=False)
class GateReport:
    """The judges of a study checked against a rule: true where all of them pass.

    `results` has a judge each, with its number, interval and reason; `sentences` say the result of all, the
    rule, and what to know of both. `remarks` are those of them that are of runs, of a
    reference that is not used and of other judgments, `newest` what the newest run alone gives where
    several count.
    """

    study: str
    results: tuple[GateResult, ...]
    sentences: tuple[str, ...]
    remarks: tuple[str, ...] = ()
    newest: NewestRun | None = None

    @property
    def status(self) -> GateStatus:
        """The result of all: FAIL if any judge fails, else INCONCLUSIVE if any is, else PASS."""
        return overall(self.results)

    @property
    def passed(self) -> bool:
        """Whether all judges pass; not where one is inconclusive."""
        return self.status == "PASS"

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that were applied, each once."""
        return rules_of(self.results)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The results as the command's JSON has them, a dictionary for each judge."""
        rows = (asdict(result) for result in self.results)
        return [{name: value for name, value in row.items() if name != "rule"} for row in rows]

    def frame(self) -> "pd.DataFrame":
        """Return the rows as a frame."""
        import pandas as pd

        return pd.DataFrame(self.rows)

    def markdown(self) -> str:
        """Return a summary for a pull request, as `spb gate --markdown` writes it."""
        return gate_markdown(self.study, self.results, self.remarks)

    def junit(self) -> bytes:
        """Return a JUnit report, as `spb gate --junit` writes it."""
        return gate_junit(self.study, self.results)

    def in_python(self) -> "GateReport":
        """Return the same in Python's words."""
        results = tuple(replace(each, reason=in_python(each.reason)) for each in self.results)
        every = (self.sentences, self.remarks)
        sentences, remarks = (tuple(filter(None, map(in_python, each))) for each in every)
        return replace(self, results=results, sentences=sentences, remarks=remarks)

    def noting(self, *notes: str) -> "GateReport":
        """Return the same with more to know, said last."""
        return replace(self, sentences=(*self.sentences, *notes))

    def __bool__(self) -> bool:
        """Return whether all judges pass, so that `assert study.gate()` fails if one does not."""
        return self.passed

    def __repr__(self) -> str:
        """Return the sentences, one a line."""
        return "\n".join(self.sentences)


def gate_report(
    study: "MeasuredStudy",
    judges: Sequence[str] = (),
    *,
    group: bool = False,
    max_excess: float | None = None,
    max_ratio: float | None = None,
    require: str | None = None,
    independent: bool = False,
    runs: Sequence[str] = (),
    paradigm: str | None = None,
    variant: str | None = None,
    repeats: Repeats = "majority",
    of_runs: bool = True,
) -> GateReport:
    """Check the judges as `check_judges` does, by the same arguments, and say what comes of it.

    What to know of several runs takes the deciding number again, and is left out if not `of_runs`.
    """
    check = partial(
        check_judges,
        study,
        judges,
        group=group,
        max_excess=max_excess,
        max_ratio=max_ratio,
        require=require,
        independent=independent,
        paradigm=paradigm,
        variant=variant,
        repeats=repeats,
    )
    results = check(runs=runs)
    together: list[str] = []
    elsewhere: list[str] = []
    newest = None
    if of_runs and not independent:
        of_these = study.of_runs(runs)
        filters = {"paradigm": paradigm, "variant": variant, "repeats": repeats}
        together += runs_judged(of_these, filters)
        elsewhere = [*_without_reference(of_these, filters), *_elsewhere(of_these, filters)]
        newest = newest_alone(study, runs, judges, filters, check)
    by_excess = max_ratio is None and require is None and not independent
    rule = f"The rule: {'; '.join(rules_of(results))}." + (f" {EXCESS_RULE}" if by_excess else "")
    head, in_newest = _headline(overall(results), results), _in_newest(newest)
    return GateReport(
        study.name,
        tuple(results),
        sentences=(head, *in_newest, rule, *_open_causes(results), *together, *elsewhere),
        remarks=(*in_newest, *together, *elsewhere),
        newest=newest,
    )


def _without_reference(study: "MeasuredStudy", filters: Mapping[str, Any]) -> list[str]:
    """Return that the study's reference is not what the judges are checked by, if it has one."""
    if not study.references.sources:
        return []
    words = unused_reference(study.result("scorecard", **filters).filters)
    return [words] if words else []


def _elsewhere(study: "MeasuredStudy", filters: Mapping[str, Any]) -> list[str]:
    """Return which other judgments, and variants, of the study have conclusions of their own."""
    decided = merged_repeats(study, filters).paradigm
    of_others = other_conclusions(study, decided) if filters["paradigm"] is None else []
    if filters["variant"] is not None or len(study.inventory.values("variant", paradigm=decided)) < 2:
        return of_others
    return [*of_others, *other_variants(study, study.result("scorecard", **filters))]


def rules_of(results: Sequence[GateResult]) -> tuple[str, ...]:
    """Return the rules of some results, each once."""
    return tuple(dict.fromkeys(result.rule for result in results))


def _headline(status: GateStatus, results: Sequence[GateResult]) -> str:
    """Return the result of all, how many judges have which, and who has this one."""
    names = [result.judge for result in results if result.status == status]
    count = "" if names == [TOGETHER] and len(results) == 1 else f" ({totals(results)})"
    return f"{status}{count}{f': {join_names(names, _MOST_NAMED)}' if names else ''}."


def _in_newest(newest: NewestRun | None) -> list[str]:
    """Say what the newest run alone gives, where several count."""
    if newest is None:
        return []
    status = newest.status
    nothing = full_stop(f"nothing is checked: {newest.reason}")
    words = nothing if status is None else _headline(status, newest.results)
    added = ""
    if newest.added:
        added = f", which added {join_names(newest.added, _MOST_NAMED)} and has no other judge"
    return [Sentence("In the newest run alone (", option("run", newest.run), f"){added}: {words}")]


def _open_causes(results: Sequence[GateResult]) -> Iterator[str]:
    """Say why judges fail of which `spb judges` leaves the cause open."""
    names = fails_with_open_cause(results)
    if not names:
        return
    is_one = len(names) == 1 and names != [TOGETHER]
    verb, own = ("fails", "it gives its own answers") if is_one else ("fail", "they give their own answers")
    who = join_names(names, _MOST_NAMED)
    judges = Wording("spb judges", "judges()")
    yield Sentence(
        f"{who} {verb} though ",
        judges,
        f" leaves the cause open: the gate asks how much more {own}, not why.",
    )
    if any(meaning("shared_taste") in result.reason for result in results):
        yield Sentence(
            "Of a liking that judges share: ",
            Wording('spb explain "shared taste"', 'engine.explain("shared taste")'),
        )


_MOST_NAMED = 4
"""Most judges that a sentence names; the rest are counted."""
