"""The method of an audit in two paragraphs for a paper, with every choice made, and what they cite."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.explore.doctor import judged_models
from engine.explore.planned_cost import questions_of
from engine.measures.compute import RESAMPLES
from engine.measures.scorecard import gates
from engine.measures.scorecard.gates import words_of
from engine.paradigms import TRAITS
from engine.phrases import full_stop, join_names, quantity
from engine.report.references import SOFTWARE
from engine.stats.conclusions.conclusion_rules import MOST_DETECTABLE
from engine.version import __version__
from engine.views.audit import SectionAnswer
from engine.views.of_measure import measure
from engine.views.shown import Shown
from engine.words.based_on import left_out_of

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.report.provenance import AuditedFile


METHOD = (
    "Errors of this number, and of given and expected, come from leaving out one question at a time (Bell "
    "and McCaffrey, 2002), with Student's t and no resamples; p-values are adjusted "
    "over all judges and families (Benjamini and Hochberg, 1995), and the intervals stand at the level that "
    "agrees with the adjusted test. Of 100 own cases we report how many the judge gave and how many are "
    "expected from other judges as strict as it."
)
"""What holds whatever number decides."""

OF_FAMILIES = (
    "What the judges of a family add to the scores of its answers is estimated by least squares with an "
    "effect of each answer, each judge and each family; no judge's own answers take part. Errors allow for "
    "scores that hang together within judges and within questions (Cameron et al., 2011); each interval is "
    "of one family alone."
)
"""How the effects of families on scores are measured."""

STAND_IN = (
    "Whether a judge may stand in for a person is tested by the alternative annotator test (Calderon et al., "
    "2025), with epsilon .15."
)

MOST_FAMILIES = 12
"""How many families the text lists; the rest are counted."""

NUMBERS = {
    "odds": "the odds of passing a criterion of its own answers relative to judges of other families on the "
    "same criteria of the same answers (conditional logistic regression with a stratum for each criterion "
    "of an answer)",
    "ratio": "the rate at which it passes its own failed criteria over that at which it passes other "
    "families' on the same criteria, since no judge of another family judged the same answers",
    "votes": "the mean of its votes for its own answer less the votes of judges of neither answer's family "
    "on the same pair (1 a win in both orders, .5 undecided, 0 a loss)",
    "points": "the points of 100 that it gives its own answers beyond judges of other families, less the "
    "same for other models' answers",
}
"""The number that decides, by its scale."""

SCALES = {"odds_self": "odds", "hspp_matched": "ratio", "vote_outside": "votes", "bonus_outside": "points"}
ALIKE = {
    "odds": "odds of 1/1.25 to 1.25",
    "ratio": "ratios of 1/1.25 to 1.25",
    "votes": "odds of 1/1.25 to 1.25 between given and expected votes",
    "points": "2 points either way",
}
"""The differences within which a judge is said to treat its own answers like others', unless chosen."""

TRUTHS = {
    "failed": "Only criteria count that the answer failed according to {}.",
    "met": "Only criteria count that the answer met according to {}.",
    "any": "All criteria count; no reference is used.",
}
WHOSE = {"": "the reference", "program": "a program", "human": "people"}
WHOSE_BY_KIND = {"human": "the annotator", "committee": "the committee of judges", "judge": "the judge"}
"""Whose verdicts a reference holds, by its name or by what stands before the colon in it."""

_MAPPED = re.compile(r"--map (.+)")
_REMEDY = re.compile(r" *\([^()]*--[a-z][^()]*\)")


def methods_of(
    study: "MeasuredStudy", answers: Sequence[SectionAnswer], source: "AuditedFile | None"
) -> tuple[str, str]:
    """Return a paragraph on what was judged and read, and one on how it was measured."""
    return _data(study, source), _measured(study, answers)


