"""What a scorecard concludes otherwise of one of several runs taken together, or of another variant."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.conclusions import (
    NOT_COMPARED,
    NOT_TESTED,
    OF_GROUP,
    OF_JUDGE,
    TRAITS,
    WORDS,
    is_claim,
    lacks_judges,
    lacks_spread,
)
from engine.measures.merged_repeats import slice_of
from engine.phrases import join_names, sentence_case
from engine.words.conclusions import words_of_code
from engine.words.given_expected import has_numbers, number_words

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.result import Result
    from engine.measures.row_types import ScorecardRow

MOST_RUNS = 4
"""With more runs, each of which takes a scorecard of its own, none is looked at alone."""

NOTEWORTHY = 0.1
"""So far apart are two numbers of cases, of 1, that both are said."""

MOST_NAMED = 4
"""Most conclusions of a run that are said; the rest are counted."""


def conclusions_of_runs(study: "MeasuredStudy", result: "Result", runs: Sequence[str]) -> str:
    """Say which conclusions differ where each run is looked at alone, and which runs allow none.

    Compared are those on each judge, on its family and on the judges as a group. If none with a claim on
    either side differs, that alone is said. Empty for more than `MOST_RUNS` runs.
    """
    return _conclusions_of(study, result, RUNS, runs)


def conclusions_of_variants(study: "MeasuredStudy", result: "Result", variants: Sequence[str]) -> str:
    """Say the same of variants of which the scorecard takes none."""
    return _conclusions_of(study, result, VARIANTS, variants)


@dataclass(frozen=True)
class _Division:
    """What is looked at one by one: runs or variants, by their filter, and how one of them is said."""

    name: str
    one: str
    each: str
    alike: str

    def names(self, values: Sequence[str]) -> str:
        return join_names([f"{self.name} {value}" for value in values])

    def alone(self, values: Sequence[str]) -> str:
        """Return `in run mon alone`."""
        return self.one.format(self.names(values))


RUNS = _Division("run", "in {} alone", "in each run alone", "they are as in all together")
VARIANTS = _Division("variant", "with {}", "with each other variant", "they are the same")


def _conclusions_of(study: "MeasuredStudy", result: "Result", kind: _Division, values: Sequence[str]) -> str:
    if len(values) > MOST_RUNS or not result.rows:
        return ""
    concluding = _concluding(study, result, kind, values)
    without = [value for value in values if value not in concluding]
    together = _by_judge(result.rows)
    differences = {
        value: list(_differences(together, _by_judge(_alone(study, result, kind, value))))
        for value in concluding
    }
    every = kind.alone(concluding) if without or len(values) == 1 else kind.each
    sentences = [_compared(together, differences, kind, every, are_all=not result.filters.get("judges"))]
    if without:
        verb = "allows" if len(without) == 1 else "allow"
        sentences.append(f"{sentence_case(kind.names(without))} alone {verb} no conclusion.")
    return " ".join(filter(None, sentences))


def concluding_runs(study: "MeasuredStudy", result: "Result", runs: Sequence[str]) -> list[str]:
    """Return the runs that alone allow a conclusion; with more than `MOST_RUNS`, none is looked at."""
    if len(runs) > MOST_RUNS:
        return []
    return _concluding(study, result, RUNS, runs)


def _concluding(
    study: "MeasuredStudy", result: "Result", kind: _Division, values: Sequence[str]
) -> list[str]:
    return [each for each in values if any(row["conclusion"] for row in _alone(study, result, kind, each))]


def _compared(
    together: "Mapping[str | None, ScorecardRow]",
    of_values: "Mapping[str, list[_Difference]]",
    kind: _Division,
    every: str,
    *,
    are_all: bool,
) -> str:
    """Return which conclusions differ; `every` are the words for all these runs or variants.

    Unless they `are_all` judges of the study, nothing is said of any other.
    """
    if not of_values:
        return ""
    if not any(each.is_of_claim for differences in of_values.values() for each in differences):
        where = sentence_case(every)
        judges = [row for judge, row in together.items() if judge is not None]
        if len(judges) == 1 and not (are_all and None in together):
            return f"{where}, {_same_of_one(*judges)}"
        if judges and not are_all:
            return f"{where}, {_same_of_some(judges)}"
        if any(is_claim(row["conclusion"]) for row in together.values()):
            return f"{where}, the same judges favour, overrate or underrate themselves."
        return f"{where}, no judge is shown to favour, overrate or underrate itself either."
    values_saying: dict[str, list[str]] = {}
    for value, differences in of_values.items():
        values_saying.setdefault(_saying(differences), []).append(value)
    parts = [
        f"{kind.alone(values)}, {words or kind.alike}"
        for words, values in sorted(values_saying.items(), key=lambda saying: not saying[0])
    ]
    return f"Conclusions differ: {'; '.join(parts)}."


def farthest_from(study: "MeasuredStudy", result: "Result", run: str) -> str:
    """Say of the judge whose excess is farthest from that in a run alone what both are.

    Empty where no judge has both, or none differs by `NOTEWORTHY`.
    """
    alone = _by_judge(_alone(study, result, RUNS, run))
    pairs = [
        (each, alone[each["judge"]])
        for each in result.rows
        if each["judge"] in alone and has_numbers(each) and has_numbers(alone[each["judge"]])
    ]
    row, other = max(pairs, key=lambda pair: abs(_excess(pair[0]) - _excess(pair[1])), default=(None, None))
    if row is None or other is None or abs(_excess(row) - _excess(other)) < NOTEWORTHY:
        return ""
    who = "the judges as a group" if row["judge"] is None else row["judge"]
    return (
        f"For {who}, {_both(row)} of 100 were given and expected on these, {_both(other)} in run {run} alone."
    )


def _excess(row: "ScorecardRow") -> float:
    return (row["own_given"] or 0.0) - (row["own_expected"] or 0.0)


def _both(row: "ScorecardRow") -> str:
    return f"{number_words(row['own_given'] or 0.0)} and {number_words(row['own_expected'] or 0.0)}"


def _same_of_one(row: "ScorecardRow") -> str:
    if is_claim(row["conclusion"]):
        return f"the conclusion on {row['judge']} is the same."
    return f"{row['judge']} is not shown to favour, overrate or underrate itself either."


def _same_of_some(rows: "Sequence[ScorecardRow]") -> str:
    names = join_names([str(row["judge"]) for row in rows], MOST_NAMED)
    if any(is_claim(row["conclusion"]) for row in rows):
        return f"the conclusions on {names} are the same."
    return f"none of {names} is shown to favour, overrate or underrate itself either."


def _alone(study: "MeasuredStudy", result: "Result", kind: _Division, value: str) -> "list[ScorecardRow]":
    """Return the rows of the same scorecard of one run, or of another variant."""
    options = {each.name: result.filters.get(each.name) for each in result.measure.options}
    given = {name: value for name, value in options.items() if value is not None}
    spec = slice_of(result.filters)

    def rows() -> "list[ScorecardRow]":
        return study.result(result.measure, **{**spec.filters(), **given, kind.name: value}).rows

    return study.remember((f"scorecard of a {kind.name}", spec, tuple(given.items()), value), rows)


def _by_judge(rows: "Iterable[ScorecardRow]") -> "dict[str | None, ScorecardRow]":
    return {row["judge"]: row for row in rows}


@dataclass(frozen=True)
class _Difference:
    """What else is concluded, and on whom; `is_of_claim`: it, or that of the scorecard, is a claim."""

    who: str
    code: str
    words: str
    is_of_claim: bool


_CODES = ("conclusion", "family_conclusion")


def _differences(
    together: "Mapping[str | None, ScorecardRow]", alone: "Mapping[str | None, ScorecardRow]"
) -> "Iterator[_Difference]":
    """Yield what a run alone concludes otherwise of those on whom both conclude something.

    Of families only where a claim is among the two.
    """
    for judge, row in together.items():
        other: Mapping[str, Any] = alone.get(judge) or {}
        for name in _CODES:
            before, code = row.get(name), other.get(name)
            if before is None or code is None or before == code:
                continue
            reason = other.get("reason") if name == "conclusion" else None
            own = "the judges as a group" if judge is None else judge
            family = "their families" if judge is None else f"{judge}'s family"
            is_of_claim = is_claim(before) or is_claim(code)
            if name != "conclusion" and not is_of_claim:
                continue
            words = WORDS[code] if name != "conclusion" else words_of_code(code, judge, reason)
            clause = TRAITS[code].clause and not lacks_judges(code, reason) and not lacks_spread(code, reason)
            yield _Difference(family if clause and name != "conclusion" else own, code, words, is_of_claim)


def _saying(differences: "Sequence[_Difference]") -> str:
    """Return what a run alone concludes, claims first; judges of whom nothing is shown are named together."""
    undecided: dict[str, list[str]] = {}
    parts = []
    for each in differences:
        if TRAITS[each.code].clause and each.words not in (NOT_COMPARED, NOT_TESTED):
            undecided.setdefault(_clause(each), []).append(each.who)
        else:
            parts.append(f"{each.who} {each.words}")
    parts += [f"{clause} for {join_names(names, MOST_NAMED)}" for clause, names in undecided.items()]
    return join_names(parts, MOST_NAMED)


def _clause(difference: _Difference) -> str:
    """Return `no difference is shown`, or that there is too little, and of what."""
    if difference.code in OF_GROUP and difference.code not in OF_JUDGE:
        return f"there are {difference.words}"
    clause = TRAITS[difference.code].clause
    return f"{clause[0].lower()}{clause[1:]}"
