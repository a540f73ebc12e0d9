"""How alike judges err, by plain loops.

Readings:
 1. A cell is of a pair of judges if both have a verdict on it that counts, and its generator is of neither's
    family. Within a truth, kappa's agreement by chance is from the shares of these cells.
 2. Of several truths the parts are added: n (po - pe), and n (1 - pe).
"""

from collections import defaultdict
from itertools import combinations
from typing import Any

from plain.asking import ask, models, relation
from plain.study import PlainStudy
from plain.verdicts import counted_verdicts


def kappas(study: PlainStudy, **options: Any) -> dict[tuple[str, str], tuple[float | None, int]]:
    """Kappa and the number of cells of each two judges that have one."""
    query = ask(study, **options)
    by_judge: dict[str, dict[Any, tuple[bool, bool]]] = defaultdict(dict)
    for one in counted_verdicts(query):
        cell = one.instance_id, one.generator, one.rubric_id
        by_judge[one.judge][cell] = one.favourable, one.truly_favourable
    pairs = {}
    for a, b in combinations([judge for judge in models(query) if judge in by_judge], 2):
        common = [
            cell
            for cell in by_judge[a].keys() & by_judge[b].keys()
            if relation(query, a, cell[1]) == relation(query, b, cell[1]) == "other"
        ]
        above = possible = 0.0
        for truth in (True, False):
            cells = [cell for cell in common if by_judge[a][cell][1] is truth]
            if not cells:
                continue
            n = len(cells)
            mine, theirs = ([by_judge[judge][cell][0] for cell in cells] for judge in (a, b))
            p, q = sum(mine) / n, sum(theirs) / n
            chance = p * q + (1 - p) * (1 - q)
            above += sum(x is y for x, y in zip(mine, theirs, strict=True)) - n * chance
            possible += n * (1 - chance)
        if common:
            pairs[a, b] = (above / possible if possible > 1e-12 else None), len(common)
    return pairs
