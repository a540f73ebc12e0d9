"""How the result of one measure is shown by itself: the sentences, rows and columns of its view.

A command prints a summary. Its columns stand in the order of their weight: where there is little room, the
first ones are printed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from engine.charts import directions
from engine.charts.measure_charts import ALONG
from engine.explore.find_slices import listed_rows, strongest_first
from engine.explore.slots import COLUMNS_SEARCHED
from engine.measures.entry import Field
from engine.measures.result import Result, Rows
from engine.measures.row_kinds import only_judge, pooled_rows, scale_rows, scales, without_mean_of_one
from engine.views import (
    accuracy,
    agreement,
    baseline,
    best_of_n,
    committee,
    equal_quality,
    families,
    gold_stress,
    kinds,
    longer,
    mean_scores,
    model_likeness,
    orders,
    paradigms,
    people,
    relatedness,
    standout_slices,
    which_judge,
)
from engine.words import (
    agreement_words,
    board_facts,
    bonus_words,
    committee_words,
    conclusions,
    given_expected,
    pairs,
    paradigm_words,
    ratio_words,
    slice_words,
)
from engine.words.accuracy import accuracy_sentences
from engine.words.best_of_n import pick_sentences
from engine.words.concluded_elsewhere import with_caveat
from engine.words.families import effect_sentences
from engine.words.gold_stress import gold_stress_sentences
from engine.words.independent_votes import votes_worth
from engine.words.longer import length_sentences
from engine.words.mean_scores import questions_counted, score_sentences
from engine.words.model_likeness import likeness_words
from engine.words.no_numbers import number_with_reason
from engine.words.orders import flip_words, list_words, ordering_words, permutation_words, position_words
from engine.words.people import people_sentences
from engine.words.relatedness import relatedness_sentences
from engine.words.row_cells import Row
from engine.words.short_titles import measure as short_title
from engine.words.short_titles import title
from engine.words.which_judge import advice_sentences, by_accuracy, intervals_words, without_reasons

if TYPE_CHECKING:
    from engine.measures.row_types import (
        DeltaRow,
        ExpectedRow,
        HsppRow,
        OrderEffectRow,
        OutsideRow,
        QualityBaselineRow,
        ScorecardRow,
        TogetherRow,
    )

OutsideNumber = Literal["ratio_outside", "vote_outside", "bonus_outside", "difference_outside"]
OUTSIDE_NUMBERS: tuple[OutsideNumber, ...] = get_args(OutsideNumber)
"""The numbers of `outside`, of which a study has one: odds of verdicts, votes, points, or shares."""


@dataclass(frozen=True)
class Summary:
    """The sentences of a result, the result with its rows as the view orders them, and its columns.

    `always` are columns that are shown also where no row has a number, with the reason; `deciding` are the
    number that decides and why it does not, for which room is made before others.
    """

    sentences: tuple[str, ...]
    result: Result
    fields: tuple[str, ...]
    always: tuple[str, ...] = ()
    deciding: tuple[str, ...] = ()


def has_summary(result: Result) -> bool:
    """Return whether a view shows the measure, so that its result has sentences and columns of its own."""
    return bool(result.rows) and result.measure.name in _SUMMARIES and "against" not in result.filters


def summary_of(result: Result) -> Summary:
    """Return how a result is shown: as its view does, else its first fields without a sentence."""
    result = without_mean_of_one(result)
    if not has_summary(result):
        return _without_numbers(Summary((), result, first_fields(result)))
    summary = _SUMMARIES[result.measure.name](result)
    if not result.has_numbers:
        return _without_numbers(summary)
    return replace(summary, sentences=with_caveat(result, summary.sentences))


def _without_numbers(summary: Summary) -> Summary:
    """Return a summary with the reason, and its number's column, where no row has any number."""
    result = summary.result
    if not result.rows or result.has_numbers:
        return summary
    name, why = number_with_reason(result, summary.fields)
    sentences = tuple(filter(None, summary.sentences))
    if not why or not any(why in sentence for sentence in sentences):
        sentences = (*sentences, f"There is no number here{f': {why}' if why else ''}.")
    fields = summary.fields if name in summary.fields else (*summary.fields, name)
    return replace(summary, sentences=sentences, fields=fields, always=(*summary.always, name))


