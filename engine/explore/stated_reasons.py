"""Why a judge passes its own failed responses: its reasons, grouped, against those of outside judges.

The reasons are the explanations of rubric verdicts: the judge's for passing its own response against the
reference (without one: against most outside judges), and those of all judges outside its family on the same
rubrics of the same responses. The odds compare the judge's reasons with those of outside judges that passed
the same responses, since reasons to pass differ from reasons to fail, whoever gives them. Quotations are
ignored, since they are the response's words.
"""

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr, ndtri

from engine.arrays.bits.joint_verdicts import JointVerdicts
from engine.arrays.slicing.group_by import single_view
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.view import SliceView
from engine.errors import unknown
from engine.explore.judgment_list import cells_of
from engine.explore.text_search import text_of
from engine.paradigms import RUBRIC_PARADIGMS
from engine.slices import Slice
from engine.stats import Bools, Floats, Ints
from engine.stats.intervals.adjusted_p import benjamini_hochberg

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

MOST_TEXTS = 1500  # most reasons of each side that are compared; of more, this many are drawn at random
MOST_TERMS, MOST_GROUPS = 300, 6
FEWEST = 5  # fewest reasons of each side for a comparison
PRIOR = 10.0  # weight of the prior of the log-odds, in texts of each side
STARTS = 8  # number of starts of k-means, of which the tightest result is used
_QUOTATION = re.compile(r"“[^”]*”|\"[^\"]*\"|«[^»]*»|`[^`]*`")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be been but by for from had has have he her his i if in into is it its of on or "
        "she so that the their them then there these they this those to was we were which who will with "
        "would you your",
    )
)
"""Stop words; negations (no, not, nothing) are not among them."""


@dataclass(frozen=True)
class Reason:
    """What a judge wrote with its verdict on a rubric of the examined judge's own response."""

    judge: str
    instance_id: str
    rubric_id: str
    text: str
    passed: bool


@dataclass(frozen=True)
class TermCounts:
    """The number of reasons with some words, of the judge and of outside judges by their verdict.

    `odds` are those of the judge against outside judges that passed, from `log_odds`, with their 95 %
    interval; `p` is adjusted over everything in the same comparison. They treat texts as independent, which
    those on one response are not. All are None if too few outside judges passed, or if no text or every text
    of both sides has the words.
    """

    words: tuple[str, ...]
    n_judge: int
    n_passed: int
    n_failed: int
    odds: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None

    @property
    def stands_out(self) -> bool:
        """Whether the judge says it significantly more often, or less."""
        return self.p is not None and self.p < 0.05


@dataclass(frozen=True)
class Example:
    """A reason of the judge, and one of an outside judge on the same rubric and response."""

    criterion: str | None
    own: Reason
    outside: Reason | None


@dataclass(frozen=True)
class ReasonGroup:
    """Reasons that use the same words; `counts.words` are those that distinguish them from others."""

    counts: TermCounts
    examples: tuple[Example, ...]


@dataclass(frozen=True)
class Reasons:
    """Why a judge passes what its own responses failed.

    `cells` counts these verdicts of the judge, `n_judge` its reasons for them; `n_passed` and `n_failed` are
    the reasons of `outside` judges on the same cells, for favourable and other verdicts. `against` names what
    failed the responses. `words` are those that stand out. `lacking` says why nothing is grouped.
    """

    judge: str
    against: str
    outside: int
    cells: int
    n_judge: int = 0
    n_passed: int = 0
    n_failed: int = 0
    groups: tuple[ReasonGroup, ...] = ()
    words: tuple[TermCounts, ...] = ()
    lacking: str | None = None


def reasons_of(study: "StudyArrays", spec: Slice, judge: str) -> Reasons:
    """Group the reasons of a judge for overestimating itself, and compare them with outside judges' reasons.

    Groups are from k-means on TF-IDF, the same each time; words are those whose log-odds stand out.
    Raises UsageError for an unknown judge.
    """
    if judge not in study.index.models:
        raise unknown("judge", judge, study.index.models)
    try:
        everyone = replace(spec, judges=(), level="rubric")
        view = single_view(study, everyone, None, RUBRIC_PARADIGMS).with_all_judges()
    except NoDataError as error:
        return Reasons(judge, "", 0, 0, lacking=str(error))
    against = "the reference" if view.request.source is not None else "most judges of other families"
    places = overestimations(view, judge)
    models, families = study.index.models, study.index.model_fields[view.request.spec.relatives]
    family = families[models.index(judge)]
    outside = [models[j] for j in view.judges if models[j] != judge and families[j] != family]
    own, others = _stored_reasons(study, view, judge, places, outside)
    passed = [other for other in others if other.passed]
    failed = [other for other in others if not other.passed]
    outsiders = len({reason.judge for reason in others})
    counts = Reasons(judge, against, outsiders, len(places), len(own), len(passed), len(failed))
    if len(own) < FEWEST or len(others) < FEWEST:
        return replace(counts, lacking=_why_not(counts))
    rng = np.random.default_rng(0)
    texts = ReasonTexts(*(_sample(side, rng) for side in (own, passed, failed)))
    groups, words = _groups(texts, rng)
    with_examples = tuple(ReasonGroup(terms, _examples(study, members, texts)) for terms, members in groups)
    return replace(counts, groups=with_examples, words=tuple(words))


