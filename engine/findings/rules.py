"""Every rule, declared once; each is explained by the docstring of its function."""

from engine.findings import advice, changes, committees, orders, rankings, where, who_favours_itself
from engine.findings.rule import Rule

RULES = (
    Rule("group", "who", "The conclusion on the judges together", "scorecard", who_favours_itself.group),
    Rule("conclusion", "who", "The conclusion on each judge", "scorecard", who_favours_itself.conclusion),
    Rule("own-failures", "who", "Own failures passed", "hspp", who_favours_itself.own_failures),
    Rule("equal-pairs", "who", "Own answers among equals", "equal-quality", who_favours_itself.equal_pairs),
    Rule("beyond-gold", "who", "Own wins beyond the reference", "dbg", who_favours_itself.beyond_gold),
    Rule("own-points", "who", "Own score raised", "delta", who_favours_itself.own_points),
    Rule("relatives", "who", "The conclusion on each family", "scorecard", who_favours_itself.relatives),
    Rule(
        "flips-with-order",
        "order",
        "Votes that change with the order",
        "order-effect",
        orders.flips_with_order,
    ),
    Rule("own-places", "ranking", "Own rank raised", "delta", rankings.own_places),
    Rule("flips", "ranking", "Ranks that flip", "ranking-flips", rankings.flips),
    Rule("corrections", "ranking", "Corrected rankings", "ranking-distance", rankings.corrections),
    Rule("places", "ranking", "Corrected ranks", "corrected", rankings.places),
    Rule("since-last-run", "changed", "Change since the last run", "hspp", changes.since_last_run),
    Rule("slices", "where", "Slices", "find", where.slices, slow=True),
    Rule(
        "beyond-quality",
        "who",
        "Votes for own worse answers",
        "quality-baseline",
        who_favours_itself.beyond_quality,
        slow=True,
    ),
    Rule("opponents", "where", "Opponents", "quality-baseline", where.opponents, slow=True),
    Rule("members", "committee", "A committee's effect on each member", "committee", committees.each_member),
    Rule("sizes", "committee", "Committees by size", "committee-size", committees.sizes, slow=True),
    Rule("cost", "committee", "What a committee costs", "judge-costs", committees.cost),
    Rule("leave-self-out", "advice", "Verdicts on own answers", "claims above", advice.leave_self_out),
    Rule("leave-family-out", "advice", "Verdicts within a family", "claims above", advice.leave_family_out),
    Rule("rank-by", "advice", "Which ranking to use", "claims above", advice.rank_by),
    Rule("use-committee", "advice", "Whether to use a committee", "claims above", advice.use_committee),
    Rule("doubt-ratios", "advice", "What not to conclude", "claims above", advice.doubt_ratios),
    Rule("read-slices", "advice", "What to read", "claims above", advice.read_slices),
    Rule("judge-more", "advice", "Where more judgments are needed", "claims above", advice.judge_more),
)
"""The rules: recommendations last, since they rest on the claims of the others."""
