"""Selection of items to label: pairs, clusters, verdicts or scores, drawn evenly over strata."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from math import comb
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.annotations.items import Hidden, Item, ItemTexts
from engine.annotations.sides import KINDS, NEITHER
from engine.annotations.task_titles import KIND_TITLES, SELECTION_TITLES
from engine.arrays.pairs.pair_quality import far, has_quality, judged_quality, near
from engine.arrays.slicing.resolve import NoDataError, resolve
from engine.arrays.slicing.slice_masks import instance_mask, rubric_mask
from engine.arrays.slicing.text_ranges import with_stored_values
from engine.arrays.text_names import with_criterion_ids
from engine.errors import SpbError, UsageError, unknown
from engine.explore.judgment_page import rows as drill_rows
from engine.importers.earlier_imports import import_again, without_spare_columns
from engine.paradigms import RUBRIC_PARADIGMS
from engine.phrases import join_names
from engine.rubric_options import options_of
from engine.slices import Slice
from engine.stats import Bools, Floats
from engine.wording import Wording, command_line, command_words

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays


SELECTIONS: dict[str, tuple[str, ...]] = {
    "equal": ("equal_pair", "preference"),
    "hard": ("clusters",),
    "disagreement": ("rubric_verdict",),
    "overestimation": ("rubric_verdict",),
    "scores": ("score",),
    "random": ("rubric_verdict", "preference", "equal_pair"),
}
"""The selections, each with its possible kinds of task, the default first."""

OF_QUALITY = ("equal", "hard")
"""The selections by judgments of quality."""

NUMBER, EPSILON, GAP, CLUSTER = 100, 0.25, 2.0, 5

LARGEST_SEED = 2**31 - 1
"""The largest integer of PostgreSQL's ordinary columns."""


@dataclass(frozen=True)
class Sampling:
    """At most `number` items of one selection, the same for the same seed.

    - `equal`: pairs, half of them within `epsilon` in quality and half at least `gap` apart.
    - `hard`: for each question, the `cluster` responses with the most pairs within two epsilons, drawn if
      several are equally close; questions with the most such pairs first.
    - `disagreement`: rubric verdicts on which judges disagree most.
    - `overestimation`: rubrics that a judge passes and the reference fails; `judge` and `generator` select
      one cell.
    - `scores`: responses to be scored by rubrics with options.
    - `random`: rubric verdicts or pairs, whatever judges say of them.

    `spec` filters the study's questions, rubrics and generators. An empty `kind` is the selection's default.
    Raises UsageError for values that are unknown, out of range, or incompatible.
    """

    selection: str = "equal"
    kind: str = ""
    number: int = NUMBER
    seed: int = 0
    epsilon: float = EPSILON
    gap: float = GAP
    cluster: int = CLUSTER
    quality_judges: tuple[str, ...] = ()
    judge: str | None = None
    generator: str | None = None
    spec: Slice = Slice()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        if self.selection not in SELECTIONS:
            raise unknown("selection", self.selection, SELECTIONS)
        kinds = SELECTIONS[self.selection]
        if not self.kind:
            object.__setattr__(self, "kind", kinds[0])
        if self.kind not in kinds:
            hint = f"items selected by {self.selection} have others"
            raise unknown("kind of task", self.kind, kinds, hint)
        for name in ("epsilon", "gap"):
            if not getattr(self, name) >= 0:
                raise UsageError(
                    f"{name} {getattr(self, name)!r} is not a quality difference of 0 or more; give "
                    "one such as 0.25"
                )
        if self.selection == "equal" and not self.gap > self.epsilon:
            raise UsageError(
                f"gap {self.gap!r} is not above epsilon {self.epsilon!r}, so that pairs would be both equal "
                "and far apart; raise the gap"
            )
        if self.number < 1:
            raise UsageError(f"number of items {self.number!r} is below 1; give 1 or more")
        if self.cluster < 2:
            raise UsageError(f"cluster {self.cluster!r} is below 2; give a number of answers such as 5")
        if not 0 <= self.seed <= LARGEST_SEED:
            raise UsageError(f"seed {self.seed!r} is out of range; give one from 0 to {LARGEST_SEED}")

    def settings(self) -> dict[str, Any]:
        """Return the settings as a task stores them, enough to reproduce its items."""
        plain = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "spec"}
        return plain | {"quality_judges": list(self.quality_judges), "filters": self.spec.filters()}


