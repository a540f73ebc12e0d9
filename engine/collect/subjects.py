"""The subjects of calls: sampled instances, orders, pairs, and the texts of each subject."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import combinations
from math import factorial
from typing import Any, Literal, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from engine.collect.calls import CallRequest, Subject
from engine.collect.config import RunConfig, Sample
from engine.collect.paradigms.judging import in_ordering
from engine.collect.paradigms.templates import Criterion, Texts
from engine.errors import UsageError
from engine.paradigms import NO_ANSWER, TRAITS, Paradigm
from engine.rubric_options import options_of
from engine.schema import Beside
from engine.shown_order import shown_models, shown_order
from engine.store.study_files import StudyFiles

# ------------------------------------------------------------------------------
# The texts of a study, by key.


ResponseKey = tuple[str, str, str]
_KEY = ("instance_id", "generator", "transform")
"""The key columns of a response."""


@dataclass(frozen=True, slots=True)
class Rubric:
    """A rubric of one instance; `criterion` is None if the study has no texts."""

    rubric_id: str
    criterion: Criterion | None

    @property
    def scored(self) -> bool:
        return self.criterion is not None and bool(self.criterion.options)


@dataclass(frozen=True, slots=True)
class Instance:
    instance_id: str
    prompt: str | None
    reference_answer: str | None
    context: str | None


class Library:
    """Texts of a study, or of one of its instances; read on first use, responses kept in Arrow."""

    def __init__(self, study: StudyFiles, instance_id: str | None = None) -> None:
        self.study = study
        self._instance_id = instance_id

    def _table(self, name: str, columns: Sequence[str]) -> pa.Table:
        table = self.study.table(name, columns)
        if self._instance_id is None:
            return table
        return table.filter(pc.equal(table["instance_id"].cast(pa.string()), self._instance_id))

    @cached_property
    def instances(self) -> dict[str, Instance]:
        columns = ("instance_id", "prompt", "reference_answer", "context")
        rows = self._table("instances", columns).to_pylist()
        return {row["instance_id"]: Instance(**row) for row in rows}

    @cached_property
    def _rubrics(self) -> dict[str, list[Rubric]]:
        columns = ("instance_id", "rubric_id", "criterion", "points", "options")
        rubrics: dict[str, list[Rubric]] = {}
        for row in self._table("rubrics", columns).to_pylist():
            options, text = options_of(row["options"]), row["criterion"]
            criterion = None
            if text is not None or options:
                criterion = Criterion(text or "", (row["points"] or 0) < 0, options)
            rubrics.setdefault(row["instance_id"], []).append(Rubric(row["rubric_id"], criterion))
        return rubrics

    def criteria(self, instance_id: str) -> list[Rubric]:
        return [each for each in self._rubrics.get(instance_id, ()) if not each.scored]

    def score_rubrics(self, instance_id: str) -> list[Rubric]:
        return [each for each in self._rubrics.get(instance_id, ()) if each.scored]

    def rubric(self, instance_id: str, rubric_id: str) -> Rubric | None:
        return next(
            (each for each in self._rubrics.get(instance_id, ()) if each.rubric_id == rubric_id), None
        )

    def responses_of_run(self, run_id: str | None) -> frozenset[ResponseKey]:
        if run_id is None:
            return frozenset()
        table = self._table("responses", (*_KEY, "run_id"))
        return frozenset(_rows(table.filter(pc.equal(table["run_id"].cast(pa.string()), run_id)), _KEY))

    @cached_property
    def _responses(self) -> tuple[dict[ResponseKey, int], pa.ChunkedArray]:
        table = self._table("responses", (*_KEY, "text", "shortfall"))
        has_no_answer = pc.is_in(table["shortfall"].cast(pa.string()), pa.array(NO_ANSWER))
        table = table.filter(pc.and_(pc.is_valid(table["text"]), pc.invert(has_no_answer)))
        return {key: place for place, key in enumerate(_rows(table, _KEY))}, table["text"]

    @cached_property
    def unanswered(self) -> dict[ResponseKey, str]:
        """The shortfalls of collected responses without an answer, which count as missing."""
        table = self._table("responses", (*_KEY, "shortfall"))
        has_no_answer = pc.is_in(table["shortfall"].cast(pa.string()), pa.array(NO_ANSWER))
        return {row[:3]: row[3] for row in _rows(table.filter(has_no_answer), (*_KEY, "shortfall"))}

    def has_response(self, key: ResponseKey) -> bool:
        """Return whether a response has a text; an imported one may be empty, a collected one not."""
        return key in self._responses[0]

    def response(self, key: ResponseKey) -> str | None:
        places, texts = self._responses
        place = places.get(key)
        text: str | None = None if place is None else texts[place].as_py()
        return text

    @cached_property
    def _authors_and_pairings(self) -> dict[ResponseKey, tuple[str | None, Beside | None]]:
        """The shown author and the pairing of the responses that have either."""
        names = (*_KEY, "author", "beside")
        table = self._table("responses", names)
        table = table.filter(pc.or_(pc.is_valid(table["author"]), pc.is_valid(table["beside"])))
        return {row[:3]: (row[3], row[4]) for row in _rows(table, names)}

    def author(self, key: ResponseKey) -> str | None:
        """Return the author of a response shown to judges, None if none is shown."""
        return self._authors_and_pairings.get(key, (None, None))[0]

    def beside(self, key: ResponseKey) -> Beside | None:
        """Return what a response is paired with, None for the other one under the same transform."""
        return self._authors_and_pairings.get(key, (None, None))[1]

    def beside_under(self, transform: str) -> Beside | None:
        rows = self._authors_and_pairings.items()
        return next((beside for key, (_, beside) in rows if key[2] == transform), None)

    def generators(self) -> tuple[str, ...]:
        """Return the models with untransformed responses, in the order of the table `models`."""
        with_response = {generator for _, generator, transform in self._responses[0] if transform == "none"}
        names = self.study.table("models", ("model",))["model"].to_pylist()
        return tuple(name for name in names if name in with_response)

    def transforms(self) -> frozenset[str]:
        """Return the forms in which the study has responses; `none`: as they were written."""
        return frozenset(transform for _, _, transform in self._responses[0])

    def column(self, name: str) -> Iterator[tuple[str, str | None]]:
        table = self._table("instances", ("instance_id", name))
        yield from zip(table["instance_id"].to_pylist(), table[name].to_pylist(), strict=True)


def _rows(table: pa.Table, columns: Sequence[str]) -> Iterator[Any]:
    return zip(*(table[name].cast(pa.string()).to_pylist() for name in columns), strict=True)


def texts_of(library: Library, request: CallRequest) -> Texts:
    """Return the texts of a request; missing texts are None, criteria without a text are left out."""
    subject = request.subject
    instance = library.instances.get(subject.instance_id)
    if instance is None:
        return Texts()
    rewriting = request.role == "generator" and subject.transform != "none"
    transform = "none" if rewriting else subject.transform
    target = (subject.instance_id, subject.generator, transform)
    other: ResponseKey | None = None
    if subject.opponent is not None:
        beside = library.beside(target)
        other = (subject.instance_id, subject.opponent, "none" if beside == "plain" else transform)
        other = target if beside == "itself" else other
    in_lists = request.paradigm is not None and TRAITS[request.paradigm].of_lists
    models = (shown_models(subject.ordering) or ()) if in_lists else ()
    shown = [(subject.instance_id, name, transform) for name in models]
    return Texts(
        prompt=instance.prompt,
        response=library.response(target) if request.role == "judge" or rewriting else None,
        opponent=None if other is None else library.response(other),
        responses=tuple(map(library.response, shown)),
        author=library.author(target),
        opponent_author=None if other is None else library.author(other),
        authors=tuple(map(library.author, shown)),
        criteria=_criteria(library, request),
        reference_answer=instance.reference_answer,
        context=instance.context,
    )


def _criteria(library: Library, request: CallRequest) -> tuple[Criterion, ...]:
    subject = request.subject
    traits = TRAITS[request.paradigm] if request.paradigm else None
    if traits and (traits.of_pairs or traits.of_lists):
        rubrics = library.criteria(subject.instance_id)
    else:
        by_id = (library.rubric(subject.instance_id, name) for name in subject.rubric_ids)
        rubrics = [rubric for rubric in by_id if rubric is not None]
    criteria = tuple(rubric.criterion for rubric in rubrics if rubric.criterion is not None)
    if traits and traits.subject == "options" and subject.ordering is not None:
        return tuple(in_ordering(each, subject.ordering) for each in criteria)
    return criteria


# ------------------------------------------------------------------------------
# The orders in which rubrics and options are shown.


Item = TypeVar("Item")


def rubric_orderings(names: Sequence[str], n: int) -> Iterator[str]:
    """Yield the distinct orderings of n rubrics, without rotations that begin beyond the end."""
    orderings: dict[str, None] = {}
    for name in names:
        if name == "rotated":
            orderings |= dict.fromkeys(f"rotated-{first}" for first in range(2, n + 1))
        elif not name.startswith("rotated-") or int(name.removeprefix("rotated-")) <= n:
            orderings[name] = None
    yield from orderings


def in_order(items: Sequence[Item], ordering: str) -> tuple[Item, ...]:
    if ordering == "reversed":
        return tuple(reversed(items))
    if ordering.startswith("rotated-"):
        first = int(ordering.removeprefix("rotated-")) - 1
        return (*items[first:], *items[:first])
    return tuple(items)


def option_orderings(scores: Sequence[float], repeats: int) -> Iterator[tuple[str, int]]:
    """Yield the balanced orderings of ascending scores as trial 0, then further trials of the first one."""
    from engine.stats.option_orders import balanced_orderings

    orderings = ["-".join(f"{scores[i]:g}" for i in places) for places in balanced_orderings(len(scores))]
    for ordering in orderings:
        yield ordering, 0
    for trial in range(1, repeats):
        yield orderings[0], trial


def list_orders(models: Sequence[str], number: int, seed: int, instance_id: str) -> list[tuple[str, ...]]:
    """Return the distinct orders in which the responses of a list are shown; none for fewer than two.

    Every other order is drawn, from the seed and the instance alone, and the next is its reverse, so that
    over an even number each response's mean position is the middle. All judges see the same orders.
    """
    orders: dict[tuple[str, ...], None] = {}
    total = min(number, factorial(len(models))) if len(models) > 1 else 0
    draw = 0
    while len(orders) < total:
        order = tuple(sorted(models, key=lambda name: _draw(seed, f"{instance_id}\0{draw}\0{name}")))
        orders |= dict.fromkeys((order, order[::-1]))
        draw += 1
    return list(orders)[:total]


def sample_instances(
    instances: Sequence[str], strata: Mapping[str, str | None], sample: Sample | None, seed: int
) -> list[str]:
    """Return the sampled instances in their order; of each stratum its share, at least `min_per_stratum`.

    The choice depends on the seed and the ids alone: unstratified, a larger sample contains a smaller one.
    """
    if sample is None:
        return list(instances)
    if sample.n > len(instances):
        raise UsageError(
            f"sample.n is {sample.n!r}, and there are {len(instances)} instances; give at most as many, or "
            "leave [sample] out"
        )
    groups: dict[str | None, list[str]] = {}
    for instance in sorted(instances, key=lambda name: _draw(seed, name)):
        groups.setdefault(strata.get(instance), []).append(instance)
    quotas = _shares({name: len(members) for name, members in groups.items()}, sample)
    selected = {instance for name, members in groups.items() for instance in members[: quotas[name]]}
    return [instance for instance in instances if instance in selected]


def _draw(seed: int, instance: str) -> bytes:
    text = f"{seed}\0{instance}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=16).digest()


def _shares(sizes: Mapping[str | None, int], sample: Sample) -> dict[str | None, int]:
    """Return the number from each stratum: at least the minimum, else proportional by largest remainders."""
    order = sorted(sizes, key=lambda name: (name is None, name or ""))
    minimums = {name: min(sample.min_per_stratum, sizes[name]) for name in order}
    if sum(minimums.values()) > sample.n:
        raise UsageError(
            f"sample.n is {sample.n!r}, and {len(order)} values of {sample.stratify} with "
            f"min_per_stratum = {sample.min_per_stratum} take {sum(minimums.values())}; raise n or "
            "lower the least"
        )
    quotas = dict(minimums)
    total = sum(sizes.values())
    while sum(quotas.values()) < sample.n:
        # One at a time to the stratum furthest below its share; in a tie to the first.
        unfilled = [name for name in order if quotas[name] < sizes[name]]
        furthest = max(unfilled, key=lambda name: sample.n * sizes[name] / total - quotas[name])
        quotas[furthest] += 1
    return quotas


# ------------------------------------------------------------------------------
# The pairs that a judge compares, and their orders.


First = Literal["generator", "opponent"]
BOTH: tuple[First, ...] = ("generator", "opponent")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two responses to one instance; `orders` says which is shown first in each call."""

    generator: str
    opponent: str
    orders: tuple[First, ...] = BOTH


