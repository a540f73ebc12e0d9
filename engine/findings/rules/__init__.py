"""Every rule, declared once, in the order in which rules are tried and told.

A rule is a small function: its docstring says when it claims, by which number and in what order, and the
page shows that docstring. May import measures and the finder; nothing here draws.
"""

from engine.findings.declared import Rule
from engine.findings.rules import advice, changed, committee, ranking, where, who

RULES = (
    Rule("own-failures", "who", "Own failures credited", "hspp", who.own_failures),
    Rule("equal-pairs", "who", "Its own among equals", "equal-quality", who.equal_pairs),
    Rule("beyond-gold", "who", "Own wins beyond the truth", "dbg", who.beyond_gold),
    Rule("own-points", "who", "Own score lifted", "delta", who.own_points),
    Rule("relatives", "who", "Relatives' failures credited", "hspp", who.relatives),
    Rule("own-places", "ranking", "Own place lifted", "delta", ranking.own_places),
    Rule("flips", "ranking", "Places that flip", "ranking-flips", ranking.flips),
    Rule("corrections", "ranking", "Corrected rankings", "ranking-distance", ranking.corrections),
    Rule("since-last-run", "changed", "Change since the last run", "hspp", changed.since_last_run),
    Rule("slices", "where", "Slices", "find", where.slices, slow=True),
    Rule("beyond-quality", "who", "Beyond others' losses", "quality-baseline", who.beyond_quality, slow=True),
    Rule("opponents", "where", "Opponents", "quality-baseline", where.opponents, slow=True),
    Rule("sizes", "committee", "Committees by size", "committee-size", committee.sizes, slow=True),
    Rule("cost", "committee", "What a committee costs", "judge-costs", committee.cost),
    Rule("leave-self-out", "advice", "Self verdicts", "claims above", advice.leave_self_out),
    Rule("leave-family-out", "advice", "Family verdicts", "claims above", advice.leave_family_out),
    Rule("rank-by", "advice", "Which ranking", "claims above", advice.rank_by),
    Rule("use-committee", "advice", "Which committee", "claims above", advice.use_committee),
    Rule("doubt-ratios", "advice", "What not to conclude", "claims above", advice.doubt_ratios),
    Rule("read-slices", "advice", "What to read", "claims above", advice.read_slices),
    Rule("judge-more", "advice", "What to judge more of", "claims above", advice.judge_more),
)
"""The rules: quick ones first, and recommendations when all that they rest on is known."""
