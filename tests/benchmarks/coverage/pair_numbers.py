"""The headline numbers of judged pairs from counts by question, with the product's own functions."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from engine.stats.intervals.added_cases import OF_A_DIFFERENCE, OF_A_SHARE, padded_change, padded_share
from engine.stats.pairs import equal_pairs
from engine.stats.pairs import quality_baseline as baseline
from engine.stats.ratios import rate

from .pairs import MODELS, ONE, TWO, Pairs
from .sums import GIVEN, Floats, Numbers, Sums

Bools = NDArray[np.bool_]
Parts = dict[str, NDArray[np.number]]

EPSILON, GAP = 0.25, 2.0
MOST_NULL, MOST_CONTRASTS = 10, 100
FAR = 0.1
TOLERANCE = 1e-9


def count(pairs: Pairs, most_null: int = MOST_NULL) -> Sums:
    """Count a study's pairs by question, with at most `most_null` null pairs of each judge."""
    parts: Parts = {}
    for name, p in (("", pairs.p), ("_again", pairs.p_again)):
        parts |= {f"{key}{name}": part for key, part in _equal(pairs, p, most_null).items()}
        parts |= {f"{key}{name}": part for key, part in _contrasts(pairs, p).items()}
    return Sums(parts | _gold(pairs) | _baseline(pairs) | _order(pairs), numbers, redrawn)


def _sets(pairs: Pairs, most_null: int) -> tuple[Bools, Bools, Bools]:
    """Return own, null and relatives' pairs, for either response as target: (2, judges, pairs, questions)."""
    judges = np.arange(MODELS)[:, None, None]
    near = np.abs(pairs.quality[ONE] - pairs.quality[TWO]) <= EPSILON + TOLERANCE
    equal = near & pairs.exists
    mine = [
        np.abs(pairs.quality[:, None] - pairs.quality[side]) <= EPSILON + TOLERANCE for side in (ONE, TWO)
    ]
    sides = np.stack([ONE, TWO])[:, None, :, None]
    own = (sides == judges) & equal
    third = (ONE[:, None] != judges) & (TWO[:, None] != judges)
    null = third & equal & mine[0] & mine[1] & pairs.answered[:, None]
    relatives = np.stack([pairs.relations.family[:, ONE] & pairs.relations.unrelated_mask[:, TWO]] * 2)
    relatives[1] = pairs.relations.family[:, TWO] & pairs.relations.unrelated_mask[:, ONE]
    return own, _drawn(np.stack([null, null]), pairs.key, most_null), relatives[..., None] & equal


def _drawn(null: Bools, key: Floats, most: int) -> Bools:
    """Select at most `most` null pairs of each question and judge, those with the lowest keys."""
    keys = np.where(null, np.moveaxis(key, 1, 0), np.inf)
    ordered = np.sort(keys.transpose(1, 3, 0, 2).reshape(MODELS, keys.shape[-1], -1), axis=-1)
    last = ordered[..., min(most, ordered.shape[-1]) - 1][:, None, :]
    return np.asarray(null & (keys <= last))


def _equal(pairs: Pairs, p: Floats, most_null: int) -> Parts:
    first, second = p > 0.5
    firm = np.stack([first & second, ~first & ~second])
    parts: Parts = {}
    for name, chosen in zip(("own", "null", "kin"), _sets(pairs, most_null), strict=True):
        parts[name] = chosen.sum(axis=(0, 2))
        parts[f"{name}_firm"] = (chosen & firm).sum(axis=(0, 2))
    return parts


def _contrasts(pairs: Pairs, p: Floats) -> Parts:
    gap = pairs.quality[ONE] - pairs.quality[TWO]
    judges = np.arange(MODELS)[:, None, None]
    far = pairs.exists & (np.abs(gap) >= GAP - TOLERANCE)
    chosen = far & (ONE[:, None] != judges) & (TWO[:, None] != judges)
    keys = np.where(chosen, pairs.key[:, 0], np.inf).reshape(MODELS, -1)
    last = np.sort(keys, axis=1)[:, min(MOST_CONTRASTS, keys.shape[1]) - 1]
    chosen &= pairs.key[:, 0] <= last[:, None, None]
    answer = np.where(pairs.shown, p[0], p[1]) > 0.5
    right = chosen & (answer == (gap > 0))
    return {"contrasts": chosen.sum(axis=1), "right": right.sum(axis=1)}


