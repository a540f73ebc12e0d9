"""Responses ranked in lists: the rank of each, over the orders in which a list was shown."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from engine.arrays.index import StudyIndex, encode
from engine.arrays.rows import OK, Failures, Rows, Selection, first_of_each, group_rows, read_rows
from engine.schema import STATUSES, shown_models
from engine.stats.types import Bools, Floats, Ints
from engine.store.study_files import StudyFiles


@dataclass(frozen=True, eq=False)
class Ranked:
    """Ranks of responses, one entry for each judge, response and list: `members` tells which list it is.

    A list is a set of models whose responses to one instance are ranked together, in whatever order they are
    shown. `rank` is the mean over the orders, `pick` the share of them in which the response is ranked first,
    `size` the number of responses, `orders` that of the orders ranked.
    """

    judge: Ints
    generator: Ints
    instance: Ints
    members: Ints
    size: Ints
    orders: Ints
    rank: Floats
    pick: Floats

    def select(self, keep: Bools) -> "Ranked":
        """Return some of the entries."""
        return Ranked(**{name: part[keep] for name, part in vars(self).items()})


@dataclass(frozen=True, eq=False)
class ListCube:
    """The lists of one selection; `judges` and `generators` hold the models' positions, ascending.

    `ranked` holds the lists in which every response has a rank; `first` those ranks alone that are of the
    response shown first, one entry for each order. Rows that make no such list are among the failures.
    """

    judges: Ints
    generators: Ints
    ranked: Ranked
    first: Ranked
    failures: Failures


def read_lists(files: StudyFiles, index: StudyIndex, selection: Selection) -> ListCube:
    """Read the lists of one selection; repeats of one order are averaged, or the first taken."""
    rows = read_rows(files, index, selection, ("ordering", "score"))
    column = rows.table.column("ordering").cast(pa.string())
    texts = column.combine_chunks().unique().drop_null()
    shown = [shown_models(text) or () for text in texts.to_pylist()]
    order = encode(column, texts)
    good = np.flatnonzero((rows.status == OK) & (order >= 0))
    repeats = group_rows(rows.judge[good], rows.instance[good], order[good], rows.generator[good])
    used = good
    if selection.repeats == "first":
        used = good[first_of_each(repeats.of, rows.trial[good])]
    of = repeats.of[np.isin(good, used)]
    entries = good[repeats.first]
    votes = np.bincount(of, minlength=len(entries))
    score = rows.number("score")[used]
    rank, pick = (
        np.bincount(of, weights=values, minlength=len(entries)) / np.maximum(votes, 1)
        for values in (score, (score == 1).astype(np.float64))
    )
    sizes = np.array([len(models) for models in shown], dtype=np.int64)[order[entries]]
    again = repeats.sizes - 1
    each = group_rows(rows.judge[entries], rows.instance[entries], order[entries])
    complete = each.sizes[each.of] == sizes
    ranked = Ranked(
        rows.judge[entries],
        rows.generator[entries],
        rows.instance[entries],
        _members(shown)[order[entries]],
        sizes,
        np.ones(len(entries), dtype=np.int64),
        rank,
        pick,
    )
    leading = pa.chunked_array([[models[0] if models else None for models in shown]], pa.string())
    leader = encode(leading, index.model_names)[order[entries]]
    judges, generators = np.unique(rows.judge), np.unique(rows.generator)
    lost = [
        (np.flatnonzero(rows.status != OK), None, None),
        (entries[~complete], "incomplete", np.bincount(repeats.of, minlength=len(entries))[~complete]),
        (entries[complete & (again > 0)], "merged", again[complete & (again > 0)]),
    ]
    return ListCube(
        judges,
        generators,
        _over_orders(ranked.select(complete)),
        ranked.select(complete & (leader == ranked.generator)),
        _failures(rows, judges, generators, lost),
    )


def _members(shown: Iterable[tuple[str, ...]]) -> Ints:
    """Return a number for each order, equal for those that show the same models."""
    sets = [tuple(sorted(models)) for models in shown]
    known = {models: place for place, models in enumerate(dict.fromkeys(sets))}
    return np.array([known[models] for models in sets], dtype=np.int64)


def _over_orders(ranked: Ranked) -> Ranked:
    """Return one entry for each judge, response and list: the means over the orders shown."""
    groups = group_rows(ranked.judge, ranked.instance, ranked.members, ranked.generator)
    number = np.maximum(groups.sizes, 1)
    means = {
        name: np.bincount(groups.of, weights=getattr(ranked, name), minlength=len(groups.first)) / number
        for name in ("rank", "pick")
    }
    entries = {name: part[groups.first] for name, part in vars(ranked).items()}
    return Ranked(**entries | means | {"orders": groups.sizes.astype(np.int64)})


def _failures(
    rows: Rows, judges: Ints, generators: Ints, lost: list[tuple[Ints, str | None, Ints | None]]
) -> Failures:
    """Return what is lost, by its place among the judges and generators; of no code, by its status."""
    parts = []
    for at, code, count in lost:
        codes = np.array(STATUSES, dtype=object)[rows.status[at]]
        parts.append(
            Failures(
                np.searchsorted(judges, rows.judge[at]),
                np.searchsorted(generators, rows.generator[at]),
                rows.instance[at],
                codes if code is None else np.full(len(at), code, dtype=object),
                np.ones(len(at), dtype=np.int64) if count is None else count,
            )
        )
    return Failures.joined(parts)