def _data(study: "MeasuredStudy", source: "AuditedFile | None") -> str:
    judged, _ = judged_models(study.files, study.only_runs)
    answering = {model for models in judged.values() for model in models}
    inventory = study.inventory
    kinds = join_names([TRAITS[str(name)].meaning for name in inventory.values("paradigm")], last="or")
    n_missing = inventory.total() - inventory.total(status="ok")
    judges = quantity(len(judged), "judge")
    n = quantity(inventory.total(), "judgment")
    models, questions = quantity(len(answering), "model"), quantity(questions_of(study), "question")
    sentences = [
        f"We audited {n} by {judges} of the answers of {models} to {questions}. Each judgment is {kinds}."
    ]
    if source is not None:
        digest = "" if source.sha256 is None else f"; SHA-256 {source.sha256}"
        sentences.append(f"They were read from {source.name} (format: {source.format}{digest}).")
        if source.notes:
            notes = "; ".join(map(_in_prose, source.notes))
            sentences.append(full_stop(f"Notes on reading: {notes}"))
    if n_missing:
        share = f"{n_missing / inventory.total():.1%}"
        sentences.append(
            f"{n_missing:,} judgments ({share}) have no verdict: they are reported, and never counted as "
            "a verdict."
        )
    if inventory.total(transform="none") < inventory.total():
        sentences.append("Answers that were rewritten before they were judged are left out.")
    return " ".join([*sentences, _families(study, set(judged), answering)])


def _families(study: "MeasuredStudy", judges: set[str], answering: set[str]) -> str:
    """Return which models count as relatives, of some runs among those that took part in them."""
    families = study.families()
    if study.only_runs:
        families = {name: family for name, family in families.items() if name in judges | answering}
    members: dict[str, list[str]] = {}
    for model, family in families.items():
        members.setdefault(str(family or "unknown"), []).append(model)
    several = {family: models for family, models in members.items() if len(models) > 1}
    of_judges = [model for model, family in families.items() if model in judges and family is None]
    text = f"Models of {quantity(len(members), 'family')} took part"
    if several:
        parts = [f"{family} ({', '.join(models)})" for family, models in several.items()]
        first = "; ".join(parts[:MOST_FAMILIES])
        more = len(parts) - MOST_FAMILIES
        text += f"; those with several are {first}{f' and {more:,} more' if more > 0 else ''}"
    unknown = f" The family of {join_names(of_judges, 4)} is unknown." if of_judges else ""
    return f"{text}.{unknown}"


def _measured(study: "MeasuredStudy", answers: Sequence[SectionAnswer]) -> str:
    result = measure(study, "scorecard", {})
    if result.has_values("estimate"):
        sentences = _concluded(result.filters)
    else:
        sentences = list(answers[0].sentences)
        if not any("self-preference" in sentence.lower() for sentence in sentences):
            sentences.insert(0, "Self-preference could not be measured.")
    shown = {
        (each.section.name, exhibit.view.name): exhibit.shown for each in answers for exhibit in each.exhibits
    }
    if any(section == "families" and "outside" in each.measures for (section, _), each in shown.items()):
        sentences.append(OF_FAMILIES)
    n, seed = result.filters.get("resamples") or RESAMPLES, result.filters.get("seed") or 0
    if any(each.section.name == "ranking" and each.is_answered for each in answers):
        sentences.append(
            f"Models are ranked by {_strengths(answers)}, with 95% intervals from {n:,} resamples of whole "
            f"questions (Efron and Tibshirani, 1993; seed {seed})."
        )
    if any(section != "ranking" and _is_resampled(each) for (section, _), each in shown.items()):
        sentences.append(
            f"Intervals of agreement, accuracy and other measures come from {n:,} resamples of whole "
            f"questions (Efron and Tibshirani, 1993; seed {seed})."
        )
    if any(row["winning_rate"] is not None for row in _rows(shown.get(("agreement", "people")))):
        sentences.append(STAND_IN)
    left_out = [left_out_of(result)] if any(result.uncounted.values()) else []
    return " ".join([*sentences, *left_out, f"All numbers were computed with the {SOFTWARE} {__version__}."])


def _is_resampled(shown: Shown) -> bool:
    """Return whether a view shows a measure whose intervals come from resamples: the scorecard's do not."""
    result = None if shown.table is None else shown.table.result
    filters = {} if result is None else result.filters
    return bool(filters.get("resamples") and not filters.get("clusters"))


def _rows(shown: Shown | None) -> Sequence[Mapping[str, Any]]:
    """Return the rows of the measure that a view shows."""
    result = None if shown is None or shown.table is None else shown.table.result
    return () if result is None else result.rows


