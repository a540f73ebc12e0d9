"""Names and codes in a reader's words."""

from collections.abc import Mapping
from typing import Any

from engine.views.left_out import CODES

TITLES = {
    "hspp_self": "Ratio, own",
    "hspp_matched": "Ratio, matched",
    "hspp_family": "Ratio, relatives",
    "hspp_family_with_self": "Ratio, family with self",
    "o_self": "Passed own failures",
    "o_family": "Passed relatives' failures",
    "o_other": "Passed others' failures",
    "difference_self": "Own minus others",
    "mra": "Rubric accuracy",
    "mipa": "Pair accuracy",
    "n_self": "n own",
    "n_family": "n relatives",
    "n_other": "n others",
    "n_matched": "n matched",
    "mra_total": "n verdicts",
    "hspp_self_committee": "Ratio, committee",
    "hspp_family_committee": "Relatives, committee",
    "mra_committee": "Rubric accuracy, committee",
    "mipa_committee": "Pair accuracy, committee",
    "n_self_committee": "n own, committee",
    "size": "Size",
    "committees": "Committees",
    "divided": "Divided",
    "without": "Without",
    "hspp_self_whole": "Ratio, by all",
    "hspp_self_outside": "Left out, by the others",
    "hspp_self_outside_whole": "Left out, by all",
    "mra_whole": "Rubric accuracy, by all",
    "mipa_whole": "Pair accuracy, by all",
    "n_self_outside": "n left out",
    "bonus_p_adjusted": "p, bonus",
    "mipa_total": "n pairs",
    "hspp_self_p_adjusted": "p, own",
    "hspp_matched_p_adjusted": "p, matched",
    "small": "Few cases",
    "d": "D, finds the better",
    "pir": "PIR",
    "pir_family": "PIR of relatives",
    "null_pir": "Null-PIR",
    "spb": "SPB",
    "spb_p_adjusted": "p, SPB",
    "spb_baseline": "SPB as usual",
    "z_p": "p, z (naive)",
    "binomial_p": "p, binomial (naive)",
    "mcnemar_p": "p, McNemar (naive)",
    "crosses": "Borders within",
    "reduction": "Fall of |SPB|",
    "reduction_p_adjusted": "p, fall",
    "d_change": "Change of D",
    "cost_ratio": "Cost, times",
    "n_contrast": "n for D",
    "sp": "SP",
    "acc": "Acc",
    "ilsp": "ILSP",
    "lsp": "LSP",
    "ilsp_matched": "ILSP before",
    "ilsp_updated": "T, after",
    "relative_change": "Change, percent",
    "p": "p (naive)",
    "p_adjusted": "p, adjusted (naive)",
    "n_examples": "n examples",
    "dbg": "DBG",
    "dbg_p_adjusted": "p, DBG",
    "dbg_decided": "DBG, decided",
    "dbg_soft": "DBG, soft",
    "dbg_least": "DBG, least",
    "dbg_greatest": "DBG, greatest",
    "n_pairs": "n pairs",
    "n_null_pairs": "n null pairs",
    "by": "Group by",
    "n": "n",
    "min_agreement": "Agreement of at least",
    "agreement_of": "Agreement on",
    "agreement_without_family": "Agreement without family",
    "response_length": "Length of the response",
    "length": "Length of the rubric",
    "position": "Place in the list",
    "bonus": "Bonus, points",
    "family_bonus": "Bonus of relatives, points",
    "rank_shift": "Rank shift, places",
    "pair_order": "Pairs in order",
    "chi2": "Chi-square",
    "chi2_p": "p, chi-square",
    "chi2_shuffle_p": "p, dealt anew",
    "probability_shift": "Shift of probability",
    "verdict_rate": "Said to be met",
    "flip_to_first": "Flips to the first",
    "first_share": "Chose the first",
    "firm_share": "Firm choices",
    "tie_share": "Ties",
    "l2w_share_self": "Own losses made wins",
    "l2w_share_other": "Others' losses made wins",
    "spb_family": "SPB of relatives",
}
"""Short titles of fields and filters; others are their names."""

MEASURES = {
    "hspp": "ratio (HSPP)",
    "hspp_matched": "ratio, matched",
    "hspp_family": "ratio, relatives",
    "bonus": "score bonus",
    "accuracy": "rubric accuracy",
    "mipa": "pair accuracy",
    "equal-quality": "among equals (SPB)",
    "spb": "among equals (SPB)",
    "dbg": "DBG score",
    "dbg_decided": "DBG, decided",
    "quality-baseline": "T, after baseline",
    "ilsp": "ILSP",
    "discriminability": "D, finds the better",
    "order-effect": "flip rate",
}
"""Short titles of the columns of `together`; others are their names."""

SHOWN = {
    "overestimation": "Overestimations",
    "underestimation": "Underestimations",
    "disagreement": "Disagreements with the reference",
    "failed": "All that the reference failed",
    "all": "All verdicts",
}
"""The kinds of rows of `engine.drill`."""


def measure(name: str) -> str:
    """Return the short title of a column of `together`."""
    return MEASURES.get(name, name)


def title(name: str) -> str:
    """Return a field's or filter's short title."""
    if name in TITLES:
        return TITLES[name]
    words = name.replace("_", " ")
    return words if name.startswith("n_") else words.capitalize()


def left_out(counts: Mapping[str, int]) -> str:
    """Return a sentence that says what was left out, and how much."""
    told = [f"{count:,} {CODES.get(code, code)}" for code, count in counts.items() if count]
    return f"Left out: {'; '.join(told)}." if told else "Nothing was left out."


def applied(filters: Mapping[str, Any]) -> str:
    """Return in a sentence what a measure was taken of, defaults too."""
    way = filters.get("paradigm")
    parts = [f"{str(way).replace('_', ' ')} judgments" if way else "judgments of several paradigms"]
    if filters.get("variant") not in (None, "default"):
        parts.append(f"variant {filters['variant']}")
    if filters.get("level"):
        parts.append(f"{filters['level']} level")
    parts.append(f"reference {filters['reference']}" if filters.get("reference") else "no reference")
    known = {"paradigm", "variant", "level", "reference", "by", "seed", "resamples", "common", "interval"}
    defaults = {"scores": "fraction", "transform": "none", "relatives": "family", "repeats": "majority"}
    for name, chosen in filters.items():
        if name not in known and chosen not in (None, (), False, defaults.get(name)):
            parts.append(f"{name.replace('_', ' ')} {_words(chosen)}")
    resamples = filters.get("resamples")
    if resamples:
        made = _intervals(str(filters.get("interval") or "percentile"))
        parts.append(f"95% intervals from {resamples:,} resamples of instances{made}")
    return f"Taken of: {', '.join(parts)}."


def _intervals(method: str) -> str:
    """Return how intervals are made, where not all are percentiles; `method` as `filters` say it."""
    first, *others = method.split("; ")
    told = [] if first == "percentile" else [first]
    for other in others:
        way, _, fields = other.partition(": ")
        told.append(f"{way} for {' and '.join(title(field) for field in fields.split(', '))}")
    return f" ({'; '.join(told)})" if told else ""


def _words(chosen: Any) -> str:
    if isinstance(chosen, tuple):
        if any(isinstance(end, float) or end is None for end in chosen):
            low, high = chosen
            return f"{'' if low is None else f'{low:g}'} to {'' if high is None else f'{high:g}'}"
        return " or ".join(str(part) for part in chosen)
    return "on" if chosen is True else f"{chosen}"