def first_fields(result: Result) -> tuple[str, ...]:
    """Return the fields that name a row, the headline number, then the others as declared."""
    declared = tuple(field.name for field in result.measure.fields)
    first = (*result.measure.keys, result.measure.headline)
    return tuple(dict.fromkeys(name for name in (*first, *declared) if name in declared))


def _scorecard(result: Result) -> Summary:
    fields = (
        *("judge", "conclusion", "own_given", "own_expected", "n_own", "reason"),
        *("family_conclusion", "family_given", "family_expected"),
    )
    rows: list[ScorecardRow] = result.rows
    group = [row for row in rows if row["judge"] is None]
    ordered = result.with_rows([*group, *board_facts.by_excess(rows)])
    some = result.filters.get("judges")
    sentences = (
        slice_words.without_scale(result.left_out),
        slice_words.only_these(result.filters, result.names),
        *(conclusions.sentences_of_some(rows) if some else conclusions.study_sentences(rows)),
        slice_words.unused_reference(result.filters),
        given_expected.discerned_words(rows),
        given_expected.beyond_scale_words(result.rows),
    )
    counted = given_expected.counted_fields(fields, result)
    return Summary(tuple(filter(None, sentences)), ordered, counted, deciding=("own_expected", "reason"))


def _expected(result: Result) -> Summary:
    expected: list[ExpectedRow] = result.rows
    every = (given_expected.with_facts(row, result) for row in expected)
    rows = filter(given_expected.has_numbers, every)
    each = (f"{row['judge']}: {given_expected.of_judge(row)}." for row in rows)
    texts = () if result.by else tuple(each)
    texts = (*texts, intervals_words(result), given_expected.beyond_scale_words(result.rows))
    return Summary(texts, result, ("judge", "own_given", "own_expected", "n_own", "excess"))


def _hspp(result: Result) -> Summary:
    by = result.by
    rows: list[HsppRow] = result.rows
    if by == "paradigm":
        return Summary((paradigm_words.paradigms(rows),), result, paradigms.FIELDS)
    if by is not None:
        one = result.by_one
        first: tuple[str, ...] = ()
        if one is not None:
            first = (slice_words.slices(rows, title(one).lower(), result.names),)
        if one in COLUMNS_SEARCHED:
            first += (ratio_words.within_slices(one, of_one=only_judge(rows) is not None),)
        return Summary(first, result, kinds.FIELDS)
    own = ratio_words.self_preference(rows, str(result.filters.get("level") or "rubric"))
    fields = ("judge", "hspp_self", "hspp_matched", "n_self", "hspp_family", "n_family", "o_self", "o_other")
    family = ratio_words.family_preference(rows) if any(row["n_family"] for row in rows) else ()
    return Summary((*own, *family), result, fields)


def _outside(result: Result) -> Summary:
    every: list[OutsideRow] = result.rows
    given = (name for name in OUTSIDE_NUMBERS if any(row[name] is not None for row in every))
    field = next(given, OUTSIDE_NUMBERS[0])
    truth = result.filters.get("truth")
    texts = () if result.by else conclusions.outside_sentences(every, field, truth)
    others = ("own_judge", "own_outside", "other_judge", "other_outside")
    bounded = [row for row in every if row["judge"] is None and row["low"] is not None]
    if texts and result.has_values("own_judge"):
        texts = [*texts, _MEANS_OF_SHARES]
    if not bounded or result.by:
        return Summary(tuple(texts), result, ("judge", field, "n_own", "n_outside", *others))
    fields = ("judge", "family", "bonus_outside", *families.EFFECTS[2:])
    return Summary((*texts, *effect_sentences(bounded)), result, fields)


_MEANS_OF_SHARES = (
    "The shares are means over judges of other families, each on the criteria that both judged, and may "
    "differ from the share of all criteria that a judge passed."
)


def _delta(result: Result) -> Summary:
    rows: list[DeltaRow] = result.rows
    each = bonus_words.score_bonus_sentences(rows, ()).values()
    sentences = (bonus_words.leniency_sentence(rows), *each, bonus_words.noise_sentence(rows))
    texts = () if result.by else tuple(filter(None, sentences))
    own = bonus_words.own_rows(result.rows)
    fields = ("judge", "bonus", "leniency_outside", "rank_shift", "pair_order", "delta", "n")
    return Summary(texts, result.with_rows(own) if own else result, fields)


