"""The results of the slice finder in sentences, with names of models and values unescaped."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from engine.arrays.text_names import grouped_by_text
from engine.explore.find_slices import (
    clearest,
    distinct_findings,
    listed_rows,
    significant_rows,
    strongest_of_each,
)
from engine.measures.row_kinds import only_judge
from engine.measures.rows import FEW
from engine.phrases import join_names, part_of, quantity, sentence_case
from engine.slices import BY_RUBRIC, FLAG_NAMES, TEXT_COLUMNS, is_set, pairs_agree
from engine.stats.scores.ranks import TOLERANCE
from engine.values import float_in
from engine.wording import Sentence, Wording, option
from engine.words.paradigm_words import mean_rows, name_and_mean, of_whom
from engine.words.plain_names import MOST_VALUES, value_words
from engine.words.ratio_words import MOST
from engine.words.short_titles import place_of_slice, title, within_words
from engine.words.written_numbers import at_most_words, confidence, number, p_value

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays
    from engine.measures.result import Result
    from engine.measures.row_types import FindRow, HsppRow, VotesRow


MOST_NAMED = 4
"""Most judges of which a sentence says where their ratio is highest."""

_SELECTING = ("polarity", "length", *TEXT_COLUMNS, "rubric_id", "ordering", "position", "response_length")
"""The filters that say what is judged, and not by whom or how it is counted."""


def only_these(filters: Mapping[str, Any], names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return which slice is counted alone: `Only theme code is counted.`; empty for no slice.

    `names` has names for ids of criteria.
    """
    if ids := filters.get("rubric_id"):
        filters = {**filters, "rubric_id": tuple(names.get(each, each) for each in ids)}
    parts = _filter_words(filters, _SELECTING)
    texts = [f"Only {join_names(parts)} {'is' if len(parts) == 1 else 'are'} counted."] if parts else []
    if filters.get("min_agreement"):
        judges = filters.get("agreement_judges") or 0
        texts.append(f"Only {pairs_agree(filters)} count{_in_judges(filters['min_agreement'], judges)}.")
    return " ".join(texts)


