"""The wording of every page, report and command: titles, numbers, intervals, lists."""

import re
from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any, Literal

import pandas as pd

from engine.arrays.left_out import CODES
from engine.measures.entry import JUDGE, OF_FEW_CASES, Field, Measure
from engine.measures.reasons import meaning
from engine.measures.result import Result
from engine.values import join_names, quantity
from engine.words import codes

# ------------------------------------------------------------------------------
# Names and codes in plain words.


TITLES = {
    "hspp_self": "HSPP ratio",
    "hspp_self_mean": "Mean HSPP ratio",
    "hspp_matched": "Matched ratio",
    "estimate": "Deciding number",
    "own_given": "Given",
    "own_expected": "Expected",
    "excess": "Given less expected",
    "excess_family": "The same of its family",
    "advice": "What to use it for",
    "missing": "No verdict",
    "cost_per_1000": "Dollars for 1,000 verdicts",
    "family_given": "Given to its family",
    "family_expected": "Expected for its family",
    "family_conclusion": "On its family",
    "odds_self": "Odds, own responses",
    "odds_family": "Odds, family's responses",
    "ratio_outside": "Ratio to outside judges",
    "ratio_outside_committee": "Committee's ratio to outside judges",
    "difference_outside": "Difference from outside judges",
    "hspp_mantel_haenszel": "Matched ratio, weighted",
    "hspp_family": "Family ratio",
    "hspp_family_with_self": "Family ratio, self included",
    "o_self": "Passed own failures",
    "o_family": "Passed its family's failures",
    "o_other": "Passed others' failures",
    "difference_self": "Own minus others",
    "mra": "Rubric accuracy",
    "mipa": "Pair accuracy",
    "n_self": "n own",
    "n_effective": "Independent votes",
    "n_effective_without": "Independent votes without it",
    "effect_family": "For its family, points",
    "n_other": "n others",
    "mra_total": "n verdicts",
    "hspp_self_committee": "Committee's ratio",
    "hspp_family_committee": "Committee's family ratio",
    "mra_committee": "Committee's rubric accuracy",
    "mipa_committee": "Committee's pair accuracy",
    "n_self_committee": "n own, committee",
    "hspp_self_whole": "Ratio, full committee",
    "hspp_self_outside": "Removed members' ratio, by the rest",
    "hspp_self_outside_whole": "Removed members' ratio, full committee",
    "mra_whole": "Rubric accuracy, full committee",
    "mipa_whole": "Pair accuracy, full committee",
    "n_self_outside": "n own, removed members",
    "bonus_p_adjusted": "p, bonus",
    "mipa_total": "n pairs",
    "hspp_self_p_adjusted": "p, HSPP ratio",
    "hspp_matched_p_adjusted": "p, matched ratio",
    "small": "Few cases",
    "d": "D, discriminability",
    "pir": "PIR",
    "pir_family": "PIR for its family",
    "null_pir": "Null-PIR",
    "spb": "SPB",
    "spb_p_adjusted": "p, SPB",
    "spb_baseline": "SPB, usual prompt",
    "z_p": "p, z (naive)",
    "binomial_p": "p, binomial (naive)",
    "mcnemar_p": "p, McNemar (naive)",
    "crosses": "Borders crossed",
    "reduction": "Reduction of |SPB|",
    "reduction_p_adjusted": "p, reduction",
    "d_change": "Change in D",
    "cost_ratio": "Relative cost",
    "n_contrast": "n for D",
    "sp": "SP",
    "ilsp": "ILSP",
    "lsp": "LSP",
    "ilsp_matched": "ILSP, with a proxy",
    "ilsp_proxies": "ILSP, its proxies",
    "ilsp_updated": "T beyond the baseline",
    "relative_change": "Change, percent",
    "p": "p (naive)",
    "p_two_sided": "p, two-sided (naive)",
    "p_adjusted": "p, adjusted (naive)",
    "dbg": "DBG",
    "dbg_p_adjusted": "p, DBG",
    "dbg_decided": "DBG, decided pairs",
    "dbg_soft": "DBG, soft",
    "dbg_least": "DBG, lowest of any panel",
    "dbg_greatest": "DBG, highest of any panel",
    "by": "Group by",
    "n": "n",
    "min_agreement": "Agreement of at least",
    "agreement_of": "Agreement on",
    "response_length": "Length of the response",
    "length": "Length of the rubric",
    "position": "Place in the list",
    "bonus": "Bonus, points",
    "family_bonus": "Bonus for its family, points",
    "rank_shift": "Rank shift (- is up)",
    "pair_order": "Pairs ordered as by the reference",
    "chi2": "Chi-square",
    "chi2_p": "p, chi-square",
    "chi2_shuffle_p": "p, permutation",
    "probability_shift": "Probability shift",
    "verdict_rate": "Judged met",
    "flip_to_first": "Flips to the first shown",
    "first_share": "Chose the first shown",
    "firm_share": "Firm choices",
    "tie_share": "Ties",
    "l2w_share_self": "Own losses turned into wins",
    "l2w_share_other": "Others' losses turned into wins",
    "spb_family": "SPB for its family",
}
"""Short titles of fields and filters; all others use their names."""