def _length(result: Result) -> Summary:
    return Summary(() if result.by else length_sentences(result), result, longer.FIELDS)


def _which_judge(result: Result) -> Summary:
    fields = (*which_judge.ADVICE, *which_judge.NUMBERS)
    ordered = result.with_rows(by_accuracy(result.rows))
    sentences = (*advice_sentences(ordered), intervals_words(result))
    short = ordered.with_rows([row | {"advice": without_reasons(row["advice"])} for row in ordered.rows])
    return Summary(sentences, short, fields, always=which_judge.NUMBERS, deciding=("excess",))


def _accuracy(result: Result) -> Summary:
    texts = () if result.by else accuracy_sentences(result.rows)
    return Summary(tuple(texts), result, accuracy.fields_of(result))


def _committee(result: Result) -> Summary:
    texts = () if result.by else (*votes_worth(result.rows), *committee_words.committee(result.rows))
    return Summary(tuple(texts), result, committee.MEMBERS)


def _committee_sizes(result: Result) -> Summary:
    combine = str(result.filters.get("combine") or "majority")
    return Summary(tuple(committee_words.committee_sizes(result.rows, combine)), result, committee.SIZES)


def _equal_quality(result: Result) -> Summary:
    rows, fields = result.rows, equal_quality.NUMBERS
    if result.by is not None:
        return Summary((pairs.category_words(rows),) if result.by == "category" else (), result, fields)
    if result.filters.get("epsilons"):
        return Summary(
            (pairs.epsilon_words(rows),),
            result,
            ("judge", "epsilons", "spb_by_epsilon", "n_pairs_by_epsilon"),
        )
    return Summary((pairs.preferring(rows, "spb", equal_quality.FIRMLY),), result, fields, deciding=("spb",))


def _quality_baseline(result: Result) -> Summary:
    pooled: list[QualityBaselineRow] = pooled_rows(result)
    numbers = baseline.NUMBERS if any(row["n_proxies"] for row in pooled) else baseline.WITHOUT_PROXIES
    fields = ("judge", *(name for name in numbers if name != "judge"))
    return Summary((pairs.baseline_words(pooled),), _with(result, pooled), fields)


def _dbg(result: Result) -> Summary:
    pooled = pooled_rows(result)
    sentences = baseline.win_sentences(pooled)
    return Summary(sentences, _with(result, pooled), baseline.WINS, deciding=("dbg",))


def _best_of_n(result: Result) -> Summary:
    texts = () if result.by else pick_sentences(result.rows, result.filters.get("paradigm"))
    return Summary(texts, result, best_of_n.FIELDS)


def _ranking(result: Result) -> Summary:
    of_source = score_sentences(result.rows, result.filters.get("reference"))
    texts = () if result.by else (*of_source, questions_counted(result.rows))
    return Summary(tuple(filter(None, texts)), result, mean_scores.FIELDS)


def _votes(result: Result) -> Summary:
    texts = () if result.by else tuple(slice_words.leaders(result.rows))
    return Summary(texts, result, ("judge", "generator", "win_rate", "rank", "n"))


def _order_effect(result: Result) -> Summary:
    rows: list[OrderEffectRow] = result.rows
    if all(row["n_pairs"] == 0 < row["n_answers"] for row in rows):
        return Summary((flip_words(rows),), result, orders.ONE_ORDER_FIELDS)
    if all(row["n_pairs"] == 0 for row in rows):
        along = "verdict_rate"
        text = list_words(rows, along, ALONG[along][0])
        return Summary((text,), result, orders.LIST_FIELDS)
    return Summary((flip_words(rows),), result, orders.FLIP_FIELDS)