def _in_judges(least: float, n_judges: int) -> str:
    """Return which share of the pairs are as many judges alike as is just enough, and one fewer."""
    pairs = n_judges * (n_judges - 1) / 2
    shares = {
        alike: (alike * (alike - 1) + (n_judges - alike) * (n_judges - alike - 1)) / 2 / pairs
        for alike in range((n_judges + 1) // 2, n_judges)
        if n_judges > 2
    }
    enough = min((alike for alike, share in shares.items() if share >= least - TOLERANCE), default=n_judges)
    near = [f"{alike} alike are {shares[alike]:.0%}" for alike in (enough, enough - 1) if alike in shares]
    return f"; of {n_judges} judges, {', '.join(near)} of the pairs" if near else ""


def unused_reference(filters: Mapping[str, Any]) -> str:
    """Return that a study's reference does not decide, and why; empty where none is idle."""
    name = filters.get("unused_reference")
    if name is None:
        return ""
    covers, of = filters.get("unused_covers"), filters.get("unused_of")
    why = "" if of is None else f" covers {covers:,} of {of:,} criteria judged, too few to decide by, and"
    return f"The reference {name}{why} is not used here: conclusions are drawn without a reference."


def sides_compared(result: "Result") -> list[str]:
    """Return which slices a comparison calls A and B, and what difference and p are; nothing of one slice."""
    other: Mapping[str, Any] = result.filters.get("against") or {}
    if not other or not result.rows:
        return []
    names = [name for name in {**other, **result.filters} if name in FLAG_NAMES]
    apart = [name for name in names if result.filters.get(name) != other.get(name)]
    sides = (_filter_words(filters, apart) for filters in (result.filters, other))
    a, b = (join_names(words) if words else "the whole slice" for words in sides)
    difference = f"A {'/' if result.measure.compared_as == 'ratio' else '-'} B"
    which = f"A is that of {a}, B that of {b}; the difference is {difference}."
    is_smallest = any(row["p_is_smallest"] for row in result.rows)
    of_p = [at_most_words(result.filters["resamples"])] if is_smallest else []
    return [f"{title(result.measure.headline)}: {which}", *of_p]


def _filter_words(filters: Mapping[str, Any], names: Iterable[str]) -> list[str]:
    """Return the filters of these names that a slice has, each with its value: `theme law`."""
    given = ((name, filters[name]) for name in names if is_set(filters.get(name)))
    return [f"{within_words(title(name))} {_filter_value(name, value)}" for name, value in given]


def of_one_question_each(study: "StudyArrays", result: "Result") -> list[Sentence]:
    """Return that rows by criterion are of one question each, and which columns have fewer values, if so."""
    if BY_RUBRIC not in result.group_columns.values() or not result.rows:
        return []
    ids = study.index.rubric_ids.to_pylist()
    if len({*ids}) < len(ids) or grouped_by_text(study):
        return []
    numbers = {name: len({*study.index.rubric_fields[name]} - {None}) for name in TEXT_COLUMNS}
    fewer = [name for name, number in numbers.items() if 1 < number <= len(ids) / 2]
    first = "Each criterion is of one question alone; "
    if fewer:
        return [Sentence(first, option("by"), f" {join_names(fewer, last='or')} groups them.")]
    axis = Wording("--map axis=COLUMN", "axis=COLUMN")
    return [Sentence(first, "to group them, import a column that several share, as ", axis, ".")]


def without_scale(left_out: Mapping[str, int]) -> str:
    """Return that scores on an unknown scale count nowhere, and the remedy; empty where there are none."""
    number = left_out.get("no_scale", 0)
    if not number:
        return ""
    verbs = ("lies", "counts") if number == 1 else ("lie", "count")
    return (
        f"{quantity(number, 'score')} by criterion {verbs[0]} beyond 0 to 1 and {verbs[1]} nowhere, as no "
        "scale is known: import again with the top of the scale, such as --set scale=10 (and --replace, if "
        "the study has no other run)."
    )


def _filter_value(name: str, value: Any) -> str:
    if name == "min_agreement":
        return f"{100 * value:.4g}%"
    if name in ("length", "response_length"):
        low, high = value
        ends = ("from", low), ("to", high)
        return " ".join(f"{word} {end:g}" for word, end in ends if end is not None)
    values = value if isinstance(value, tuple | list) else (value,)
    if name in TEXT_COLUMNS and len(values) > MOST_VALUES and None not in map(float_in, values):
        least, greatest = min(values, key=float), max(values, key=float)
        return f"{least} to {greatest} ({len(values):,} values)"
    return join_names([value_words(name, each) for each in values], MOST_VALUES, last="or")


def slices(rows: "Sequence[HsppRow]", column: str, names: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a sentence on the slices with the highest and lowest mean ratio, or ratio of the only judge.

    `rows` are those of `hspp` grouped by this `column`, such as `axis`; `names` are those of the result.
    """
    every = mean_rows(rows)
    means = [row for row in every if row["n_self"] >= FEW and row["hspp_self_low"] is not None]
    if len(means) < 2:
        ratio = "mean ratio" if only_judge(rows) is None else "ratio"
        return (
            f"Fewer than two slices by {column} have a {ratio} of {FEW} own failures or more, so none is "
            "called the highest."
        )
    first, *_, last = means
    disjoint = first["hspp_self_low"] is not None and last["hspp_self_high"] is not None
    disjoint = disjoint and first["hspp_self_low"] > last["hspp_self_high"]
    doubt = "their intervals do not overlap" if disjoint else "their intervals overlap, so this may be chance"
    highest, lowest = (name_and_mean(row, column, names) for row in (first, last))
    ends = f"highest for {highest} and lowest for {lowest}"
    of = "" if len(means) == len(every) else f" (where it has an interval and {FEW} own failures or more)"
    return f"By {column}{of}, the {of_whom(rows)} is {ends}; {doubt}."


def slice_sentences(rows: "Sequence[FindRow]", n_tried: int, judges: Sequence[str] = ()) -> list[str]:
    """Return which slice stands out most clearly, and where each judge's ratio is highest; or that none does.

    `judges` are those that somebody asked for: of one without a slice that stands out, that is said.
    """
    if not rows:
        return ["No slice has enough cases to be tested."]
    first, clear = clearest(rows), significant_rows(rows)
    if first is None:
        none = part_of(0, n_tried, "slice")
        texts = [
            f"No slice stands out: {none} tried differs significantly from the rest.",
            f"The closest (not significant): {slice_words(rows[0])}.",
        ]
        for judge in judges:
            most = max(
                (row for row in rows if row["judge"] == judge),
                key=lambda row: row["difference"],
                default=None,
            )
            if most is not None and most != rows[0] and most["difference"] > 1:
                texts.append(f"The most above elsewhere (not significant): {slice_words(most)}.")
        return texts
    verb = "stands" if len(clear) == 1 else "stand"
    count = f"{sentence_case(part_of(len(clear), n_tried, 'slice'))} tried {verb} out"
    findings = distinct_findings(rows)
    if len(findings) < len(clear):
        others = "the others lie within it or its rest"
        if len(findings) > 1:
            others = "the others lie within these or their rests"
        count += f", as {quantity(len(findings), 'finding')}: {others}"
    texts = [f"{count}. The clearest: {slice_words(first)}."]
    if first["hspp_matched"] is None:
        texts.append("No criterion there was failed by both answers, so its failures may simply be harder.")
    else:
        few = ", few cases" if first["n_matched"] < FEW else ""
        ratio = f"{number(first['hspp_matched'])} ({first['n_matched']:,} criteria{few})"
        texts.append(f"There, on criteria that both failed, the ratio is {ratio}.")
    texts += _strongest(rows, first)
    clear_of = dict.fromkeys(row["judge"] for row in clear)
    if without := [judge for judge in judges if judge not in clear_of]:
        texts.append(f"No slice of {join_names(without, last='or')} stands out.")
    return texts


def _strongest(rows: "Sequence[FindRow]", first: "FindRow") -> Iterator[str]:
    """Yield where the ratio of each judge is most above that elsewhere, and whose other slices stand out."""
    of_each = strongest_of_each(rows)
    if of_each == [first]:
        yield "It is also the strongest finding."
    elif of_each:
        places = [
            f"for {row['judge']} with {place_of_slice(row)} ({number(row['difference'])} times"
            f"{', few cases' if row['small'] else ''})"
            for row in of_each
        ]
        yield f"The ratio is most above that elsewhere {join_names(places, MOST_NAMED)}."
    mentioned = {first["judge"], *(row["judge"] for row in of_each[:MOST_NAMED])}
    others = dict.fromkeys(row["judge"] for row in significant_rows(rows) if row["judge"] not in mentioned)
    if others:
        yield f"Slices of {join_names(list(others))} stand out too."


def columns_tried(result: "Result") -> str:
    """Return by which columns slices were tried, how many had too few cases, and how many are not listed."""
    columns = [title(name).lower() for name in result.filters["columns"]]
    by = f"Tried were slices by {join_names(columns)}"
    pairs = "" if len(columns) < 2 else ", and by both" if len(columns) == 2 else ", and by each two of these"
    n_small = result.left_out.get("too_small", 0)
    text = f"{by}{pairs}; {n_small:,} had too few cases." if n_small else f"{by}{pairs}."
    n_rests = len(result.rows) - len(listed_rows(result.rows))
    if not n_rests:
        return text
    what = "is the rest of a listed one and has" if n_rests == 1 else "are the rests of listed ones and have"
    return f"{text} {quantity(n_rests, 'slice')} tried {what} no row."


def first_of(n_listed: int, n_rows: int, order: str = "clearest") -> str:
    """Return how many of the rows are listed, and why there are fewer of them than slices tried."""
    return (
        f"the first {n_listed:,} of {n_rows:,}, the {order} first; of two slices that are each other's "
        "rest, the one with the higher ratio"
    )


def slice_words(row: "FindRow") -> str:
    """Return a row in words: the judge, the slice, the difference with its interval, n and p."""
    few = ", few cases" if row["small"] else ""
    return (
        f"with {place_of_slice(row)}, the ratio of {row['judge']} is {number(row['difference'])} times "
        f"as high as elsewhere ({confidence(row['difference_low'], row['difference_high'])}; "
        f"{number(row['hspp_self'])} against {number(row['hspp_rest'])}; n {row['n_self']:,}{few}; "
        f"adjusted p {p_value(row['p_adjusted'], 'below ')})"
    )


def leaders(rows: "Iterable[VotesRow]") -> list[str]:
    """Return whom each judge ranks first, with that model's win rate; rows of `votes`."""
    by_judge: dict[str, list[VotesRow]] = {}
    for row in rows:
        if row["rank"] is not None and row["win_rate"] is not None:
            by_judge.setdefault(str(row["judge"]), []).append(row)
    firsts = {judge: min(votes, key=lambda row: row["rank"]) for judge, votes in by_judge.items()}
    if len(firsts) <= MOST:
        return [_leader(judge, first, len(by_judge[judge])) for judge, first in firsts.items()]
    n_first = Counter(str(first["generator"]) for first in firsts.values()).most_common()
    parts = [f"{model} by {quantity(n, 'judge')}" for model, n in n_first]
    others = n_first[MOST:]
    if len(others) > 1:
        judges = quantity(sum(n for _, n in others), "judge")
        parts = [*parts[:MOST], f"{quantity(len(others), 'other model')} by {judges}"]
    return [f"Ranked first: {join_names(parts)}."]


def _leader(judge: str, row: "VotesRow", models: int) -> str:
    interval = confidence(row["win_rate_low"], row["win_rate_high"], "percent")
    return (
        f"{judge} ranks {row['generator']} first of {quantity(models, 'model')}: it wins "
        f"{number(row['win_rate'], 'percent')} ({interval}) of {quantity(row['n'], 'pair')}."
    )