class SampledStudy:
    """A study under the filters of one selection: its questions and models, their names, and their texts."""

    def __init__(self, study: "StudyArrays", sampling: Sampling) -> None:
        sampling = replace(
            sampling, spec=with_criterion_ids(study, with_stored_values(study.index, sampling.spec))
        )
        self.study, self.sampling, self.index = study, sampling, study.index
        self.rng = np.random.default_rng(sampling.seed)
        self.names: list[str] = self.index.instances.to_pylist()
        for name in sampling.spec.generators:
            if name not in self.index.models:
                raise unknown("model", name, self.index.models)
        generators = sampling.spec.generators or self.index.models
        self.models = [place for place, name in enumerate(self.index.models) if name in generators]
        files = study.files
        prompts = files.table("instances", ["instance_id", "prompt"]).to_pylist()
        self._prompts = {row["instance_id"]: row["prompt"] for row in prompts}
        self._responses = {
            (row["instance_id"], row["generator"]): row["text"]
            for row in files.table("responses", ["instance_id", "generator", "transform", "text"]).to_pylist()
            if row["transform"] == "none" and row["text"] is not None
        }
        if not self._responses:
            raise NoDataError(f"no answer of this study has a text for people to read; {self.texts_remedy}")

    @property
    def texts_remedy(self) -> str:
        """How the texts of answers come into the study, to end an error with."""
        records = self.study.files.info.imports or ()
        again = import_again(self.study.files, "response")
        if not without_spare_columns(records):
            return f"import the file again with its column of the answers' texts: {again}"
        files = join_names(list(dict.fromkeys(record.file for record in records)), 4)
        return (
            f"no column of {files} has the answers' texts, as each is read as something else: add one, then "
            f"import with it: {again}"
        )

    @cached_property
    def rubrics(self) -> Bools:
        return rubric_mask(self.index, self.sampling.spec)

    @cached_property
    def instances(self) -> Bools:
        """Mask of the questions that pass the filters, for labels of whole responses."""
        return instance_mask(self.index, self.sampling.spec, self.rubrics)

    @cached_property
    def rubric_rows(self) -> dict[tuple[str, str], dict[str, Any]]:
        rows = self.study.files.table("rubrics", ["instance_id", "rubric_id", "criterion", "options"])
        return {(row["instance_id"], row["rubric_id"]): row for row in rows.to_pylist()}

    def quality(self) -> Floats:
        """Return the quality of each response, (models, instances), NaN if unknown or filtered out."""
        if not has_quality(self.study):
            remedy = "run the paradigm quality first, in which judges score each answer by itself"
            if self.study.files.table("preferences", ["source"]).num_rows:
                votes = command_line("measure", "outside", self.study.name, "--pairs", "tied")
                remedy += f" (people's preferences are no scores; on pairs that they call ties: {votes})"
            raise NoDataError(
                f"the study has no quality judgments, which the selection {self.sampling.selection} takes; "
                f"{remedy}"
            )
        options = {"quality_judges": self.sampling.quality_judges}
        q: Floats = judged_quality(self.study, self.sampling.spec, options).values[0].copy()
        q[:, ~self.instances] = np.nan
        q[np.setdiff1d(np.arange(len(q)), self.models)] = np.nan
        return q

    def theme(self, instance: int) -> str:
        fields = self.index.instance_fields
        return str(fields["theme"][instance] or fields["category"][instance])

    def has(self, instance: str, *models: str) -> bool:
        return all((instance, model) in self._responses for model in models)

    def rubric_item(self, instance: str, model: str, rubric: str, why: str, **facts: Any) -> Item:
        hidden = Hidden(instance, (model,), rubric, why=why, facts=facts)
        return Item(self.texts(instance, [model], rubric), hidden)

    def pair_item(
        self, instance: int, first: int, second: int, why: str, automatic: Any = None, **facts: Any
    ) -> Item:
        name, names = self.names[instance], (self.index.models[first], self.index.models[second])
        hidden = Hidden(name, names, why=why, automatic=automatic, facts=facts)
        return Item(self.texts(name, names), hidden)

    def texts(self, instance: str, models: Sequence[str], rubric: str | None = None) -> ItemTexts:
        responses = tuple(self._responses[instance, model] for model in models)
        row = {} if rubric is None else self.rubric_rows.get((instance, rubric), {})
        options, criterion = options_of(row.get("options")), row.get("criterion")
        name = None if criterion or rubric is None or self._reveals_model(rubric) else rubric
        return ItemTexts(self._prompts.get(instance), responses, criterion, options, name)

    def _reveals_model(self, text: str) -> bool:
        """Return whether a text names a model of the study, or a family."""
        return self._model_names.search(text) is not None

    @cached_property
    def _model_names(self) -> re.Pattern[str]:
        names = {*self.index.models, *filter(None, self.index.model_fields["family"])}
        either = "|".join(map(re.escape, sorted(names)))
        return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W_])", re.IGNORECASE)


