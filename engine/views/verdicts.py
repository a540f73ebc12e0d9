"""The list of verdicts behind a number: those of a slice, a judge and a model, of one kind."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.arrays.text_names import criterion_words, question_names
from engine.explore import judgment_page
from engine.explore.judgment_list import usual_kind
from engine.phrases import join_names, quantity, shortened
from engine.slices import Slice
from engine.values import parse_int
from engine.views.keys import Filters, choice, choices_in, filters, needs_verdicts, nowhere, texts
from engine.views.shown import Shown, ShownTable, VerdictQuery
from engine.views.slices import SINGLE, filterable_last
from engine.views.view import View
from engine.words.plain_names import paradigm_name
from engine.words.short_titles import ROW_KINDS

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

MOST = 12
"""Most judgments shown outside their page."""

LONGEST = 600
"""Most characters shown of a text of the study."""

COLUMNS = {
    "judge": "Judge",
    "generator": "Author",
    "opponent": "Opponent",
    "verdict": "Judge says",
    "score": "Score, of 1",
    "reference": "Reference says",
    "criterion": "Criterion",
    "instance_id": "Question",
}
ANYONE = ""


def _names_of(role: str) -> Callable[["MeasuredStudy"], Mapping[str, str]]:
    def offers(study: "MeasuredStudy") -> Mapping[str, str]:
        choices = choices_in(study)
        return {ANYONE: "all"} | {name: name for name in getattr(choices, role)}

    return offers


@dataclass(frozen=True)
class VerdictsKeys:
    """The slice, the kind of verdicts, whose they are, and the first one shown."""

    slice_: Annotated[Filters, filters()]
    show: Annotated[
        str, choice("Judgments", "Their kind", lambda _: ROW_KINDS, usual=lambda study, _: usual_kind(study))
    ]
    judge: Annotated[str, choice("Judge", "Whose verdicts", _names_of("judges"), where=nowhere)]
    generator: Annotated[str, choice("Answer of", "On whose answers", _names_of("models"), where=nowhere)]
    by: Annotated[tuple[str, ...], texts("Split by", "The columns that hold the values")]
    value: Annotated[tuple[str, ...], texts("Value", "The values of those columns")]
    q: Annotated[tuple[str, ...], texts("Search", "Words in a text")]
    item: Annotated[tuple[str, ...], texts("From", "The number of the first one")]


def answer(study: "MeasuredStudy", keys: VerdictsKeys) -> Shown:
    """Show the first judgments of a selection, starting from the one that was open."""
    query = query_of(study, keys)
    first = max(parse_int(next(iter(keys.item), "1")) or 1, 1)
    listing = judgment_page.rows(
        study,
        Slice.of(**query.filters),
        query.kind,
        judge=query.judge,
        generator=query.generator,
        search=query.search,
        by=query.by,
        value=query.value,
        limit=MOST,
        offset=first - 1,
    )
    if not listing.rows:
        reason = listing.reason or "no such judgment"
        return Shown(problems=(f"There is nothing to show: {reason}.",), queries=(query,))
    names = filled_columns(listing.rows, COLUMNS)
    rows = tuple(cells_of_judgment(study, row, names) for row in listing.rows)
    n_more = listing.total - listing.offset - len(rows)
    table = ShownTable(
        tuple(COLUMNS[name] for name in names), rows, n_more, names, records=tuple(listing.rows)
    )
    start = f"; shown from number {listing.offset + 1:,} on" if listing.offset else ""
    sentence = f"{ROW_KINDS[query.kind]}: {quantity_listed(listing, query.kind, query.generator)}{start}."
    sentences = (sentence, *other_judgments(study, listing, query.kind))
    return Shown(sentences=sentences, table=table, queries=(query,))


def quantity_listed(listing: judgment_page.Listing, kind: str, generator: str | None) -> str:
    """Return how many judgments a list has, or rows where each comparison of two answers stands twice."""
    of_two = any(row.get("opponent") is not None for row in listing.rows)
    if of_two and generator is None and kind in ("all", "disagreement"):
        return f"{quantity(listing.total, 'row')}, a judgment of two answers from each side"
    return quantity(listing.total, "judgment")


def other_judgments(study: "MeasuredStudy", listing: judgment_page.Listing, kind: str) -> tuple[str, ...]:
    """Return which judgments of a study of several paradigms a list of all verdicts leaves out."""
    one = None if listing.request is None or kind != "all" else listing.request.paradigm
    others = [paradigm_name(each) for each in study.inventory.values("paradigm") if each != one]
    if one is None or not others:
        return ()
    leads = f"the filter Paradigm leads to {join_names(others)}"
    return (f"Only {paradigm_name(one)} judgments are listed; {leads}.",)


def query_of(study: "MeasuredStudy", keys: VerdictsKeys) -> VerdictQuery:
    """Return the query of the chosen verdicts; the second of two columns is a filter."""
    by, value, filters_of = None, None, dict(keys.slice_)
    columns = filterable_last(study, keys.by)
    if keys.value and len(keys.value) == len(columns):
        by, value = columns[0], keys.value[0]
        filters_of |= {
            name: text if name in SINGLE else (text,)
            for name, text in zip(columns[1:], keys.value[1:], strict=True)
        }
    search = " ".join(keys.q) or None
    return VerdictQuery(filters_of, keys.show, keys.judge or None, keys.generator or None, search, by, value)


def with_criterion_words(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a judgment's row with its criterion as people read it, a negative one called so."""
    words = criterion_words(row.get("criterion"), row.get("rubric_id"))
    if words is not None and (row.get("points") or 0) < 0:
        words = f"{words} (negative)"
    return {**row, "criterion": words}


def filled_columns(rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns in which a row of judgments has something to read."""
    shown = list(map(with_criterion_words, rows))
    return tuple(name for name in columns if any(row.get(name) is not None for row in shown))


def cells_of_judgment(
    study: "MeasuredStudy", row: Mapping[str, Any], names: Sequence[str]
) -> tuple[str, ...]:
    """Return a judgment's texts of these names, each at most `LONGEST` characters."""
    question = question_names(study).get(str(row.get("instance_id")))
    texts_of = with_criterion_words(row) | {"instance_id": question}
    values = (texts_of.get(name) for name in names)
    return tuple(shortened("–" if value is None else str(value), LONGEST) for value in values)


VERDICTS = View(
    "verdicts", "Judgments", "Which verdicts are behind a number?", VerdictsKeys, answer, needs_verdicts
)