PairSource = Callable[[str, str], Iterable[Pair]]
"""Returns a judge's pairs of an instance, each pair of responses once."""


def all_pairs(generators: Sequence[str], judge: str, _: str) -> Iterator[Pair]:
    """Yield all pairs of generators; the judge, if in the pair, is the generator."""
    for model, other in combinations(generators, 2):
        yield Pair(other, model) if other == judge else Pair(model, other)


def drawn_pairs(
    pairs: Mapping[tuple[str, str], Sequence[Pair]], judge: str, instance_id: str
) -> Iterable[Pair]:
    """Return the pairs drawn for a judge; a pair drawn for two purposes is judged once."""
    merged: dict[frozenset[str], Pair] = {}
    for pair in pairs.get((judge, instance_id), ()):
        sides = frozenset((pair.generator, pair.opponent))
        if sides not in merged or len(merged[sides].orders) < len(pair.orders):
            merged[sides] = pair
    return merged.values()


# ------------------------------------------------------------------------------
# The subjects of calls in each paradigm.


@dataclass(frozen=True)
class SubjectSource:
    """The source of subjects: generators, pairs and transform; `exists` says whether a response does."""

    config: RunConfig
    library: Library
    generators: Sequence[str]
    pairs: PairSource
    transform: str
    exists: Callable[[ResponseKey], bool]
    beside: Beside | None = None

    def generators_of(self, instance_id: str) -> list[str]:
        return [each for each in self.generators if self.exists((instance_id, each, self.transform))]