def draw_evenly(strata: Sequence[Sequence[Any]], number: int, rng: np.random.Generator) -> list[int]:
    """Return the indices of `number` things, random but spread evenly over each stratum, finest first."""
    return alternate(rng.permutation(len(strata[0])).tolist(), strata)[:number]


def alternate(order: list[int], strata: Sequence[Sequence[Any]]) -> list[int]:
    """Return `order` resorted so that the values of each stratum alternate; the last has priority."""
    for stratum in strata:
        counts: dict[Any, int] = {}
        ranks = {}
        for place in order:
            ranks[place] = counts[stratum[place]] = counts.get(stratum[place], -1) + 1
        order = sorted(order, key=ranks.__getitem__)  # stable: ties keep the earlier order
    return order


_MOST_GROUPS = 5_000


def hard_cases(source: SampledStudy) -> list[Item]:
    """Return questions with their responses that form most close pairs; NoDataError if none has two."""
    q, sampling = source.quality(), source.sampling
    cases: list[tuple[int, int, list[int]]] = []
    for i, name in enumerate(source.names):
        models = [m for m in source.models if q[m, i] == q[m, i] and source.has(name, source.index.models[m])]
        if len(models) >= 2:
            models = source.rng.permutation(models).tolist()  # of equally close responses, any may be chosen
            close = near(q[models, i][:, None], q[models, i][None, :], 2 * sampling.epsilon)
            group, pairs = closest_group(close, sampling.cluster)
            cases.append((i, pairs, sorted(models[place] for place in group)))
    if not cases:
        raise NoDataError(f"no question has two rated answers with texts; {source.texts_remedy}")
    order = sorted(source.rng.permutation(len(cases)).tolist(), key=lambda place: -cases[place][1])
    themes = [source.theme(case[0]) for case in cases]
    items = []
    for place in alternate(order, [themes])[: sampling.number]:
        instance, pairs, models = cases[place]
        name, names = source.names[instance], tuple(source.index.models[m] for m in models)
        facts = {"quality": [float(q[m, instance]) for m in models], "close_pairs": pairs}
        items.append(Item(source.texts(name, names), Hidden(name, names, why="hard", facts=facts)))
    return items


def closest_group(close: Bools, number: int) -> tuple[list[int], int]:
    """Return the `number` things with the most close pairs among them, and the number of these pairs.

    All subsets are tried if there are few; else those with the fewest close ones are dropped first.
    """
    places = list(range(len(close)))
    while len(places) > number and comb(len(places), number) > _MOST_GROUPS:
        places.remove(min(places, key=lambda place: int(close[place, places].sum())))
    groups = combinations(places, min(number, len(places)))
    counts = ((int(np.triu(close[np.ix_(group, group)], 1).sum()), group) for group in groups)
    pairs, group = max(counts, key=itemgetter(0))
    return list(group), pairs


