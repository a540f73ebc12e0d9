"""Short titles of fields, filters, measures and axes."""

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
    "odds_self": "Odds, own answers",
    "odds_family": "Odds, family's answers",
    "ratio_outside": "Ratio to other judges",
    "ratio_outside_committee": "Committee's ratio to other judges",
    "difference_outside": "Difference from judges of other families",
    "hspp_mantel_haenszel": "Matched ratio, weighted",
    "hspp_family": "Family ratio",
    "hspp_family_with_self": "Family ratio, self included",
    "o_self": "Passed own failures",
    "o_family": "Passed its family's failures",
    "o_other": "Passed others' failures",
    "difference_self": "Own minus others",
    "mra": "Accuracy on criteria",
    "mipa": "Pair accuracy",
    "n_self": "n own",
    "n_effective": "Independent votes",
    "n_effective_without": "Independent votes without it",
    "effect_family": "For its family, points",
    "n_other": "n others",
    "mra_total": "n verdicts",
    "hspp_self_committee": "Committee's ratio",
    "hspp_family_committee": "Committee's family ratio",
    "mra_committee": "Committee's accuracy on criteria",
    "mipa_committee": "Committee's pair accuracy",
    "n_self_committee": "n own, committee",
    "hspp_self_whole": "Ratio, full committee",
    "hspp_self_outside": "Removed members' ratio, by the rest",
    "hspp_self_outside_whole": "Removed members' ratio, full committee",
    "mra_whole": "Accuracy on criteria, full committee",
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
    "own_picked": "Picked its own, in all choices",
    "picked_beside": "Picked by the judge",
    "picked_outside": "Picked by judges of other families",
    "pick_excess": "Difference",
    "pick_excess_p_adjusted": "p, difference",
    "lost_by_picks": "Lost by its picks",
    "lost_to_own": "Lost by picking its own",
    "lost_beyond": "Lost beyond judges of other families",
    "other_judge": "Other judge",
    "same_family": "One family",
    "same_side": "Panels on the same side of 0",
    "matters_most": "Gold judge that matters most",
    "mean_change": "Moves by",
    "hspp_least": "HSPP ratio, lowest",
    "hspp_greatest": "HSPP ratio, highest",
    "by": "Group by",
    "n": "n",
    "min_agreement": "Agreement of at least",
    "agreement_of": "Agreement on",
    "response_length": "Length of the answer",
    "length": "Length of the criterion",
    "position": "Place in the list",
    "bonus": "Bonus, points",
    "family_bonus": "Bonus for its family, points",
    "rank_shift": "Rank shift (- is up)",
    "pair_order": "Pairs ordered as by the reference",
    "chi2": "Chi-square",
    "chi2_p": "p, chi-square",
    "chi2_shuffle_p": "p, permutation",
    "probability_shift": "Probability shift",
    "verdict_rate": "Share passed",
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
    "accuracy": "accuracy on criteria",
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
    "mean_quality": "quality of its answers",
    "response_length": "length of its answers",
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
    "vote_outside": "votes above other judges'",
    "bonus_outside": "points above other judges'",
}
"""The titles of the axes of deciding numbers, if there is little room."""