def subjects(paradigm: Paradigm, source: SubjectSource, judge: str, instance_id: str) -> Iterator[Subject]:
    """Yield the subjects of a judge's calls about an instance.

    A response paired with itself is judged in pairs only, and one paired with others as written is in no
    list. Recognition and likelihoods are skipped for both, and if an author is shown.
    """
    traits = TRAITS[paradigm]
    change = source.config.transforms.get(source.transform)
    names_authors = change is not None and change.make == "author"
    if traits.gives in ("author", "likelihood") and (source.beside or names_authors):
        return iter(())
    if (source.beside == "itself" and not traits.of_pairs) or (source.beside and traits.of_lists):
        return iter(())
    return _MAKERS[paradigm](source, judge, instance_id)


def _single_rubric(source: SubjectSource, _: str, instance_id: str) -> Iterator[Subject]:
    rubrics = source.library.criteria(instance_id)
    for generator in source.generators_of(instance_id):
        for rubric in rubrics:
            yield _subject(source, instance_id, generator, rubric_ids=(rubric.rubric_id,))


def _all_rubrics(source: SubjectSource, _: str, instance_id: str, *, ordered: bool) -> Iterator[Subject]:
    names = tuple(rubric.rubric_id for rubric in source.library.criteria(instance_id))
    orderings = tuple(rubric_orderings(source.config.orderings, len(names))) if ordered else (None,)
    lists: dict[tuple[str, ...], str | None] = {}
    for ordering in orderings:  # of the orderings that give one list, only the first is judged
        lists.setdefault(in_order(names, ordering or "original"), ordering)
    for generator in source.generators_of(instance_id) if names else ():
        for rubric_ids, ordering in lists.items():
            yield _subject(source, instance_id, generator, rubric_ids=rubric_ids, ordering=ordering)