MEASURES = {
    "hspp": "HSPP ratio",
    "hspp_matched": "matched ratio",
    "hspp_family": "family ratio",
    "bonus": "score bonus",
    "accuracy": "rubric accuracy",
    "mipa": "pair accuracy",
    "equal-quality": "SPB, equal quality",
    "spb": "SPB, equal quality",
    "dbg": "DBG score",
    "dbg_decided": "DBG, decided pairs",
    "quality-baseline": "T beyond baseline",
    "ilsp": "ILSP",
    "discriminability": "D, discriminability",
    "order-effect": "flip rate",
    "d": "D, discriminability",
    "abs_spb": "|SPB|",
    "mean_quality": "quality of its responses",
    "response_length": "length of its responses",
    "size": "size of the model",
}
"""Short titles of the measures of `together` and `association`; all others use their names."""

ROW_KINDS = {
    "overestimation": "Overestimations",
    "underestimation": "Underestimations",
    "disagreement": "Disagreements with the reference",
    "failed": "All that the reference failed",
    "all": "All verdicts",
}
"""The kinds of rows of `engine.explore.judgment_page`."""


def measure(name: str) -> str:
    """Return the short title of a measure of `together` or `association`."""
    return MEASURES.get(name, name.replace("_", " "))


def title(name: str) -> str:
    """Return a field's or filter's short title."""
    words = name.replace("_", " ")
    return TITLES.get(name) or (words if name.startswith("n_") else words.capitalize())


_AXES = {
    ("find", "difference"): "ratio there / elsewhere",
    ("hspp", "difference"): "ratio now / before",
    ("hspp", "hspp_self"): "ratio (1 = no preference)",
    ("scorecard", "odds_family"): "odds (1 = no preference)",
    ("committee-size", "hspp_self"): "mean ratio of members",
    ("ranking-distance", "gain"): "gain in tau-b",
    ("quality-baseline", "ilsp_updated"): "T beyond the baseline",
    ("judge-costs", "calls"): "calls",
}
"""The titles of axes in charts of claims, if the field's title alone is not enough."""


def axis_title(measure: str, field: str) -> str:
    """Return the title of the axis on which claims of a measure's field are drawn."""
    return _AXES.get((measure, field)) or title(field)


DECIDING_AXES = {
    "odds_self": "odds (1 = no preference)",
    "hspp_matched": "ratio (1 = no preference)",
    "vote_outside": "votes above outside judges'",
    "bonus_outside": "points above outside judges'",
}
"""The titles of the axes of deciding numbers, if there is little room."""


