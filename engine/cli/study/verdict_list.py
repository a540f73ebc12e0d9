"""`spb study verdicts`: the verdicts behind a number, one by one, with their texts."""

import inspect
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.cli.exit_codes import NO_ANSWER
from engine.cli.measure.slice_flags import given_flags, slice_parameters
from engine.cli.options import open_study, parameter
from engine.cli.output import goes_to_file, say
from engine.cli.printing.rows import RowFormatOption, Rows, print_rows
from engine.errors import UsageError
from engine.explore.verdict_kinds import VerdictKind
from engine.phrases import quantity
from engine.wording import option

if TYPE_CHECKING:
    from engine.explore.judgment_detail import JudgedItem
    from engine.explore.judgment_page import Listing
    from engine.slices import Slice
    from engine.study import Study

KindOption = Annotated[
    VerdictKind | None,
    typer.Option(
        "--kind",
        help="Verdicts to list: what the reference failed and the judge passed, the reverse, both, all that "
        "the reference failed, or all (default: failed; all of pairs, of scores and without a reference).",
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option(
        "--limit",
        metavar="N",
        min=1,
        help="Most verdicts to list (default: 20 in a terminal; all in JSON, in CSV and in a file).",
    ),
]
_MOST_IN_A_TERMINAL = 20


def verdicts(**options: Any) -> None:
    """List the verdicts behind a number.

    They are those of any slice; `--judge J --generators J` selects a judge's verdicts on its own answers, its
    scores of them, or its votes on pairs of one of them and another family's. JSON and CSV have the texts of
    question and answers and the judge's notes too; `spb study grid` shows every judge's verdict on one
    question.
    """
    from engine.saved_slices import apply_saved_slices
    from engine.slices import Slice
    from engine.views.verdicts import COLUMNS, filled_columns, quantity_listed, with_criterion_words
    from engine.words.short_titles import ROW_KINDS, within_words

    study_name, store, kind, limit, form = (
        options.pop(name) for name in ("study", "store", "kind", "limit", "format")
    )
    if limit is None:
        limit = _MOST_IN_A_TERMINAL if form == "table" and not goes_to_file() else sys.maxsize
    study = open_study(store, study_name)
    spec = Slice.of(**apply_saved_slices(study.info, given_flags(options, study)))
    is_usual = kind is None
    kind, generator, listing = _listing(study, spec, kind, limit)
    sentences = [f"{ROW_KINDS[kind]}: {quantity_listed(listing, kind, generator)}."]
    if not listing.rows:
        sentences = [f"There is nothing to list: {listing.reason or 'no verdict of this kind'}."]
    rows = _with_texts(study, listing)
    columns = {name: COLUMNS[name] for name in filled_columns(rows, COLUMNS)}
    facts = {"study": study.name, "kind": kind, "total": listing.total}
    print_rows(Rows(rows, columns, sentences, facts, list(map(with_criterion_words, rows))), form)
    if is_usual and kind != "all" and (form != "table" or goes_to_file()):
        of_all = _listing(study, spec, "all", 1)[2].total
        which = within_words(ROW_KINDS[kind])
        say(f"listed are {which}, {listing.total:,} of {quantity(of_all, 'judgment')}; --kind all lists all")
    if len(rows) < listing.total:
        say(f"the first {len(rows):,} of {listing.total:,} are listed; --limit {listing.total} lists all")
    if not rows:
        raise typer.Exit(NO_ANSWER)


def _listing(
    study: "Study", spec: "Slice", kind: VerdictKind | None, limit: int
) -> "tuple[VerdictKind, str | None, Listing]":
    """Return the kind listed, whose answers alone, and the first rows.

    Pairs of one model are those with any other, which a slice of one model lacks; of the judge itself, those
    that its number counts.
    """
    from engine.arrays.slicing.resolve import common_paradigm
    from engine.explore import judgment_page
    from engine.explore.own_pair_list import own_pair_rows
    from engine.explore.score_list import SCORE_PARADIGMS, score_rows
    from engine.paradigms import COMPARABLE, RUBRIC_PARADIGMS, TRAITS

    paradigm = common_paradigm(study, spec, None, (*COMPARABLE, *SCORE_PARADIGMS))
    if paradigm in SCORE_PARADIGMS and (kind in (None, "all") or paradigm not in COMPARABLE):
        if kind not in (None, "all"):
            raise UsageError(f"scores by criterion are of no kind {kind!r}; leave out ", option("kind"))
        return "all", None, score_rows(study, spec, limit=limit)
    if kind is None:
        kind = "failed" if study.has_truth and paradigm in RUBRIC_PARADIGMS else "all"
    generator = None
    if paradigm is not None and TRAITS[paradigm].of_pairs and len(spec.generators) == 1:
        generator, spec = spec.generators[0], replace(spec, generators=())
        if kind == "all" and spec.judges == (generator,):
            return kind, generator, own_pair_rows(study, spec, limit=limit)
    return kind, generator, judgment_page.rows(study, spec, kind, generator=generator, limit=limit)


def _with_texts(study: "Study", listing: "Listing") -> list[dict[str, Any]]:
    """Return the rows with the texts of question and answers, and what the judge said of each."""
    from engine.explore.judgment_detail import items

    if listing.request is None or not listing.rows:
        return listing.rows
    every = items(study, listing.request, listing.rows)
    return [_with_texts_of(item, row) for item, row in zip(every, listing.rows, strict=True)]


def _with_texts_of(item: "JudgedItem", row: dict[str, Any]) -> dict[str, Any]:
    own = [verdict for verdict in item.verdicts if verdict.judge == row["judge"]]
    texts = {
        "question": "\n\n".join(message.text for message in item.messages) or None,
        "answer": item.response,
        "explanation": "\n\n".join(dict.fromkeys(each.explanation for each in own if each.explanation))
        or None,
    }
    if row["opponent"] is not None:
        texts["opponent_answer"] = item.opponent_response
    if "score" in row:
        words = "; ".join(dict.fromkeys(each.answer for each in own if each.answer))
        row = row | {"verdict": words or None}
    return row | texts


verdicts.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [
        *slice_parameters(),
        parameter("kind", KindOption, None),
        parameter("limit", LimitOption, None),
        parameter("format", RowFormatOption, "table"),
    ]
)
