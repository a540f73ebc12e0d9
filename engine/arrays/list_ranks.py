"""Responses ranked in lists: the rank of each, over the orders in which a list was shown."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from engine.arrays.encoding import encode
from engine.arrays.index import StudyIndex
from engine.arrays.judgment_rows import (
    OK,
    Failures,
    Selection,
    failed_rows,
    group_rows,
    read_rows,
    select_repeats,
)
from engine.shown_order import shown_models
from engine.stats import Floats, Ints, ParallelArrays
from engine.store.study_files import StudyFiles


@dataclass(frozen=True, eq=False)
class ListRanks(ParallelArrays):
    """Ranks of responses, one entry for each judge, response and list: `members` identifies the list.

    A list is a set of models whose responses to one instance are ranked together, in whatever order they are
    shown. `rank` is the mean over the orders, `pick` the share of them in which the response is ranked first,
    `size` the number of responses, `orders` the number of orders ranked.
    """

    judge: Ints
    generator: Ints
    instance: Ints
    members: Ints
    size: Ints
    orders: Ints
    rank: Floats
    pick: Floats


@dataclass(frozen=True, eq=False)
class ListCube:
    """The lists of one selection; `judges` and `generators` hold the models' positions, ascending.

    `ranks` holds the lists in which every response has a rank; `first` only the ranks of the response shown
    first, one entry for each order. Rows of incomplete lists are among the failures.
    """

    judges: Ints
    generators: Ints
    ranks: ListRanks
    first: ListRanks
    failures: Failures


def read_lists(files: StudyFiles, index: StudyIndex, selection: Selection) -> ListCube:
    """Read the lists of one selection; repeats of one order are averaged, or the first taken."""
    rows = read_rows(files, index, selection, ("ordering", "score"))
    column = rows.table.column("ordering").cast(pa.string())
    texts = column.combine_chunks().unique().drop_null()
    lists = [shown_models(text) or () for text in texts.to_pylist()]
    order = encode(column, texts)
    good = np.flatnonzero((rows.status == OK) & (order >= 0))
    repeats = group_rows(rows.judge[good], rows.instance[good], order[good], rows.generator[good])
    counting = select_repeats(repeats.of, rows.trial[good], selection.repeats)
    entries = good[repeats.first]
    score = rows.number("score")[good]
    rank, pick = (repeats.means(values, counting) for values in (score, score == 1))
    sizes = np.array([len(models) for models in lists], dtype=np.int64)[order[entries]]
    again = repeats.sizes - 1
    each = group_rows(rows.judge[entries], rows.instance[entries], order[entries])
    complete = each.sizes[each.of] == sizes
    judge, generator, instance = (part[entries] for part in (rows.judge, rows.generator, rows.instance))
    members, ones = _members(lists)[order[entries]], np.ones(len(entries), dtype=np.int64)
    ranked = ListRanks(judge, generator, instance, members, sizes, ones, rank, pick)
    leading = pa.chunked_array([[models[0] if models else None for models in lists]], pa.string())
    leader = encode(leading, index.model_names)[order[entries]]
    judges, generators = np.unique(rows.judge), np.unique(rows.generator)
    failures = [
        (np.flatnonzero(rows.status != OK), None, None),
        (entries[~complete], "incomplete", repeats.sizes[~complete]),
        (entries[complete & (again > 0)], "merged", again[complete & (again > 0)]),
    ]
    first = ranked.select(complete & (leader == ranked.generator))
    ranked = ranked.select(complete)
    groups = group_rows(ranked.judge, ranked.instance, ranked.members, ranked.generator)
    rank, pick = (groups.means(part) for part in (ranked.rank, ranked.pick))
    ranks = replace(ranked.select(groups.first), rank=rank, pick=pick, orders=groups.sizes.astype(np.int64))
    return ListCube(judges, generators, ranks, first, failed_rows(rows, judges, generators, failures))


def _members(lists: Iterable[tuple[str, ...]]) -> Ints:
    sets = [tuple(sorted(models)) for models in lists]
    numbers = {models: place for place, models in enumerate(dict.fromkeys(sets))}
    return np.array([numbers[models] for models in sets], dtype=np.int64)
