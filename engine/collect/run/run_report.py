"""The report of a run: its numbers, its message and its exit code."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from engine.collect.dispatch.run_status import SHORTFALLS, Counts, cache_words, shortfall_words
from engine.collect.dispatch.unread_answers import UnreadJudge
from engine.collect.limits.spending import assumed_words
from engine.phrases import quantity

End = Literal["done", "errors", "unread", "budget", "time", "interrupted"]
EXIT_CODES: dict[End, int] = {
    "done": 0, "errors": 3, "budget": 4, "unread": 5, "time": 7, "interrupted": 130,
}  # fmt: skip
"""The command's exit code: 0 all answered, 3 some unanswered, 4 stopped by the cap, 5 no answer
has a verdict, 7 stopped by `max_minutes`. 1 is an error, 2 wrong usage, 6 another active run."""


@dataclass(kw_only=True)
class RunReport(Counts):
    """The counts of a run that has ended, for `spb run --format json`, and how it ended.

    `given_up` are models with the message of the decisive failure. `missing` are the missing responses,
    which were not judged, by model and shortfall (None: not collected); `abandoned` the calls under way when
    an interruption's grace ended; `with_provider` those in open batches, which the same command collects.
    `spent` is the total cost of the run, under the `cap`, with that of earlier starts, `spent_before`, and of
    trial calls before the run, `trial_usd`;
    `assumed_usd` is what counts, in this start, for `assumed` answers of unknown cost, such as lost ones.
    `notes` are sentences on models that another one answered for, that changed between starts, or that refuse
    a parameter. `unread_judges` are those most of whose answers could not be read, in all starts of the run.
    """

    run_id: str
    end: End
    seconds: float = 0.0
    given_up: dict[str, str] = field(default_factory=dict)
    missing: Mapping[tuple[str, str | None], int] = field(default_factory=dict)
    abandoned: int = 0
    spent: float = 0.0
    spent_before: float = 0.0
    trial_usd: float = 0.0
    assumed: int = 0
    assumed_usd: float = 0.0
    cap: float | None = None
    with_provider: int = 0
    notes: list[str] = field(default_factory=list)
    unread_judges: Sequence[UnreadJudge] = ()

    @property
    def unanswered(self) -> int:
        """The number of missing responses."""
        return sum(self.missing.values())

    @property
    def calls_left(self) -> int:
        return self.planned - self.answered

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.end]

    @property
    def message(self) -> str:
        words = [f"{self.answered:,} of {self.planned:,} calls answered"]
        words += filter(None, [cache_words(self.cached, self.saved_usd)])
        if self.error:
            kinds = ", ".join(f"{kind} {number:,}" for kind, number in self.errors.items())
            words.append(quantity(self.error, "error") + (f" ({kinds})" if kinds else ""))
        if self.refused:
            every = "all " if self.refused == self.answered else ""
            words.append(f"{every}{self.refused:,} refused by the provider")
        if self.shortfalls:
            words.append(", ".join(shortfall_words(self.shortfalls)))
        words += [
            f"{count:,} answered by {names}, as the judge that answered"
            for names, count in self.stood_in.items()
        ]
        if self.unanswered:
            missing = ", ".join(
                f"{model}: {count:,}" + (f" {SHORTFALLS[shortfall][0]}" if shortfall else "")
                for (model, shortfall), count in self.missing.items()
            )
            words.append(f"{quantity(self.unanswered, 'missing answer')} not judged ({missing})")
        if self.abandoned:
            words.append(f"gave up {quantity(self.abandoned, 'call')} under way")
        if self.with_provider:
            words.append(f"{quantity(self.with_provider, 'call')} with the provider in batches")
        if self.end == "budget":
            spent = f"${self.spent:,.4g} spent"
            if self.trial_usd:
                spent += f", ${self.trial_usd:,.4g} of it on trial calls before the run"
            if self.spent_before:
                spent += (
                    f", ${self.spent_before:,.4g} of it by earlier starts of this run; --fresh begins another"
                )
            words.append(f"the budget of ${self.cap:,.4g} does not allow another call ({spent})")
        if self.assumed_usd:
            words.append(assumed_words(self.assumed, self.assumed_usd))
        if self.end == "time":
            words.append("stopped after max_minutes")
        if self.end == "interrupted":
            words.append("interrupted")
        return "; ".join([*words, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        names = ("planned", "done", "seconds", "run_id", "with_provider", "given_up", "notes", "assumed_usd")
        missing = [
            {"model": model, "shortfall": shortfall, "responses": count}
            for (model, shortfall), count in self.missing.items()
        ]
        unread = [asdict(each) for each in self.unread_judges]
        facts = {"state": self.end, "missing_responses": missing, "unread_judges": unread}
        return {name: getattr(self, name) for name in names} | super().to_dict() | facts


_WORST_FIRST: tuple[End, ...] = ("interrupted", "budget", "time", "errors", "unread")


def sum_reports(run_id: str, tries: Iterable[Sequence[RunReport]]) -> RunReport:
    """Return the sum of the shards' reports, each with those of its tries; the last ones say how it ended."""
    tries = list(tries)
    all_reports = [report for reports in tries for report in reports]
    counts = Counts.sum_of(tries)
    ends = [reports[-1].end for reports in tries]
    worst: End = next((end for end in _WORST_FIRST if end in ends), "done")
    if worst == "unread" and counts.ok:
        worst = "done"
    return RunReport(
        **vars(counts),
        run_id=run_id,
        end=worst,
        seconds=sum(report.seconds for report in all_reports),
        given_up={name: words for report in all_reports for name, words in report.given_up.items()},
        missing=max(
            (report.missing for report in all_reports), key=lambda each: sum(each.values()), default={}
        ),
        abandoned=sum(report.abandoned for report in all_reports),
        spent=max((report.spent for report in all_reports), default=0.0),
        spent_before=min((report.spent_before for report in all_reports), default=0.0),
        trial_usd=max((report.trial_usd for report in all_reports), default=0.0),
        assumed=sum(report.assumed for report in all_reports),
        assumed_usd=sum(report.assumed_usd for report in all_reports),
        cap=max((report.cap for report in all_reports if report.cap is not None), default=None),
        notes=list(dict.fromkeys(note for report in all_reports for note in report.notes)),
    )
