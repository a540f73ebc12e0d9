"""Equal quality: archetypes, preference among equally good answers, other prompts, and people's labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

from engine.arrays.label_table import SAYS_EQUAL
from engine.measures.result import Result
from engine.phrases import quantity
from engine.views.drawing import MARKS, MOST_ROWS, figure_of, figure_of_judges, figure_of_panels
from engine.views.keys import Filters, choice, choices_in, filters, needs_pairs, number
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words import pairs

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy
    from engine.measures.row_types import AnnotatorsRow

IDLE = ("level", "paradigm", "min_agreement")
"""The filters that have no effect on measures of pairs."""

JUDGES, REFERENCE, HUMAN = "judges", "reference", "human"
EPSILONS = ("0.1", "0.25", "0.5", "1", "1.5", "2")
TYPES = ("judge", "archetype", "d", "spb", "crosses", "mean_quality", "n_contrast", "n_pairs")
NUMBERS = (
    *("judge", "pir", "null_pir", "spb", "spb_p_adjusted", "z_p", "binomial_p", "significant"),
    *("n_pairs", "n_null_pairs", "small"),
)
VARIANTS = (
    *("judge", "variant", "baseline", "spb_baseline", "spb", "reduction", "reduction_p_adjusted"),
    *("eta", "mcnemar_p", "d_change", "cost_ratio", "n_pairs"),
)
TASKS = (
    *("task", "kind", "kappa", "pairwise_kappa", "alpha", "n_items", "n_annotators", "self_agreement"),
    *("epsilon", "consistency", "n_compared"),
)
BANDS = "Bands are 95% intervals; hollow marks rest on fewer than 30 pairs."
FIRMLY = pairs.Doing(
    "firmly chooses its own more often than an equally good answer of others",
    "firmly choose their own more often than an equally good answer of others",
)
BY_PEOPLE = (
    "Two answers count as equal if most people, or a coordinator's decision, say so; otherwise the better "
    "one is the one that most people prefer. Epsilon does not apply, and unlabelled pairs are left out."
)
REGIONS = "Dashed lines are the archetypes' borders: D 80%, SPB 5% and -5%."


def qualities(study: "MeasuredStudy") -> Mapping[str, str]:
    """Return where quality can come from, the usual source first."""
    words = {JUDGES: "judges' quality scores", REFERENCE: "the reference's scores"}
    usual = JUDGES if "quality" in study.inventory.values("paradigm") else REFERENCE
    people = {HUMAN: "people's labels"} if study.files.has("annotations") else {}
    return {usual: words[usual]} | words | people


def needs_categories(study: "MeasuredStudy") -> str | None:
    return None if "category" in choices_in(study).groupings else "The questions have no categories."


def needs_labels(study: "MeasuredStudy") -> str | None:
    return None if study.files.has("annotations") else "Nobody has labelled answers of this study."


@dataclass(frozen=True)
class EqualQualityKeys:
    """The slice, and when two answers count as equally good."""

    slice_: Annotated[Filters, filters(*IDLE)]
    quality: Annotated[str, choice("Quality from", "Whose scores or labels set the quality", qualities)]
    epsilon: Annotated[
        float,
        number(
            "Equal within (epsilon)",
            "Largest difference in quality, on a scale of 0 to 10, at which answers count as equally good",
            0.0,
            2.0,
            step=0.05,
            usual=lambda *_: 0.25,
            where=lambda _, values: values.get("quality") != HUMAN,
        ),
    ]


def _options(keys: EqualQualityKeys, **more: Any) -> dict[str, Any]:
    epsilon = {} if keys.quality == HUMAN else {"epsilon": keys.epsilon}
    return {**keys.slice_, "quality": keys.quality, **epsilon, **more}


def _archetypes(study: "MeasuredStudy", keys: EqualQualityKeys) -> Shown:
    options = _options(keys)
    result = measure(study, "archetypes", options)
    caption = "Discriminability D of each judge against SPB, over the regions of the archetypes."
    marks = f"{MARKS} {REGIONS}"
    figure = figure_of(result, caption, marks)
    sentences = pairs.archetype_words(result.rows)
    shown = shown_of(study, result, options, TYPES, sentences=sentences, figure=figure)
    return replace(shown, sentences=(*shown.sentences, BY_PEOPLE)) if keys.quality == HUMAN else shown


def _firm_choices(study: "MeasuredStudy", keys: EqualQualityKeys) -> Shown:
    options = _options(keys)
    result = measure(study, "equal-quality", options)
    caption = "PIR and Null-PIR of each judge, and SPB, their difference."
    figure = figure_of_panels(result, caption)
    sentences = (pairs.preferring(result.rows, "spb", FIRMLY),)
    return shown_of(study, result, options, NUMBERS, sentences=sentences, figure=figure)


def _by_epsilon(study: "MeasuredStudy", keys: EqualQualityKeys) -> Shown:
    if keys.quality == HUMAN:
        return Shown(problems=("Labels by people have no epsilon.",))
    options = _options(keys, epsilons=EPSILONS)
    result = measure(study, "equal-quality", options)
    caption = "SPB of each judge at several epsilons."
    figure = figure_of_judges(result, caption, BANDS)
    sentences = (pairs.epsilon_words(result.rows),)
    fields = ("judge", "epsilons", "spb_by_epsilon", "n_pairs_by_epsilon")
    return shown_of(study, result, options, fields, sentences=sentences, figure=figure)


def _by_category(study: "MeasuredStudy", keys: EqualQualityKeys) -> Shown:
    options = _options(keys, by="category")
    result = measure(study, "equal-quality", options)
    caption = "SPB of each judge in each category of the questions."
    figure = figure_of_judges(result, caption)
    sentences = (pairs.category_words(result.rows),)
    return shown_of(study, result, options, NUMBERS, sentences=sentences, figure=figure)


def _mitigation(study: "MeasuredStudy", keys: EqualQualityKeys) -> Shown:
    options = _options(keys)
    result = measure(study, "mitigation", options)
    caption = "SPB of each judge with the usual prompt and with each other one."
    marks = f"{MARKS} An arrow leads from SPB with the usual prompt to SPB with the other."
    figure = figure_of_judges(result, caption, marks, MOST_ROWS)
    sentences = (pairs.mitigation_words(result.rows),)
    return shown_of(study, result, options, VARIANTS, sentences=sentences, figure=figure)


def _labels(study: "MeasuredStudy", keys: EqualQualityKeys) -> Shown:
    quality = next(iter(qualities(study))) if keys.quality == HUMAN else keys.quality
    options = {**keys.slice_, "quality": quality, "epsilons": EPSILONS}
    if keys.quality != HUMAN:
        options["epsilon"] = keys.epsilon
    result = measure(study, "annotators", options)
    return shown_of(study, result, options, TASKS, sentences=tuple(label_sentences(result)))


def label_sentences(result: Result) -> Iterator[str]:
    """Yield a sentence on each task: its agreement, and the epsilon of the best automatic label."""
    for task in dict.fromkeys(row["task"] for row in result.rows):
        rows = [row for row in result.rows if row["task"] == task]
        yield f"{task}: {_people(rows[0])}{_automatic(rows)}"


def _people(row: "AnnotatorsRow") -> str:
    counts = f"{quantity(row['n_annotators'], 'labeller')} gave {quantity(row['n_labels'], 'label')}"
    if row["alpha"] is None:
        return f"{counts}; their agreement is not known."
    kappa = "" if row["kappa"] is None else f"Fleiss' kappa {row['kappa']:.2f}, "
    return f"{counts}; {kappa}Krippendorff's alpha {row['alpha']:.2f}."


def _automatic(rows: "Sequence[AnnotatorsRow]") -> str:
    """Return how often the automatic label of equal quality agrees with most people's."""
    fits = [row for row in rows if row["consistency"] is not None]
    if not fits or rows[0]["kind"] not in SAYS_EQUAL:
        return ""
    current, best = fits[0], max(fits, key=lambda row: row["consistency"])
    words = (
        f" The automatic label agrees on {current['consistency']:.0%} of {current['n_compared']:,} pairs at "
        f"epsilon {current['epsilon']:g}"
    )
    if best["consistency"] > current["consistency"]:
        words += f", and on {best['consistency']:.0%} at {best['epsilon']:g}"
    return f"{words}."


ARCHETYPES = View(
    "archetypes", "Archetypes", "What kind of judge is each?", EqualQualityKeys, _archetypes, needs_pairs
)
FIRM_CHOICES = View(
    "firm_choices",
    "Firm choices of own and of equally good answers",
    "Does a judge firmly choose its own answer over an equally good one?",
    EqualQualityKeys,
    _firm_choices,
    needs_pairs,
)
SPB_BY_EPSILON = View(
    "spb_by_epsilon",
    "By epsilon",
    "Does it matter how equal the answers must be?",
    EqualQualityKeys,
    _by_epsilon,
    needs_pairs,
)
SPB_BY_CATEGORY = View(
    "spb_by_category",
    "By category",
    "Does it differ by the category of the question?",
    EqualQualityKeys,
    _by_category,
    needs_categories,
)
MITIGATION = View(
    "mitigation",
    "Other prompts",
    "Does another prompt lower the preference?",
    EqualQualityKeys,
    _mitigation,
    needs_pairs,
)
LABELS = View(
    "labels",
    "What people say",
    "Do people agree with each other and with the automatic label?",
    EqualQualityKeys,
    _labels,
    needs_labels,
)