def log_odds(first: Ints, second: Ints, n_first: int, n_second: int) -> tuple[Floats, Floats]:
    """Return the log-odds of terms in texts of one side against another, and their standard errors.

    `first` and `second` count the texts of each side with a term, out of `n_first` and `n_second`. A prior of
    `PRIOR` texts with the term's share in both sides together is added to each, which shrinks rare terms
    towards 0 (Monroe, Colaresi and Quinn 2008, equations 15 to 20, with texts for words).
    """
    prior = PRIOR * (first + second) / (n_first + n_second)
    sides = ((first, n_first), (second, n_second))
    parts = [(count + prior, n + PRIOR - count - prior) for count, n in sides]
    logits = [np.log(present / absent) for present, absent in parts]
    errors = sum(1 / present + 1 / absent for present, absent in parts)
    return logits[0] - logits[1], np.sqrt(errors)


def overestimations(view: SliceView, judge: str) -> Ints:
    """Return the places of the failed rubrics of its own responses that a judge passed.

    Without a reference those that most judges outside its family failed.
    """
    if view.request.source is not None:
        return np.unique(cells_of(view, "overestimation", judge, judge).rubric)
    model = view.study.index.models.index(judge)
    if model not in view.judges or model not in view.generators:
        return np.empty(0, dtype=np.int64)
    row, column = int(np.searchsorted(view.judges, model)), int(np.searchsorted(view.generators, model))
    joint = JointVerdicts.of(view, "any")
    counted, passed = (joint.layout.unpack(plane[:, column]) for plane in (joint.counted, joint.favourable))
    outside = counted & joint.masks.outside[row][:, None]
    n_outside, n_against = outside.sum(axis=0), (outside & ~passed).sum(axis=0)
    return np.flatnonzero(counted[row] & passed[row] & (2 * n_against > n_outside))


def _stored_reasons(
    study: "StudyArrays", view: SliceView, judge: str, places: Ints, outside: Sequence[str]
) -> tuple[list[Reason], list[Reason]]:
    """Return the reasons of the judge and of outside judges for some rubrics of its own responses."""
    columns = ["judge", "instance_id", "rubric_id", "met", "status", "explanation"]
    where = view.request.selection.where() | {"generator": (judge,), "judge": (judge, *outside)}
    table = study.files.judgments(columns, where)
    rubric = study.index.rubrics_of(table)
    in_places = np.isin(rubric, places)
    table, positive = table.filter(in_places), study.index.points[rubric[in_places]] >= 0
    own, others = [], []
    for row, good in zip(table.to_pylist(), positive.tolist(), strict=True):
        text = (row["explanation"] or "").strip()
        if row["status"] != "ok" or row["met"] is None or not text:
            continue
        reason = Reason(row["judge"], row["instance_id"], row["rubric_id"], text, row["met"] == good)
        if reason.judge != judge:
            others.append(reason)
        elif reason.passed:
            own.append(reason)
    return own, others


def _why_not(counts: Reasons) -> str:
    if not counts.cells:
        return f"{counts.judge} passed none of its own answers that {counts.against} failed"
    if not counts.n_judge:
        return "these verdicts have no stored reasons"
    few = (
        f"{counts.n_judge:,} by {counts.judge} and {counts.n_passed + counts.n_failed:,} by judges "
        "of other families"
    )
    return f"these verdicts have too few stored reasons ({few}; {FEWEST} of each are needed)"


def _sample(reasons: list[Reason], rng: np.random.Generator) -> list[Reason]:
    if len(reasons) <= MOST_TEXTS:
        return reasons
    places = np.sort(rng.choice(len(reasons), MOST_TEXTS, replace=False))
    return [reasons[place] for place in places]


def terms_of(text: str) -> list[str]:
    """Return the words of a text and its pairs of neighbouring words, each once, without quotations."""
    parts = [_words(part) for part in _QUOTATION.split(text)]
    parts = parts if any(parts) else [_words(text)]
    pairs = [f"{first} {second}" for words in parts for first, second in pairwise(words)]
    return list(dict.fromkeys([*(word for words in parts for word in words), *pairs]))


def _words(text: str) -> list[str]:
    words = (word.lower().replace("’", "'") for word in _WORD.findall(text))
    return [word for word in words if word not in _EMPTY]