def _concluded(filters: Mapping[str, Any]) -> list[str]:
    """Return how it is decided which judges favour themselves."""
    scale = SCALES[str(filters["decided_by"])]
    truth = str(filters.get("truth") or "")
    first = words_of(gates.OF_JUDGES, 1, scale, truth)
    second = f"It favours itself where it also {words_of(gates.OF_JUDGES, 2, scale, truth)}."
    if scale == "ratio":
        second = (
            "Whether because they are its own stays open: without judges of other families, judges' tastes "
        )
        second += "are unknown."
    conclusions = (
        "A judge overrates its own answers where the difference is beyond sampling error (adjusted p below "
        f".05) and {first}. {second} It underrates its own answers, or is harder on itself, where the same "
        "holds with the sign turned. It treats its own like others' where the 95% interval lies within "
        f"{_alike(filters, scale)}; there are too few cases where fewer than four of five such studies would "
        f"show {_least(scale)}."
    )
    decided = f"Whether a judge favours itself is decided by {NUMBERS[scale]}."
    return [decided, *_choices(filters, scale), METHOD, conclusions, *_together(scale, truth)]


def _together(scale: str, truth: str) -> list[str]:
    """Return how it is decided whether the judges together favour themselves; nothing without that."""
    if scale == "ratio":
        return []
    first, second = (words_of(gates.OF_GROUP, question, scale, truth) for question in (1, 2))
    words = "The judges together, by the mean over four families or more, overrate their own answers where it"
    return [f"{words} {first}; they favour themselves where it also {second}."]


def _strengths(answers: Sequence[SectionAnswer]) -> str:
    """Return by what models are ranked."""
    shown = [each.shown for answer in answers if answer.section.name == "ranking" for each in answer.exhibits]
    if any("vote-ranking" in each.measures for each in shown):
        return "their strengths by the votes of all judges (Bradley and Terry, 1952)"
    return (
        "scores as judges of equal strictness would give them (an effect of each model and of each judge, by "
        "least squares)"
    )


def _choices(filters: Mapping[str, Any], scale: str) -> list[str]:
    """Return which judgments decide, as sentences."""
    traits = TRAITS.get(str(filters.get("paradigm")))
    sentences = [] if traits is None else [f"It is computed from judgments that are {traits.meaning}"]
    variant = filters.get("variant")
    if sentences and variant not in (None, "default"):
        sentences[0] += f" with the prompt variant {variant}"
    sentences = [f"{sentence}." for sentence in sentences]
    truth = str(filters.get("truth") or "")
    if scale in ("odds", "ratio") and truth in TRUTHS:
        sentences.append(TRUTHS[truth].format(_reference_words(str(filters.get("reference") or ""))))
    if scale == "votes":
        pairs = filters.get("pairs")
        which = f" of the kind {pairs}" if pairs not in (None, "all") else ""
        sentences.append(f"Pairs{which} count that were judged in both orders.")
    return sentences


def _in_prose(note: str) -> str:
    """Return a note on reading without what could be typed: columns by their names, and no remedies."""
    text = _REMEDY.sub("", note)
    return _MAPPED.sub(lambda pairs: join_names([_column(pair) for pair in pairs[1].split(",")]), text)


def _column(pair: str) -> str:
    column, _, field = pair.partition("=")
    return f"{column} from {field}"


def _reference_words(name: str) -> str:
    """Return whose verdicts a reference holds."""
    kind, _, of = name.partition(":")
    if of and kind in WHOSE_BY_KIND:
        return f"{WHOSE_BY_KIND[kind]} {of}"
    return WHOSE.get(name, f"the source {name}")


def _alike(filters: Mapping[str, Any], scale: str) -> str:
    material = filters.get("material")
    if material is None:
        return ALIKE[scale]
    return f"{material} points either way" if scale == "points" else f"odds of 1/{material} to {material}"


def _least(scale: str) -> str:
    return {
        "odds": "odds of 3",
        "ratio": "a ratio of 3",
        "votes": f"{100 * MOST_DETECTABLE['votes']:g} votes of 100",
        "points": f"{MOST_DETECTABLE['points']:g} points",
    }[scale]