def left_out(counts: Mapping[str, int]) -> str:
    """Return a sentence on what was left out, with counts."""
    parts = parts_left_out(counts)
    return f"Left out: {parts}." if parts else "Nothing was left out."


def parts_left_out(counts: Mapping[str, int]) -> str:
    """Return what was left out, with counts: `3 judgments without a readable verdict; 1 item ...`."""
    parts = []
    for code, count in counts.items():
        things = CODES.get(code, code)
        if count == 1:
            things = re.sub(r"^((?:pair )?(?:judgment|response|score|item|slice|repeat))s\b", r"\1", things)
        if count:
            parts.append(f"{count:,} {things}")
    return "; ".join(parts)


def left_out_of(result: Result) -> str:
    """Return a sentence on what a result leaves out: in numbers, or in words if its measure counts none."""
    return left_out(result.left_out) if result.left_out else f"Left out: {result.measure.left_out}."


MOST_JUDGES = 4  # how many judges a line under a chart names; the rest are counted


def basis_of(filters: Mapping[str, Any]) -> str:
    """Return a sentence on what a measure is based on: its filters and options, defaults included."""
    paradigm = filters.get("paradigm")
    parts = [f"{str(paradigm).replace('_', ' ')} judgments" if paradigm else "judgments of several paradigms"]
    if filters.get("variant") not in (None, "default"):
        parts.append(f"variant {filters['variant']}")
    if filters.get("level"):
        parts.append(f"{filters['level']} level")
    parts.append(f"reference {filters['reference']}" if filters.get("reference") else "no reference")
    if single := filters.get("single_order"):
        parts.append(f"pairs of {join_names(single, MOST_JUDGES)} in one order only")
    skipped = {"paradigm", "variant", "level", "reference", "by", "seed", "resamples", "common", "interval"}
    skipped |= {"single_order", "decide"}  # `decided_by` covers `decide`, and says it for each number
    defaults = {"scores": "fraction", "transform": "none", "relatives": "family", "repeats": "majority"}
    for name, value in filters.items():
        if name not in skipped and value not in (None, (), False, defaults.get(name)):
            phrase = _OPTION_PHRASES.get(name, f"{name.replace('_', ' ')} {{}}").format(_words(name, value))
            parts.append(_VALUE_PHRASES.get((name, str(value)), phrase))
    if resamples := filters.get("resamples"):
        intervals = _intervals(str(filters.get("interval") or "percentile"))
        parts.append(f"95% intervals from {resamples:,} resamples of instances{intervals}")
    return f"Based on: {', '.join(filter(None, parts))}."


_OPTION_PHRASES = {
    "agreement_without_family": "agreement by judges of other families",
    "combine": "combined by {}",
    "contrast_pairs": "{} pairs drawn per judge",
    "decided_by": "decided by {}",
    "fewest_failures": "at least {} own failures",
    "gap": "pairs at least {} apart in quality",
    "most_committees": "at most {} committees of a size",
    "slices_tried": "{} slices tried",
    "verdicts": "{} verdicts",
}
"""Phrases for options whose name and value are not a readable phrase."""