def _pairwise(source: SubjectSource, judge: str, instance_id: str) -> Iterator[Subject]:
    if source.beside == "itself":  # each response once; the opponent is the next model, not shown
        models = source.generators_of(instance_id)
        for model, following in zip(models, (*models[1:], *models[:1]), strict=True):
            if model != following:
                yield _subject(source, instance_id, model, opponent=following, first="generator")
        return
    others = "none" if source.beside == "plain" else source.transform
    for pair in source.pairs(judge, instance_id):
        sides = ((instance_id, pair.generator, source.transform), (instance_id, pair.opponent, others))
        if not all(map(source.exists, sides)):
            continue
        for first in pair.orders:
            yield _subject(source, instance_id, pair.generator, opponent=pair.opponent, first=first)


def _listwise(source: SubjectSource, _: str, instance_id: str) -> Iterator[Subject]:
    models, config = source.generators_of(instance_id), source.config
    for order in list_orders(models, config.lists, config.seed, instance_id):
        yield _subject(source, instance_id, order[0], ordering=shown_order(order))


def _recognition(source: SubjectSource, judge: str, instance_id: str) -> Iterator[Subject]:
    models = source.generators_of(instance_id)
    for other in models if judge in models else ():
        for first in BOTH if other != judge else ():
            yield _subject(source, instance_id, judge, opponent=other, first=first)