@dataclass(frozen=True)
class ReasonTexts:
    """Reasons of the judge, of outside judges that passed too, and of those that failed."""

    own: list[Reason]
    passed: list[Reason]
    failed: list[Reason]

    @property
    def all_reasons(self) -> list[Reason]:
        """All reasons, in this order."""
        return [*self.own, *self.passed, *self.failed]

    def counts(self, names: Sequence[tuple[str, ...]], holds: Bools | Floats) -> list[TermCounts]:
        """Return the number of reasons of each side with some terms; `holds` has shape (texts, terms)."""
        n, n_passed = len(self.own), len(self.passed)
        sides = [part.sum(axis=0).astype(np.int64) for part in np.split(holds, [n, n + n_passed])]
        counts = [TermCounts(name, *(int(side[k]) for side in sides)) for k, name in enumerate(names)]
        if n_passed < FEWEST:
            return counts
        own, passed, _ = sides
        testable = np.flatnonzero((own + passed > 0) & (own + passed < n + n_passed))
        odds, error = log_odds(own[testable], passed[testable], n, n_passed)
        p = benjamini_hochberg(2 * ndtr(-np.abs(odds) / error))
        low, high = (np.exp(odds + sign * ndtri(0.975) * error) for sign in (-1, 1))
        for k, place in enumerate(testable):
            ends = float(np.exp(odds[k])), float(low[k]), float(high[k])
            counts[place] = replace(counts[place], odds=ends[0], low=ends[1], high=ends[2], p=float(p[k]))
        return counts


def _groups(
    texts: ReasonTexts, rng: np.random.Generator
) -> tuple[list[tuple[TermCounts, Ints]], list[TermCounts]]:
    """Return the groups with the places of their texts, the judge's largest first, and distinctive words."""
    terms = [terms_of(reason.text) for reason in texts.all_reasons]
    frequency = Counter(term for of_text in terms for term in of_text)
    vocabulary = [term for term, n in frequency.most_common(MOST_TERMS) if n > 1]
    sets = map(set, terms)
    holds = np.array([[term in of_text for term in vocabulary] for of_text in sets], dtype=np.float64)
    words = texts.counts([(term,) for term in vocabulary], holds)
    weights = _tf_idf(holds)
    label = _clusters(weights, rng)
    groups = np.unique(label)
    inside = label[:, None] == groups
    counts = texts.counts([_names(weights, inside[:, k], vocabulary) for k in range(len(groups))], inside)
    middles = [
        members[np.argsort(-(weights[members] @ weights[members].mean(axis=0)), kind="stable")]
        for members in map(np.flatnonzero, inside.T)
    ]
    by_size = sorted(zip(counts, middles, strict=True), key=lambda pair: (-pair[0].n_judge, pair[0].words))
    distinctive = [word for word in _longest(words) if word.stands_out]
    return by_size, sorted(distinctive, key=lambda word: (-(word.odds or 0), word.words))


def _tf_idf(holds: Floats) -> Floats:
    """Return each text's terms weighted by rarity, normalised to length 1; 0 for a text without terms."""
    weights = holds * np.log((1 + len(holds)) / (1 + holds.sum(axis=0)))
    length = np.linalg.norm(weights, axis=1, keepdims=True)
    return np.asarray(weights / np.where(length > 0, length, 1))


def _clusters(weights: Floats, rng: np.random.Generator) -> Ints:
    """Return the group of each text: the tightest result of several starts of k-means."""
    from scipy.cluster.vq import kmeans2  # slow: imports all of SciPy's statistics

    distinct = len(np.unique(weights, axis=0))
    number = max(1, min(MOST_GROUPS, distinct))
    best: tuple[float, Ints] = (np.inf, np.zeros(len(weights), dtype=np.int64))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # empty groups are dropped
        for _ in range(STARTS if number > 1 else 0):
            centres, label = kmeans2(weights, number, minit="++", rng=rng)
            spread = float(((weights - centres[label]) ** 2).sum())
            if spread < best[0] - 1e-9:
                best = spread, label.astype(np.int64)
    return best[1]


def _names(weights: Floats, inside: Bools, vocabulary: list[str]) -> tuple[str, ...]:
    """Return up to three terms that distinguish a group's texts from the others."""
    excess = weights[inside].mean(axis=0) - weights.mean(axis=0)
    names: list[str] = []
    for column in np.argsort(-excess, kind="stable"):
        parts = set(vocabulary[column].split())
        if excess[column] > 0 and not any(parts & set(term.split()) for term in names):
            names.append(vocabulary[column])
    return tuple(names[:3])


def _longest(words: Sequence[TermCounts]) -> list[TermCounts]:
    """Return the terms without words of a pair that occurs in exactly the same texts."""
    counts = {word.words[0]: replace(word, words=()) for word in words}
    redundant = {(part, counts[term]) for term in counts if " " in term for part in term.split()}
    return [word for word in words if (word.words[0], counts[word.words[0]]) not in redundant]


def _examples(study: "StudyArrays", members: Ints, texts: ReasonTexts) -> tuple[Example, ...]:
    """Return two reasons of the judge from the middle of a group, each with an outside judge's."""
    beside = {(reason.instance_id, reason.rubric_id): reason for reason in (*texts.passed, *texts.failed)}
    own: dict[str, Reason] = {}
    for place in members.tolist():
        if place < len(texts.own) and len(own) < 2:
            own.setdefault(texts.own[place].text, texts.own[place])
    examples = []
    for reason in own.values():
        keys = {"instance_id": reason.instance_id, "rubric_id": reason.rubric_id}
        criterion = text_of(study, "rubrics", "criterion", **keys)
        examples.append(Example(criterion, reason, beside.get((reason.instance_id, reason.rubric_id))))
    return tuple(examples)