_VALUE_PHRASES = {
    ("binomial", "near_end"): "binomial test against the near end of Null-PIR's interval",
    ("binomial", "known"): "binomial test against Null-PIR",
    ("clusters", "instance"): "errors by leaving out one instance at a time",
    ("clusters", "theme"): "errors by leaving out one theme at a time",
    ("decided_by", "odds_self"): "decided by the odds of passing its own responses",
    ("decided_by", "hspp_matched"): "decided by the matched ratio",
    ("decided_by", "vote_outside"): "decided by votes above outside judges'",
    ("decided_by", "vote_outside_lost"): "decided by votes for own lost responses above outside judges'",
    ("decided_by", "bonus_outside"): "decided by points above outside judges'",
    ("fairness", "examples"): "each example counted once among the proxies' wins",
    ("fairness", "pairs"): "each example and proxy counted once among the proxies' wins",
    ("gold_rule", "agreeing"): "only pairs on whose winner gold judges agree in both orders",
    ("gold_rule", "mean"): "by the gold judges' mean vote",
    ("method", "prediction_powered"): "corrected by prediction-powered inference",
    ("method", "rogan_gladen"): "corrected by the Rogan-Gladen estimator",
    ("null_pairs", "all"): "all null pairs",
    ("null_pairs", "drawn"): "ten null pairs drawn per instance",
    ("opponents", "all"): "opponents of every family",
    ("opponents", "outside"): "",
    ("pairs", "all"): "",
    ("pairs", "equal"): "pairs of equal quality",
    ("pairs", "lost"): "pairs that the response loses",
    ("pairs", "tied"): "tied pairs",
    ("pairs", "won"): "pairs that the response wins",
    ("pool", "examples"): "each example counted once with the mean of its proxies",
    ("pool", "pairs"): "each example and proxy counted once",
    ("proxies", "all"): "every model as a proxy",
    ("proxies", "out_of_family"): "proxies of other families",
    ("proxies", "out_of_provider"): "proxies of other providers",
    ("quality", "human"): "quality by people's scores",
    ("quality", "judges"): "quality by judges' scores",
    ("quality", "reference"): "quality by the reference's scores",
    ("search", "all"): "all orderings searched",
    ("search", "balanced"): "balanced orderings searched",
    ("subset", "all"): "examples that its own response lost or won",
    ("subset", "ilsp"): "examples that its own response lost",
    ("subset", "lsp"): "examples that its own response won",
    ("third_party", "all"): "every other model as a third party",
    ("third_party", "out_of_family"): "third parties of other families",
    ("ties", "drop"): "ties dropped",
    ("ties", "keep"): "ties counted",
    ("truth", "any"): "all responses, whatever the reference says",
    ("truth", "failed"): "responses that the reference fails",
    ("truth", "met"): "responses that the reference passes",
}
"""Phrases for single values of options; an empty one leaves out what is obvious."""

MOST_FIELDS = 2
"""How many numbers with another kind of interval are named; if there are more, they are counted."""


def _intervals(interval: str) -> str:
    """Return how intervals are computed (empty: all are percentiles); `interval` is that of the filters."""
    first, *others = interval.split("; ")
    parts = [] if first == "percentile" else [first]
    for other in others:
        method, _, fields = other.partition(": ")
        titles = [f"“{title(field)}”" for field in fields.split(", ")]
        of = join_names(titles) if len(titles) <= MOST_FIELDS else quantity(len(titles), "number")
        parts.append(method if method == OF_FEW_CASES else f"{method} for {of}")
    return f" ({'; '.join(parts)})" if parts else ""