def _score_rubric(source: SubjectSource, _: str, instance_id: str) -> Iterator[Subject]:
    for generator in source.generators_of(instance_id):
        for rubric in source.library.score_rubrics(instance_id):
            assert rubric.criterion is not None  # noqa: S101 - score rubrics have options
            scores = [option.score for option in rubric.criterion.options]
            subject = _subject(source, instance_id, generator, rubric_ids=(rubric.rubric_id,))
            for ordering, trial in option_orderings(scores, source.config.repeats):
                yield replace(subject, ordering=ordering, trial=trial)


def _each_response(source: SubjectSource, _: str, instance_id: str) -> Iterator[Subject]:
    for generator in source.generators_of(instance_id):
        yield _subject(source, instance_id, generator)


def _subject(source: SubjectSource, instance_id: str, generator: str, **fields: object) -> Subject:
    return Subject(instance_id, generator, transform=source.transform, **fields)  # type: ignore[arg-type]


_MAKERS: dict[Paradigm, Callable[[SubjectSource, str, str], Iterator[Subject]]] = {
    "single_rubric": _single_rubric,
    "all_rubrics": partial(_all_rubrics, ordered=True),
    "direct_assessment": partial(_all_rubrics, ordered=False),
    "pairwise": _pairwise,
    "score_rubric": _score_rubric,
    "quality": _each_response,
    "listwise": _listwise,
    "recognition": _recognition,
    "familiarity": _each_response,
}


def subject_of_row(library: Library, row: Mapping[str, Any], rubrics: Sequence[str] | None = None) -> Subject:
    """Return the subject of a judgment row.

    Its rubrics are `rubrics` where given, else its own or all of its instance, by what its paradigm shows.
    """
    traits, ordering = TRAITS[row["paradigm"]], row["ordering"]
    models = shown_models(ordering) if traits.of_lists else None
    rubric_ids: tuple[str, ...] = ()
    if traits.one_rubric_a_call:
        rubric_ids = (row["rubric_id"],)
    elif rubrics is not None:
        rubric_ids = tuple(rubrics)
    elif "rubrics" in traits.needs:
        names = tuple(rubric.rubric_id for rubric in library.criteria(row["instance_id"]))
        rubric_ids = in_order(names, ordering or "original")
    return Subject(
        instance_id=row["instance_id"],
        generator=models[0] if models else row["generator"],
        opponent=row["opponent"],
        first=row["first"],
        transform=row["transform"],
        rubric_ids=rubric_ids,
        ordering=ordering,
        trial=row["trial"],
    )


def request_of_row(
    library: Library, row: Mapping[str, Any], rubrics: Sequence[str] | None = None
) -> CallRequest | None:
    """Return the request that a judgment row answers, that of the judge a stand-in answered for.

    None if the study's rubrics are not those shown; `rubrics` as for `subject_of_row`.
    """
    judge = row["stood_in_for"] or row["judge"]
    subject = subject_of_row(library, row, rubrics)
    request = CallRequest("judge", judge, row["paradigm"], row["variant"], subject)
    return request if request.key == row["call_id"] else None