def _seen_from_own(values: Floats) -> Floats:
    """Return values of pairs for the judge's own response: (judges, opponents, questions)."""
    judge = np.arange(MODELS)
    parts = []
    for one in judge:
        places = [
            np.flatnonzero((one == ONE) & (two == TWO) | (two == ONE) & (one == TWO))[0]
            for two in judge
            if two != one
        ]
        turned = (one > np.delete(judge, one))[:, None]
        part = values[one, places] if values.ndim == 3 else values[places]
        parts.append(np.where(turned, 1 - part, part))
    return np.array(parts)


def _gold(pairs: Pairs) -> Parts:
    """Return the parts of DBG, for answers without probabilities and with them."""
    votes = (pairs.p > 0.5).mean(axis=0)  # 1 and 0 are wins, one half a tie: the orders differ
    win = _seen_from_own(votes)
    soft = _seen_from_own(pairs.p.mean(axis=0))
    gold = _seen_from_own(pairs.gold.astype(float))
    there = _seen_from_own(np.where(pairs.exists, 0.5, np.nan)) == 0.5
    decided = there & (win != 0.5)
    return {
        "pairs_own": there.sum(axis=1),
        "win": (2 * win * there).sum(axis=1).astype(int),
        "gold": (gold * there).sum(axis=1).astype(int),
        "soft": (soft * there).sum(axis=1),
        "decided": decided.sum(axis=1),
        "win_decided": (win * decided).sum(axis=1).astype(int),
        "gold_decided": (gold * decided).sum(axis=1).astype(int),
    }


def _baseline(pairs: Pairs) -> Parts:
    """Return the parts of ILSP, LSP and T: s_J of own responses and of proxies against the same opponent."""
    full = np.full((MODELS, MODELS, MODELS, pairs.exists.shape[1]), np.nan)
    p = np.where(pairs.exists, pairs.p.mean(axis=0), np.nan)
    full[:, ONE, TWO], full[:, TWO, ONE] = p, 1 - p
    truth = np.full(full.shape[1:], np.nan)
    truth[ONE, TWO] = np.where(pairs.exists, pairs.gold, np.nan)
    truth[TWO, ONE] = 1 - truth[ONE, TWO]
    parts: dict[str, list[Floats]] = {name: [] for name in _BASELINE}
    usual = np.zeros(0)
    for judge in range(MODELS):
        share, won = full[judge, judge], truth[judge]
        there = ~np.isnan(share)
        same = (truth == won) & there
        same[judge] = False
        same[:, judge] = False
        for name, keep in (
            ("", np.ones(MODELS, dtype=bool)),
            ("_out", pairs.relations.unrelated_mask[judge]),
        ):
            proxies = same & keep[:, None, None]
            number = proxies.sum(axis=0)
            mean = rate(np.where(proxies, full[judge], 0).sum(axis=0), number)
            lost = there & (won == 0) & (number > 0)
            if name:
                parts["out"].append(np.where(lost, mean - usual, 0).sum(axis=0))
                parts["out_n"].append(lost.sum(axis=0))
            else:
                usual = np.nan_to_num(mean)
                parts["matched"].append(np.where(lost, share, 0).sum(axis=0))
                parts["delta"].append(np.where(lost, share - usual, 0).sum(axis=0))
                parts["square"].append(np.where(lost, (share - usual) ** 2, 0).sum(axis=0))
                parts["matched_n"].append(lost.sum(axis=0))
        bits = baseline.binary_entropy(np.nan_to_num(share))
        for name, side in (("lost", 0), ("won", 1)):
            chosen = there & (won == side)
            parts[f"{name}_n"].append(chosen.sum(axis=0))
            parts[name].append(np.where(chosen, share, 0).sum(axis=0))
            parts[f"{name}_bits"].append(np.where(chosen, bits, 0).sum(axis=0))
    return {name: np.array(part) for name, part in parts.items()}


_BASELINE = (
    *("matched", "delta", "square", "matched_n", "out", "out_n"),
    *("lost", "lost_n", "lost_bits", "won", "won_n", "won_bits"),
)


def _order(pairs: Pairs) -> Parts:
    """Return the parts of order effects over all pairs that a judge judged."""
    first, second = pairs.p > 0.5
    there = np.broadcast_to(pairs.exists, first.shape)
    return {
        "judged": there.sum(axis=1),
        "firsts": (there * (first.astype(int) + ~second)).sum(axis=1),
        "flips": (there & (first != second)).sum(axis=1),
        "shift": (there * np.abs(pairs.p[0] - pairs.p[1])).sum(axis=1),
    }