def _together(result: Result) -> Summary:
    """Show the numbers under their titles, and in words what each says of self-preference, and how surely."""
    every: list[TogetherRow] = result.rows
    rows = [
        row | {"measure": short_title(str(row["measure"])), "sign": directions.direction(row)}
        for row in every
    ]
    of_words = {"sign": Field("sign", "text", "what it says of self-preference", title="Direction")}
    fields = tuple(of_words.get(field.name, field) for field in result.measure.fields)
    in_words = replace(result.with_rows(rows), measure=replace(result.measure, fields=fields))
    sentences = tuple(dict.fromkeys(str(row["sentence"]) for row in every))
    return Summary(sentences, in_words, ("judge", "measure", "value", "low", "high", "sign", "n"))


def _found_slices(result: Result) -> Summary:
    n_tried, top = int(result.filters["slices_tried"]), result.filters["top"]
    order = result.filters.get("sort", "clearest")
    in_order = listed_rows(result.rows)
    if order == "strongest":
        in_order = strongest_first(in_order)
    wanted = result.filters.get("judges", ())
    sentences = [
        *slice_words.slice_sentences(result.rows, n_tried, wanted),
        slice_words.columns_tried(result),
    ]
    if top is not None and top < len(in_order):
        sentences.append(f"Listed are {slice_words.first_of(top, len(in_order), order)}.")
    return Summary(tuple(sentences), result.with_rows(in_order[:top]), standout_slices.FIELDS)


def _of_scales(words: Callable[[Rows], str], fields: tuple[str, ...]) -> Callable[[Result], Summary]:
    """Return the summary of a measure of score options: a sentence for each scale."""

    def summary(result: Result) -> Summary:
        names = scales(result)
        texts = [(name, words(scale_rows(result, name))) for name in names]
        each = tuple(text if len(names) == 1 else f"Scale {name}: {text}" for name, text in texts)
        return Summary(() if result.by else each, result, fields)

    return summary


def _whole(words: Callable[[Rows], Sequence[str]], fields: tuple[str, ...]) -> Callable[[Result], Summary]:
    """Return the summary of a measure whose rows are all shown, with these sentences where not grouped."""
    return lambda result: Summary(() if result.by else tuple(words(result.rows)), result, fields)


def _with(result: Result, rows: Sequence[Row]) -> Result:
    return result.with_rows([dict(row) for row in rows]) if rows else result


_SUMMARIES: Mapping[str, Callable[[Result], Summary]] = {
    "accuracy": _accuracy,
    "hspp": _hspp,
    "scorecard": _scorecard,
    "expected": _expected,
    "which-judge": _which_judge,
    "outside": _outside,
    "delta": _delta,
    "agreement-curve": _whole(lambda rows: (agreement_words.agreement(rows),), agreement.FIELDS),
    "reference-agreement": lambda result: Summary(
        agreement_words.source_sentences(result.rows), result, first_fields(result)
    ),
    "committee": _committee,
    "committee-size": _committee_sizes,
    "committee-families": _whole(
        lambda rows: (committee_words.committee_families(rows),), committee.FAMILIES
    ),
    "archetypes": _whole(pairs.archetype_words, equal_quality.TYPES),
    "equal-quality": _equal_quality,
    "mitigation": _whole(lambda rows: (pairs.mitigation_words(rows),), equal_quality.VARIANTS),
    "annotators": lambda result: Summary(
        tuple(equal_quality.label_sentences(result)), result, equal_quality.TASKS
    ),
    "quality-baseline": _quality_baseline,
    "quality-baseline-summary": _whole(lambda _: (), baseline.SUMMARY),
    "dbg": _dbg,
    "best-of-n": _best_of_n,
    "relatedness": _whole(relatedness_sentences, relatedness.FIELDS),
    "length": _length,
    "together": _together,
    "vote-ranking": _whole(lambda _: (), ("by", "model", "rank", "strength", "n")),
    "gold-stress": _whole(gold_stress_sentences, gold_stress.FIELDS),
    "people": _whole(people_sentences, people.FIELDS),
    "ranking": _ranking,
    "votes": _votes,
    "position": _of_scales(position_words, orders.POSITION_FIELDS),
    "ordering": _of_scales(ordering_words, orders.COST_FIELDS),
    "permutation": _of_scales(permutation_words, orders.ARM_FIELDS),
    "model-likeness": _of_scales(likeness_words, model_likeness.FIELDS),
    "order-effect": _order_effect,
    "find": _found_slices,
}
"""The summary of each measure that a view shows."""
