"""Diagnoses what can be measured in a study, with warnings, and estimates the cost of a planned study."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import median
from typing import TYPE_CHECKING, Any, Literal

import pyarrow.compute as pc

from engine.errors import SpbError, UsageError
from engine.explore.answering_models import notes_on
from engine.measures.catalogue import MEASURES, find
from engine.measures.compute import check_resamples
from engine.measures.entry import Measure
from engine.measures.result import REASONS, Result
from engine.measures.rows import FEW
from engine.schema import PAIR_PARADIGMS
from engine.stats.power import Assumptions, StudySize
from engine.values import quantity

if TYPE_CHECKING:
    from engine.store.study_files import StudyFiles
    from engine.study import Study


# ------------------------------------------------------------------------------
# The diagnosis, as data and as lines of text.


_MOST_NAMES = 6

Answer = Literal["yes", "partly", "no"]


@dataclass(frozen=True, slots=True)
class JudgeRelations:
    """A judge's family, whether it judges its own responses, its relatives, and the number of others."""

    judge: str
    family: str | None
    own: bool
    relatives: tuple[str, ...]
    others: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a measure can be computed: `defined` of its `rows` rows have the headline number.

    `why` says what is missing; `width` is the median half-width of the headline's 95% intervals (in its own
    units), None without intervals.
    """

    measure: str
    title: str
    answer: Answer
    defined: int
    rows: int
    why: str
    headline: str
    width: float | None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The whole diagnosis; `cautions` apply to any number of the study.

    `scorecard` are the rows with the conclusion on each judge, which `engine.words.conclusions` words.
    """

    study: str
    judges: tuple[JudgeRelations, ...]
    generators: int
    instances: int
    measures: tuple[Verdict, ...]
    cautions: tuple[str, ...]
    scorecard: tuple[Mapping[str, Any], ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield the diagnosis as lines of text: relations of models, what can be measured, what cannot."""
        sizes = {"instance": self.instances, "judge": len(self.judges), "generator": self.generators}
        yield ", ".join(quantity(n, thing) for thing, n in sizes.items())
        yield from self.relations()
        yield from (f"warning: {caution}" for caution in self.cautions)
        measurable = [verdict for verdict in self.measures if verdict.answer != "no"]
        yield "can be measured:" if measurable else "nothing can be measured yet"
        for verdict in measurable:
            width = "" if verdict.width is None else f", 95% interval about ±{verdict.width:.2g}"
            part = "" if verdict.answer == "yes" else f"; not all: {verdict.why}"
            rows = f"{verdict.defined:,} of {quantity(verdict.rows, 'row')}"
            yield f"  {verdict.measure}: {verdict.headline} in {rows}{width}{part}"
        if self._needs_no_reference:
            yield (
                "no reference is needed to test whether a judge favours itself: scorecard and outside "
                "compare it with judges of other families"
            )
        unmeasurable: dict[str, list[str]] = {}
        for verdict in self.measures:
            if verdict.answer == "no":
                unmeasurable.setdefault(verdict.why, []).append(verdict.measure)
        if unmeasurable:
            yield "cannot be measured, and why:"
        yield from (f"  {', '.join(names)}: {why}" for why, names in unmeasurable.items())

    @property
    def _needs_no_reference(self) -> bool:
        """Whether there is a conclusion on judges, but no ratio because there is no reference."""
        why = {verdict.measure: None if verdict.answer != "no" else verdict.why for verdict in self.measures}
        return why["scorecard"] is None and str(why["hspp"]).startswith("the study has no reference")

    def relations(self) -> Iterator[str]:
        """Yield sentences on who judges its own responses and its family's."""
        yield from relation_sentences(self.judges)
        if not self.judges:
            yield "there are no judgments; collect some with `spb run`, or import them"


def relation_sentences(judges: Sequence[JudgeRelations]) -> Iterator[str]:
    """Yield sentences on who judges its own responses and its family's, and who cannot be compared."""
    own = [each.judge for each in judges if each.own]
    strangers = [each.judge for each in judges if not each.own and not each.relatives]
    family = [each for each in judges if not each.own and each.relatives]
    alone = [each.judge for each in judges if (each.own or each.relatives) and not each.others]
    if own:
        verb = "judges its" if len(own) == 1 else "judge their"
        yield f"{_names(own)} {verb} own responses"
    for each in family[:_MOST_NAMES]:
        relatives = f"{_names(each.relatives)} of its family {each.family}"
        yield f"{each.judge} judges none of its own responses, but those of {relatives}"
    if strangers:
        yield (
            f"{_names(strangers)}: no judged response is the judge's own or its family's, so "
            "self-preference cannot be measured; if a judge answered under another name, give it that "
            "name on import (--models)"
        )
    if alone:
        yield (
            f"{_names(alone)}: no response of another family is judged, so there is nothing to compare with"
        )


def _names(names: tuple[str, ...] | list[str]) -> str:
    n_more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {n_more} more" if n_more > 0 else "")


# ------------------------------------------------------------------------------
# Cautions about numbers: family in the reference, failures, single orders, few cases.


Row = dict[str, Any]

MANY_FAILURES = 0.05  # a judge is reported if more than this share of its judgments have no verdict
MOST_NAMES = 8  # most judges that one caution names; the others are counted

_CELLS = {
    "hspp_self": ("n_self", "own cases"),
    "hspp_matched": ("n_matched", "matched cases"),
    "hspp_family": ("n_family", "family cases"),
}


@dataclass(frozen=True)
class Caution:
    """A warning about numbers: the judges concerned, and a text with the extent and the remedy."""

    kind: Literal["family", "failures", "few", "order", "answered"]
    judges: tuple[str, ...]
    text: str


def family_in_reference(
    judges: Iterable[str],
    reference: str | None,
    members: Sequence[str],
    families: Mapping[str, str | None],
    *,
    leave_self_out: bool = False,
) -> list[Caution]:
    """Warn of judges compared with a committee in which they or their relatives vote.

    For use if relatives are not excluded. `leave_self_out`: the judge itself does not vote. No caution if the
    reference is not a committee.
    """
    if reference is None or not reference.startswith("committee:"):
        return []
    texts: dict[str, str] = {}
    for judge in judges:
        voters = [
            member
            for member in members
            if families.get(member) == families.get(judge) and not (leave_self_out and member == judge)
        ]
        if voters:
            texts[judge] = f"{judge} ({len(voters)} of {len(members)} members)"
    if not texts:
        return []
    text = (
        f"The judge's own family votes in the reference {reference}: {_join(texts.values())}. Whatever "
        "the family passes tends to count as true there, which can hide self-preference. Exclude each "
        "judge's family from its reference (filter “Exclude family”, --exclude-family), or choose "
        "another reference."
    )
    return [Caution("family", tuple(texts), text)]


def many_failures(counts: Iterable[tuple[str, str, int]]) -> list[Caution]:
    """Warn of judges with more than the share MANY_FAILURES of judgments without a verdict.

    `counts` are (judge, status, number of judgments); every status but `ok` is a failure.
    """
    by_judge: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for judge, status, count in counts:
        by_judge[judge][status] += count
    shares = {}
    for judge, statuses in by_judge.items():
        total = sum(statuses.values())
        failed = {status: count for status, count in statuses.items() if status != "ok" and count}
        if total and sum(failed.values()) > MANY_FAILURES * total:
            chief = max(failed, key=failed.__getitem__)
            shares[judge] = f"{judge} ({sum(failed.values()) / total:.1%} of {total:,}, mostly {chief})"
    if not shares:
        return []
    text = (
        f"Many judgments have no verdict and are not counted: {_join(shares.values())}. If they are "
        "missing where the judge is lenient, its ratio is wrong. Continue the run, which retries "
        "errors, or read the raw answers and correct how they are parsed."
    )
    return [Caution("failures", tuple(shares), text)]


def single_orders(judges: Sequence[str]) -> list[Caution]:
    """Warn of judges whose pairs were judged, and count, in one order only."""
    if not judges:
        return []
    text = (
        f"Each pair was judged in one order only, or in an unknown one, by {_join(judges)}: these votes "
        "include any preference for the first or the second place, which cannot be measured. Judge the pairs "
        "in the other order too; if they were, import which response was shown first."
    )
    return [Caution("order", tuple(judges), text)]


def other_models(runs: Iterable[Mapping[str, Any]]) -> list[Caution]:
    """Warn of models of `runs` that another one answered for, or that changed between starts of a run."""
    return [
        Caution(
            "answered",
            (),
            f"{note}. These verdicts may be another model's: check `model` and `api_base`, and if so "
            "judge again in a new run (--fresh).",
        )
        for note in notes_on(runs)
    ]


def few_cases(rows: Iterable[Row]) -> list[Caution]:
    """Warn of ratios in the rows of `hspp` that are based on fewer than FEW cases.

    Undefined ratios are not included, since their rows give a reason.
    """
    judges = {}
    for row in rows:
        if row.get("judge") is None:
            continue
        few = [
            f"{row[n]} {words}"
            for field, (n, words) in _CELLS.items()
            if row.get(field) is not None and row[n] < FEW
        ]
        if few:
            judges[row["judge"]] = f"{row['judge']} ({', '.join(few)})"
    if not judges:
        return []
    text = (
        f"Ratios based on fewer than {FEW} cases: {_join(judges.values())}. Trust the intervals, "
        "not the point estimates; widen the slice, or judge more instances."
    )
    return [Caution("few", tuple(judges), text)]


def _join(names: Iterable[str]) -> str:
    all_names = list(names)
    n_more = len(all_names) - MOST_NAMES
    parts = all_names[:MOST_NAMES] + ([f"and {n_more} more"] if n_more > 0 else [])
    return "; ".join(parts)


# ------------------------------------------------------------------------------
# What the explorer's views need, decided from the study's content without computing measures.


_REFERENCE = (
    "It needs a reference that says which answers are right: import one, let several judges vote as "
    "a committee, or ask people to label."
)
_PAIRS = "It needs judgments that compare two responses; this study has none."
_ORDERS = "It needs pairs, lists of rubrics or score options that were shown in more than one order."
_JUDGMENTS = "It needs judgments; this study has none yet."

OF_REFERENCE = ("paradigms",)
OF_PAIRS = ("equal_quality", "quality_baseline")
OF_ORDERS = ("order_effects",)


def unavailable_views(study: "Study") -> dict[str, str]:
    """Return the views that a study cannot fill, each with a text on what they need.

    The names are those of views in pins. Other views may still be empty for some filters.
    """
    paradigms = set(study.inventory.values("paradigm")) - {"quality"}
    if not paradigms:
        return dict.fromkeys(("workbench", *OF_REFERENCE, *OF_PAIRS, *OF_ORDERS), _JUDGMENTS)
    reasons: dict[str, str] = {}
    if not study.references.sources and not study.info.committees:
        reasons |= dict.fromkeys(OF_REFERENCE, _REFERENCE)
    if "pairwise" not in paradigms:
        reasons |= dict.fromkeys(OF_PAIRS, _PAIRS)
    if not paradigms & {"pairwise", "all_rubrics", "score_rubric"}:
        reasons |= dict.fromkeys(OF_ORDERS, _ORDERS)
    return reasons


# ------------------------------------------------------------------------------
# Computing every measure of a study, to see whether it is defined and how wide its intervals are.


RESAMPLES = 200  # number of resamples that gives interval widths precise enough for planning
_COLUMNS = ("judge", "generator", "opponent", "status")


def examine(study: "Study", *, resamples: int = RESAMPLES) -> Diagnosis:
    """Return what can be measured with a study, what is missing for the rest, and which models are related.

    `resamples` (0: no widths) are those of each measure's intervals. Raises UsageError for too few, and
    StoreError if the study cannot be read.
    """
    resamples = check_resamples(resamples)
    files = study.files
    judged, statuses = judged_models(files)
    generators = {model for models in judged.values() for model in models}
    if files.has("responses"):
        generators |= set(files.table("responses")["generator"].to_pylist())
    results = {name: _result(study, measure, resamples) for name, measure in MEASURES.items()}
    scorecard, votes = results["scorecard"], results["votes"]
    single = () if isinstance(votes, SpbError) else votes.filters.get("single_order", ())
    runs = files.table("runs").to_pylist() if files.has("runs") else []
    cautions = [*many_failures(statuses), *single_orders(single), *other_models(runs)]
    return Diagnosis(
        study.name,
        tuple(judge_relations(study, judged)),
        len(generators),
        study.index.n_instances,
        tuple(_verdict(MEASURES[name], result) for name, result in results.items()),
        tuple(caution.text for caution in cautions),
        () if isinstance(scorecard, SpbError) else tuple(scorecard.rows),
    )


def unknown_self_preference(study: "Study") -> str:
    """Return a sentence on why a study cannot show whether a judge favours itself, with the remedy.

    For use if the scorecard has no row: no judge has a response of its own, or no such pair in both orders.
    """
    judges = judge_relations(study)
    of_pairs = set(study.inventory.values("paradigm")) <= {*PAIR_PARADIGMS, "quality"}
    if not any(each.own for each in judges):
        why = "no judge is among the models that it judged"
        what = "the pairs in both orders" if of_pairs else "the responses"
        remedy = f"have these models, and judges of other families, judge {what}"
    elif len({each.family for each in judges}) == 1:
        why = (
            "no pair with a judge's own response is known to be judged in both orders, and all judges are of "
            "one family"
        )
        remedy = "have judges of other families judge the pairs too, in both orders"
    else:
        why = "no pair with a judge's own response is known to be judged in both orders"
        remedy = "judge the pairs in the other order too, or import which response was shown first"
    return f"Self-preference cannot be measured here, because {why}; {remedy}."


def judged_models(files: "StudyFiles") -> tuple[dict[str, set[str]], list[tuple[str, str, int]]]:
    """Return the models that each judge judged, and its number of judgments by status."""
    counts: Counter[tuple[str, str | None, str | None, str]] = Counter()
    for table in files.judgment_batches(columns=_COLUMNS):
        rows = table.group_by(list(_COLUMNS)).aggregate([([], "count_all")]).to_pylist()
        for row in rows:
            counts[row["judge"], row["generator"], row["opponent"], row["status"]] += row["count_all"]
    judged: dict[str, set[str]] = {}
    statuses: Counter[tuple[str, str]] = Counter()
    for (judge, generator, opponent, status), count in counts.items():
        judged.setdefault(judge, set()).update(model for model in (generator, opponent) if model)
        statuses[judge, status] += count
    return judged, [(judge, status, count) for (judge, status), count in statuses.items()]


def judges_itself(study: "Study") -> bool:
    """Return whether any judge has judged a response of its own."""
    batches = study.files.judgment_batches(columns=("judge", "generator", "opponent"))
    return any(
        pc.any(pc.equal(table.column("judge"), table.column(side))).as_py()
        for table in batches
        for side in ("generator", "opponent")
    )


def judge_relations(study: "Study", judged: Mapping[str, set[str]] | None = None) -> list[JudgeRelations]:
    """Return how each judge is related to the models that it judged (None: read from the study)."""
    families = study.families()
    relations = []
    for judge, models in (judged_models(study.files)[0] if judged is None else judged).items():
        family = families[judge]
        relatives = sorted(model for model in models if model != judge and families[model] == family)
        others = sum(families[model] != family for model in models)
        relations.append(JudgeRelations(judge, family, judge in models, tuple(relatives), others))
    return relations


def _result(study: "Study", measure: Measure, resamples: int) -> Result | SpbError:
    """Return the result of a measure, or the error that it raises."""
    try:
        return study.result(measure, resamples=resamples)
    except SpbError as error:
        return error


def _verdict(measure: Measure, result: Result | SpbError) -> Verdict:
    """Return how much of a measure is defined, by its headline or else another of its numbers."""
    if isinstance(result, SpbError):
        return Verdict(measure.name, measure.title, "no", 0, 0, str(result), measure.headline, None)
    rows = [row for row in result.rows if row.get("judge", "") is not None]
    fields = [measure.headline, *(field.name for field in measure.fields if field.interval)]
    number = next((name for name in fields if any(row.get(name) is not None for row in rows)), fields[0])
    defined = [row for row in rows if row.get(number) is not None]
    reasons = Counter(row["reasons"].get(number, "undefined") for row in rows if row.get(number) is None)
    words = [
        f"{REASONS.get(code, code.replace('_', ' '))} ({quantity(count, 'row')})"
        for code, count in reasons.most_common(3)
    ]
    why = result.reason or "; ".join(words)
    answer: Answer = "no" if not defined else "yes" if len(defined) == len(rows) else "partly"
    if not defined:
        why = why or "no rows"
    ends = [(row.get(f"{number}_low"), row.get(f"{number}_high")) for row in defined]
    widths = [(high - low) / 2 for low, high in ends if low is not None and high is not None]
    width = median(widths) if widths else None
    return Verdict(measure.name, measure.title, answer, len(defined), len(rows), why, number, width)


# ------------------------------------------------------------------------------
# The cost of a planned study in calls, tokens and dollars, and assumptions taken from an existing study.


Way = Literal["single_rubric", "all_rubrics", "direct_assessment", "pairwise"]

WAYS: dict[Way, str] = {
    "single_rubric": "one call for each rubric of each response",
    "all_rubrics": "one call for each response, with a verdict on every rubric",
    "direct_assessment": "one call for each response, with one score",
    "pairwise": "two calls for each pair of responses, one in each order",
}
"""The ways of judging, and the calls that they need."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Tokens of one call on a single rubric, and US dollars per million tokens sent and received."""

    tokens_in: float = 1000.0
    tokens_out: float = 50.0
    price_in: float = 1.0
    price_out: float = 4.0

    def __post_init__(self) -> None:
        for name in ("tokens_in", "tokens_out", "price_in", "price_out"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise UsageError(f"{name} {getattr(self, name)!r} is not a number of 0 or more; give one")


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one way of judging: calls, tokens in and out, US dollars."""

    way: Way
    calls: int
    tokens_in: float
    tokens_out: float
    dollars: float


def cost_of(way: Way, assumptions: Assumptions, size: StudySize, prices: Prices) -> Cost:
    """Return the cost of the judgments of a study, without responses and retries.

    A call on a pair reads twice as much, and one on all rubrics gives an answer for each.
    """
    rubrics = assumptions.rubrics_per_instance
    pairs = size.instances * assumptions.judges * comb(assumptions.responses, 2)
    calls = {"single_rubric": size.verdicts, "pairwise": 2 * pairs}.get(way, size.responses)
    tokens_in = calls * prices.tokens_in * (2 if way == "pairwise" else 1)
    tokens_out = calls * prices.tokens_out * (rubrics if way == "all_rubrics" else 1)
    dollars = (tokens_in * prices.price_in + tokens_out * prices.price_out) / 1e6
    return Cost(way, calls, tokens_in, tokens_out, dollars)


def assumptions_from(study: "Study") -> dict[str, float]:
    """Return the `Assumptions` estimated from a study; empty without rubric verdicts and a reference.

    They are those of its first rubric paradigm, over all judges: the share of references that are
    unfavourable, and the mean over judges of their overestimation of other families.
    """
    try:
        cells = study.result(find("overestimation"), level="rubric", resamples=0).rows
        means = study.result("hspp", level="rubric", resamples=0).rows
    except UsageError:
        return {}
    failed, met = (sum(row[name] for row in cells) for name in ("n", "under_n"))
    rates = [row["o_other"] for row in means if row["judge"] and row["o_other"]]
    if not failed or not met or not rates:
        return {}
    return _sizes(study, cells) | {
        "failure_rate": failed / (failed + met),
        "overestimation": sum(rates) / len(rates),
    }


def _sizes(study: "Study", cells: list[dict[str, Any]]) -> dict[str, float]:
    index, family = study.index, study.families()
    generators = {row["generator"] for row in cells}
    judges = {row["judge"] for row in cells} & generators
    return {
        "judges": max(len(judges), 1),
        "generators": max(len(generators), 2),
        "families": max(len({family[name] for name in generators}), 2),
        "rubrics_per_instance": max(index.n_rubrics / max(index.n_instances, 1), 1.0),
    }