def numbers(sums: Mapping[str, Floats]) -> Numbers:
    """Return each headline number by judge, shape (..., judges)."""

    def share(part: str, of: str) -> Floats:
        return rate(sums[part], sums[of])

    pir, null, spb, d = {}, {}, {}, {}
    for suffix in ("", "_again"):
        pir[suffix] = share(f"own_firm{suffix}", f"own{suffix}")
        null[suffix] = share(f"null_firm{suffix}", f"null{suffix}")
        spb[suffix] = pir[suffix] - null[suffix]
        d[suffix] = share(f"right{suffix}", f"contrasts{suffix}")
    number, examples = sums["pairs_own"], sums["lost_n"] + sums["won_n"]
    sp = rate(sums["lost"] + sums["won"], examples)
    matched, t = share("matched", "matched_n"), share("delta", "matched_n")
    return {
        "pir": pir[""],
        "null_pir": null[""],
        "spb": spb[""],
        "spb_family": share("kin_firm", "kin") - null[""],
        "d": d[""],
        "reduction": equal_pairs.reduction(spb[""], spb["_again"]),
        "eta": equal_pairs.improvement(spb[""], spb["_again"]),
        "d_change": d["_again"] - d[""],
        "sp": sp,
        "bias": sp - rate(sums["won_n"], examples),
        "ilsp": share("lost", "lost_n"),
        "lsp": share("won", "won_n"),
        "ilsp_matched": matched,
        "t": t,
        "relative_change": baseline.relative_change(t, matched),
        "all_minus_out_of_family": share("out", "out_n"),
        "entropy_gap": share("lost_bits", "lost_n") - share("won_bits", "won_n"),
        "dbg": rate(sums["win"] / 2 - sums["gold"], number),
        "dbg_decided": rate(sums["win_decided"] - sums["gold_decided"], sums["decided"]),
        "dbg_soft": rate(sums["soft"] - sums["gold"], number),
        "flip_rate": share("flips", "judged"),
        "first_share": share("firsts", "judged") / 2,
        "probability_shift": share("shift", "judged"),
    }


def where_smooth(truth: Numbers) -> Numbers:
    """Return the truth without functions of |SPB| if SPB is near 0, where the absolute value has a kink."""
    far = np.abs(truth["spb"]) >= FAR
    bent = ("reduction", "eta", "reduction" + GIVEN)
    return truth | {name: np.where(far, truth[name], np.nan) for name in bent}


def redrawn(_: Mapping[str, Floats], drawn: Mapping[str, Floats]) -> Numbers:
    """Return the draws of shares with cases added, as in the product with seed 0."""
    rng = np.random.default_rng(0)
    names = {"pir": "own", "null_pir": "null", "kin": "kin"}
    share, part = (
        {name: padded_share(drawn[f"{of}_firm"], drawn[of], each, rng) for name, of in names.items()}
        for each in (OF_A_SHARE, OF_A_DIFFERENCE)
    )
    d = padded_share(drawn["right"], drawn["contrasts"], OF_A_SHARE, np.random.default_rng(0))
    gained = drawn["right_again"] - drawn["right"]
    by_name = {
        "pir": share["pir"],
        "null_pir": share["null_pir"],
        "spb": part["pir"] - part["null_pir"],
        "spb_family": part["kin"] - part["null_pir"],
        "d": d,
        "d_change": padded_change(gained, drawn["contrasts"], np.random.default_rng(0)),
        "reduction": equal_pairs.reduction(*(_bias(drawn, suffix) for suffix in ("", "_again"))),
    }
    return {name + GIVEN: draws for name, draws in by_name.items()}


def _bias(drawn: Mapping[str, Floats], suffix: str) -> Floats:
    """Return the draws of SPB, with the same seed for each variant, as in the measure."""
    rng = np.random.default_rng(0)
    for _ in range(6):
        rng.poisson(OF_A_SHARE, size=len(drawn["own"]))  # the measure draws the shares themselves first
    pir, null = (
        padded_share(drawn[f"{of}_firm{suffix}"], drawn[f"{of}{suffix}"], OF_A_DIFFERENCE, rng)
        for of in ("own", "null")
    )
    return pir - null