def _words(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        if name in ("members", "columns", "epsilons"):
            return join_names([str(part) for part in value])
        if name == "judges":
            return join_names(value, MOST_JUDGES)
        if any(isinstance(end, float) or end is None for end in value):
            return " to ".join("" if end is None else f"{end:g}" for end in value)
        return " or ".join(value_words(name, part) for part in value)
    if isinstance(value, int) and value is not True:
        return f"{value:,}"
    if name == "verdicts":
        return str(value).replace("_", " ")
    return "on" if value is True else value_words(name, value)


# ------------------------------------------------------------------------------
# Numbers and names in sentences.


Form = Literal["ratio", "number", "share", "points", "percent", "signed", "change", "places", "cases"]
"""How a number is written: see `_FORMS`."""

_FORMS: dict[Form, tuple[float, str, str]] = {
    "ratio": (1, "{:.2f}", ""),
    "number": (1, "{:z.2f}", ""),
    "share": (100, "{:.1f}", " points"),
    "points": (1, "{:.1f}", " points"),
    "percent": (100, "{:.1f}%", ""),
    "signed": (1, "{:+z.1f}", ""),
    "change": (100, "{:+z.1f}", " points"),
    "places": (1, "{:.1f}", " places"),
    "cases": (1, "{:.0f}", ""),
}
"""The factor, format and unit of each form; a `share` is written in points of 100."""

FORM_OF: dict[str, Form] = {"share": "percent", "difference": "change", "points": "signed"}
"""The form of each kind of field; all others are written like ratios."""


def in_brackets(value: str, low: str, high: str) -> str:
    """Return a number with its interval as tables print it, all formatted already: `1.38 [1.20, 1.55]`."""
    return f"{value} [{low}, {high}]"


def with_interval(value: float | None, low: float | None, high: float | None, form: Form = "ratio") -> str:
    """Return a number as tables print it: `1.38 [1.20, 1.55]`, or alone if it has no interval.

    A dash if there is no number. Shares and points are in points of 100: `12.3 points [8.1, 16.4]`.
    """
    if value is None or isnan(value):
        return "–"
    text = f"{number(value, form)}{_FORMS[form][2]}"
    if low is None or high is None or isnan(low) or isnan(high):
        return text
    return in_brackets(text, number(low, form), number(high, form))


def in_sentence(value: float, low: float | None, high: float | None, form: Form = "ratio") -> str:
    """Return a number as written in sentences: `1.38 (95% CI 1.20 to 1.55)`."""
    return f"{number(value, form)}{_FORMS[form][2]} ({confidence(low, high, form)})"


def confidence(low: float | None, high: float | None, form: Form = "ratio") -> str:
    """Return an interval as written in sentences: `95% CI 1.20 to 1.55`, or that there is none."""
    if low is None or high is None:
        return "no confidence interval"
    return f"95% CI {number(low, form)} to {number(high, form)}"


def number(value: float, form: Form = "ratio") -> str:
    """Return a number without its unit."""
    factor, pattern, _ = _FORMS[form]
    return pattern.format(factor * value)


def without_zeros(text: str) -> str:
    """Return the text of ranks or counts with `.00` dropped: `4.50 [2, 5]`."""
    return text.replace(".00", "")


_FLAG = re.compile(r"(?<![\w-])--([a-z][a-z-]*)")
_PARADIGM = re.compile(r"\b(?:single_rubric|all_rubrics|direct_assessment|score_rubric)\b")
_COMMAND = re.compile(r"(?:,? (?:with|by))? `spb [^`]*`")


PLAIN_NAMES = frozenset({"axis", "theme", "category", "paradigm", "length", "dimension"})
"""Columns whose values are names of kinds, such as `context_seeking`; names of models stay as they are."""


def value_words(column: str | None, value: object) -> str:
    """Return a value of a column as people write it: `context seeking`."""
    text = str(value)
    return text.replace("_", " ") if column in PLAIN_NAMES else text


def on_page(text: str) -> str:
    """Return a terminal's text for a page: no commands, plain words for options and paradigms."""
    plain = _FLAG.sub(lambda flag: flag[1].replace("-", " "), _COMMAND.sub("", text))
    return _PARADIGM.sub(lambda code: code[0].replace("_", " "), plain)


# ------------------------------------------------------------------------------
# A measure's rows as a readable table: titles, formats, intervals, and why a number is missing.


Row = Mapping[str, Any]  # a row of a measure, or one like it


def format_rows(result: Result, fields: Sequence[str], *, by: str | None = None) -> pd.DataFrame:
    """Return these fields of the rows, every cell as text: `1.08 [1.03, 1.14]`, `– (why not)`."""
    field_of = declarations(result.measure)
    columns = {name: [cell(row, field_of[name]) for row in result.rows] for name in fields}
    if by is not None:
        values = [row["slice"] for row in result.rows]
        slices = ["(no value)" if value is None else value_words(by, value) for value in values]
        columns = {"slice": slices} | columns
    return pd.DataFrame(columns)


def declarations(measure: Measure) -> dict[str, Field]:
    """Return a measure's fields by name, including those of p-values."""
    fields = {field.name: field for field in measure.fields}
    for field in measure.fields:
        if field.null is not None:
            name = f"{field.name}_p_adjusted"
            meaning = f"is it {field.null:g}? bootstrap p-value, adjusted for the number of judges"
            fields[name] = Field(name, "number", meaning)
    return fields


def cell(row: Row, field: Field) -> str:
    """Return a row's field as readable text."""
    value = row[field.name]
    if value is None:
        if field.name == "judge":
            if "conclusion" in row:
                return "the judges together"
            others = "the family's judges" if "effect_family" in row else "all judges"
            return "mean of judges" if field == JUDGE else others
        of_family = field.name in ("family_given", "family_expected")
        if field.name == "reason" or (
            of_family and (row["judge"] is None or not row.get("family_conclusion"))
        ):
            return "–"  # another column says why
        if field.name == "family":
            return ""
        return f"– ({meaning(row['reasons'].get(field.name))})"
    if field.name in ("conclusion", "family_conclusion"):
        return codes.WORDS.get(str(value), meaning(str(value)))
    if field.name == "reason" and field.kind == "text":
        return "–" if value == "undecided" else meaning(str(value))
    if field.name == "crosses":
        return borders(value)
    if field.kind == "list":
        return "; ".join(str(part) for part in value) or "–"
    if field.kind == "text":
        return value_words(field.name, value)
    if field.name == "small":
        return "fewer than 30" if value else ""
    if field.kind == "flag":
        return "yes" if value else "no"
    text = f"{_number(value, field)}{_FORMS['change'][2] if field.kind == 'difference' else ''}"
    if not field.interval:
        return text
    low, high = row[f"{field.name}_low"], row[f"{field.name}_high"]
    if low is None or high is None:
        return f"{text} (no interval: {meaning(row['reasons'].get(f'{field.name}_low'))})"
    return in_brackets(text, _number(low, field), _number(high, field))


def borders(codes: Sequence[str]) -> str:
    """Return the borders of archetypes that intervals include, such as `d 0.8`, as `D 80%; SPB -5 points`."""
    parts = []
    for name, at in (code.split() for code in codes):
        parts.append(f"D {float(at):.0%}" if name == "d" else f"SPB {100 * float(at):+g} points")
    return "; ".join(parts) or "none"


def _number(value: float, field: Field) -> str:
    if field.kind == "count":
        return f"{value:,}"
    if field.name.endswith(("_p", "_p_adjusted")) or field.name in ("p", "p_adjusted", "p_two_sided"):
        return p_value(value)
    return number(value, FORM_OF.get(field.kind, "ratio"))


def p_value(value: float, below: str = "<") -> str:
    """Return a p-value as tables print it: `0.012`, `<0.001`; sentences write `below ` for the sign."""
    return f"{below}0.001" if value < 0.001 else f"{value:.3f}"


def text_of(row: Row, name: str, low: str | None = None, high: str | None = None, *, kind: str = "") -> str:
    """Return a number of a row as readable text, with its interval if `low` and `high` name its ends.

    `kind` is that of `engine.measures.entry.Field`; a share is in percent, a difference of shares in points
    of 100, points have a sign, and a ratio has two decimals.
    """
    if row[name] is None:
        return f"– ({meaning(row['reasons'].get(name))})"
    if name in ("p", "p_adjusted"):
        return p_value(row[name])
    first, last = (None if end is None else row[end] for end in (low, high))
    return with_interval(row[name], first, last, FORM_OF.get(kind, "ratio"))


def difference(row: Row, *, kind: str) -> str:
    """Return the difference of two sides as text; shares differ in points of 100."""
    of_shares = kind in ("share", "difference")
    return text_of(row, "difference", "low", "high", kind="difference" if of_shares else "")


def heading(name: str, by: str | None = None) -> str:
    """Return a column's title; that of `slice` is the title of the column grouped by."""
    return title(by or "slice") if name == "slice" else title(name)