def equal_pairs(source: SampledStudy) -> list[Item]:
    """Return pairs within epsilon in quality, and as many at least the gap apart; NoDataError without any."""
    q, sampling = source.quality(), source.sampling
    equal = _draw_rated(source, q, "equal", (sampling.number + 1) // 2)
    if not equal:
        raise NoDataError(
            f"no pair of answers with texts is of equal quality; raise epsilon, or {source.texts_remedy}"
        )
    return equal + _draw_rated(source, q, "contrast", min(len(equal), sampling.number - len(equal)))


def _draw_rated(source: SampledStudy, q: Floats, why: str, number: int) -> list[Item]:
    """Return pairs of one kind by quality, with the label that their qualities suggest."""
    fits, limit = (near, source.sampling.epsilon) if why == "equal" else (far, source.sampling.gap)
    items = []
    for pair in _draw_pairs(source, number, lambda first, second: fits(q[first], q[second], limit)):
        instance, first, second = pair
        difference = float(q[first, instance] - q[second, instance])
        automatic = NEITHER[source.sampling.kind]
        if why == "contrast":
            automatic = "generator" if difference > 0 else "opponent"
        items.append(source.pair_item(*pair, why, automatic, apart=difference))
    return items


def _draw_pairs(
    source: SampledStudy, number: int, fits: Callable[[int, int], Bools]
) -> list[tuple[int, int, int]]:
    """Return pairs (instance, two models) with texts, spread over themes, then questions, then models.

    `fits` says of two models for which questions their answers may be drawn.
    """
    pairs: list[tuple[int, int, int]] = []
    for first, second in combinations(source.models, 2):
        names = source.index.models[first], source.index.models[second]
        instances = np.flatnonzero(fits(first, second)).tolist()
        pairs += [(i, first, second) for i in instances if source.has(source.names[i], *names)]
    models, instances = [pair[1:] for pair in pairs], [pair[0] for pair in pairs]
    strata: list[list[Any]] = [models, instances, [source.theme(instance) for instance in instances]]
    return [pairs[place] for place in draw_evenly(strata, number, source.rng)]


def responses_to_score(source: SampledStudy) -> list[Item]:
    """Return responses to score by options, spread over themes, questions and models; NoDataError if none."""
    items = _draw_criteria(source, "scores", with_options=True)
    if not items:
        raise NoDataError(
            "a task of scores needs criteria with a scale (options), and no answer with a text has one"
        )
    return items


def at_random(source: SampledStudy) -> list[Item]:
    """Return criteria or pairs spread over themes, questions and models; NoDataError without any."""
    if source.sampling.kind != "rubric_verdict":
        pairs = _draw_pairs(source, source.sampling.number, lambda *_: source.instances)
        if not pairs:
            raise NoDataError(f"no question has two answers with texts; {source.texts_remedy}")
        return [source.pair_item(*pair, "random") for pair in pairs]
    if items := _draw_criteria(source, "random", with_options=False):
        return items
    kinds = SELECTIONS["random"][1:]
    flags = command_words(" or ".join(f"--kind {kind}" for kind in kinds), _kind_titles(kinds))
    raise NoDataError("no answer with a text has a criterion; label pairs, with ", flags)


def _draw_criteria(source: SampledStudy, why: str, *, with_options: bool) -> list[Item]:
    """Return answers with a criterion, with or without options, spread over themes, questions and models."""
    index = source.index
    candidates: list[tuple[int, str, str]] = []
    for place in np.flatnonzero(source.rubrics).tolist():
        instance, rubric = int(index.layout.instance_of[place]), index.rubric_ids[place].as_py()
        name = source.names[instance]
        if bool(source.rubric_rows[name, rubric]["options"]) is not with_options:
            continue
        models = (index.models[model] for model in source.models)
        candidates += [(instance, rubric, model) for model in models if source.has(name, model)]
    if not candidates:
        return []
    instances, rubrics, names = zip(*candidates, strict=True)
    strata = [names, rubrics, instances, [source.theme(instance) for instance in instances]]
    items = [candidates[place] for place in draw_evenly(strata, source.sampling.number, source.rng)]
    return [source.rubric_item(source.names[i], model, rubric, why) for i, rubric, model in items]


_EVERYTHING = 1 << 31


def disagreements(source: SampledStudy) -> list[Item]:
    """Return the verdicts on which judges disagree most; NoDataError if they disagree on none."""
    request = resolve(source.study, source.sampling.spec, RUBRIC_PARADIGMS)
    agreement = source.study.agreement(request.selection)
    shares = agreement.of_verdicts
    models = [int(model) for model in agreement.cube.generators]
    mask = np.isin(models, source.models)[:, None] & source.rubrics[None, :]
    cases = []
    for row, rubric in np.argwhere((shares < 1) & mask):  # NaN (fewer than two verdicts) compares false
        instance, model = int(source.index.layout.instance_of[rubric]), source.index.models[models[row]]
        if source.has(source.names[instance], model):
            level = round(float(shares[row, rubric]), 9)
            cases.append((level, instance, model, source.index.rubric_ids[int(rubric)].as_py()))
    if not cases:
        raise NoDataError(f"judges disagree on no answer with a text; {source.texts_remedy}")
    within_levels = draw_evenly([[case[:2] for case in cases]], len(cases), source.rng)  # over questions
    cases = sorted((cases[place] for place in within_levels), key=lambda case: case[0])
    return [
        source.rubric_item(source.names[instance], model, rubric_id, "disagreement", agreement=level)
        for level, instance, model, rubric_id in cases[: source.sampling.number]
    ]


def overestimations(source: SampledStudy) -> list[Item]:
    """Return rubrics that a judge passes and the reference fails; NoDataError if there are none."""
    sampling = source.sampling
    cell: dict[str, Any] = {"judge": sampling.judge, "generator": sampling.generator}
    listing = drill_rows(source.study, sampling.spec, "overestimation", **cell, limit=_EVERYTHING)
    by_rubric: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in listing.rows:
        if row["rubric_id"] is not None and source.has(row["instance_id"], row["generator"]):
            by_rubric.setdefault((row["instance_id"], row["generator"], row["rubric_id"]), row)
    if not by_rubric:
        raise NoDataError(
            listing.reason or f"no overestimated answer in this selection has a text; {source.texts_remedy}"
        )
    cases = list(by_rubric.values())
    strata = [[row["instance_id"] for row in cases], [str(row["theme"]) for row in cases]]
    items = []
    for place in draw_evenly(strata, sampling.number, source.rng):
        name, model, rubric = (cases[place][key] for key in ("instance_id", "generator", "rubric_id"))
        items.append(source.rubric_item(name, model, rubric, "overestimation", judge=cases[place]["judge"]))
    return items


_SELECTORS: dict[str, Callable[[SampledStudy], list[Item]]] = {
    "equal": equal_pairs,
    "hard": hard_cases,
    "disagreement": disagreements,
    "overestimation": overestimations,
    "scores": responses_to_score,
    "random": at_random,
}


def select(study: "StudyArrays", sampling: Sampling) -> list[Item]:
    """Return the selected items; NoDataError, naming the selections that have any, if there are none."""
    sampled = SampledStudy(study, sampling)
    try:
        return _SELECTORS[sampling.selection](sampled)
    except NoDataError as error:
        kinds = {
            name: kinds_with_items(study, replace(sampling, selection=name, kind=""))
            for name in SELECTIONS
            if name != sampling.selection
        }
        others = [_choice_of(name, has) for name, has in kinds.items() if has]
        if not others:
            raise NoDataError(error.message, "; no other selection has items of this study") from error
        take = command_words("take a selection of which", "choose to label something of which")
        parts = [part for each in others for part in (", ", each)][1:]
        raise NoDataError(error.message, "; or ", take, " this study has items: ", *parts) from error


def _choice_of(selection: str, kinds: Sequence[str]) -> Wording:
    """Return a selection with the kinds of task of which it has items, if the default is not among them."""
    command, page = selection, f"“{SELECTION_TITLES[selection]}”"
    if kinds[0] != SELECTIONS[selection][0]:
        command, page = f"{command} (--kind {' or '.join(kinds)})", f"{page} ({_kind_titles(kinds)})"
    return command_words(command, page)


def _kind_titles(kinds: Sequence[str]) -> str:
    return " or ".join(f"“{KIND_TITLES[kind]}”" for kind in kinds)


def select_first(
    study: "StudyArrays", sampling_by: Callable[[str], Sampling], kind: str = ""
) -> tuple[Sampling, list[Item]]:
    """Return the items of the first selection, of a kind of task if one is named, of which there are any."""
    if kind and kind not in KINDS:
        raise unknown("kind of task", kind, KINDS)
    names = [name for name, kinds in SELECTIONS.items() if not kind or kind in kinds]
    candidates = [sampling_by(name) for name in names]
    if not kind and names:  # of the last, drawn at random, kinds differ in their items
        candidates += [replace(candidates[-1], kind=other) for other in SELECTIONS[names[-1]][1:]]
    for sampling in candidates:
        with suppress(NoDataError):
            return sampling, _SELECTORS[sampling.selection](SampledStudy(study, sampling))
    first = candidates[0] if candidates else sampling_by(next(iter(SELECTIONS)))
    return first, select(study, first)


def kinds_with_items(study: "StudyArrays", sampling: Sampling) -> list[str]:
    """Return the kinds of task for which a selection has items of the study, the default first."""
    present = []
    for kind in SELECTIONS[sampling.selection]:
        with suppress(SpbError):
            if _SELECTORS[sampling.selection](SampledStudy(study, replace(sampling, kind=kind, number=1))):
                present.append(kind)
    return present


def count_by_reason(items: list[Item]) -> dict[str, int]:
    return dict(Counter(item.hidden.why for item in items))
