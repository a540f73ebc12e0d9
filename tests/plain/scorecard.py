"""One conclusion on each judge, by plain loops (MEASURES section 16).

Readings (those of `deciding` beside them):
 1. A study has a number where it is defined for some judge; `hspp_matched` decides where all judges with a
    counted verdict are of one family. One number decides for all judges of a study: where it is undefined for
    one, that one is `inconclusive`, for its reason. With a paradigm asked for, only that paradigm's numbers
    are taken; else rubric verdicts are single_rubric, or all_rubrics; points those, or direct assessment, or
    score rubrics. `decide` names one of odds_self, hspp_matched, vote_outside, bonus_outside.
 2. Adjusted: all judges that have a p, and (of odds) all f_J that have one, in one Benjamini-Hochberg; with
    tastes and without are adjusted apart. `p_adjusted` is that with tastes, without where there is none.
 3. The order of the rules: no number; too little evidence; favours (disfavours); leans; no material
    preference; else `inconclusive`, reason `undecided`. The ratio must have p < .10: where it exists and has
    none (a share of 0, one instance), it does not hold. Evidence is needed for every conclusion.
 4. Missing verdicts: leaning must hold likewise (or be a claim), and no material preference both ways; not
    filled in where the shares of own and others' differ by less than 2 points, or one has no share. Where
    others' are missing more often, these are filled in, the opposite way (not of pairs, where they do not
    count). Relatives' never are: where they are missing so much more often than others', nothing is concluded
    on the family. Bounds: the estimate with all missing
    own ones unfavourable (`bound_low`) and favourable (`bound_high`), whatever the gate says; without any the
    estimate.
 5. Tipping: own failed cells are taken out for all judges alike, those that J credited first, of these those
    credited by the smallest share of outside judges, then as they stand in the study; the whole analysis is
    done again each time; the conclusion falls where it is another (for want of evidence too). Of `odds_self`
    on failed cells and `hspp_matched`, for `favours_itself` and `leans_to_itself`; None elsewhere.
    `tipping_share` is of the own credited ones.
 6. `detectable`: (t_.975 + t_.8) times the standard error that decides (with tastes where there are any), of
    the deciding number on its own scale: odds and ratios exponentiated.
 7. `family_in_reference`: the share of the committee's members that are J or its relatives; 0 of a program
    or people, and where the reference decides nothing.
 8. `tie_share`: of J's own pairs with a gold vote the share of ties; None where no pairs decide.
 9. `agreeing`, `disagreeing`: of the other numbers, section 14's (`together`) and `ratio_outside`,
    `bonus_outside`, `vote_outside` and `odds_self` over the whole study, each of the first paradigm in
    section 1's order that has it, those that lie on
    the same side of their null as the estimate, and on the other; within 1e-9 of it is neither.
10. `placebo_rank` is that of the deciding number.
11. All pairs decide, not those that the gold votes lost: half of the cases, as noisy (docs/claims.md).
12. A conclusion must hold as well (its side, and the adjusted p of its kind) for the number less what the
    judge's discernment explains, where that can be told; a claim that does without tastes only leans; else
    `inconclusive`, reason `discernment`. The discerned numbers are adjusted likewise, by themselves.
13. On relatives: the same rules for f_J, with `ratio_outside_family`, and the evidence and discernment of the
    relatives' cells; "itself" reads "family". None of a judge without relatives.
14. `needed`: the smallest number of own cases, no fewer than there are, with which either the estimate would
    be found with power .8 or its interval would lie within the bounds, were it the true number: errors fall
    with the root of the cases, tastes stay, normal quantiles. Of those inconclusive for want of cases; None
    where no number would do.
15. Claims and leanings by `odds_self` on failed cells must hold on the same rubrics: fitted to all verdicts
    on those that its own responses failed, s_J has p < .05 without tastes, unadjusted, and at least two
    thirds of its size; and a third where on each rubric the cells of other families' responses together count
    as often as its own. Those on its family: f_J has p < .05 and two thirds where they count as often as its
    relatives'. Where a number is undefined there, its condition is met.
16. `themes_for` and `themes_against`: of 2 to 50 themes of instances those in which `difference_outside` on
    the deciding cells lies above and below 0; of rubric verdicts alone.
17. A claim needs p < .05 with tastes for the judge's own spread, too (`tastes`, reading 4), adjusted
    likewise: else it leans. Of the discerned numbers only the spread of all judges counts.
18. `few_families`: of a conclusion for or against itself, where the judges with a judgment in the slice are
    of fewer than five families, and tastes are not assumed.
"""

import math
from collections.abc import Mapping
from typing import Any

from scipy import stats

from plain.across import BIASES, together
from plain.asking import ORDER_OF_PARADIGMS, RefusedError, named, rows_asked
from plain.conditional import Estimate
from plain.contrasts import Shares
from plain.deciding import Case, Cells, Filling, PairSource, ScoreSource, Source, VerdictSource
from plain.equal_quality import DEFAULTS as RULES
from plain.equal_quality import Rules
from plain.gold import gold_win, votes_for
from plain.outside import balanced_on_rubrics, frame_of, outside, question
from plain.resampling import benjamini_hochberg
from plain.study import PlainStudy
from plain.tastes import SMALLEST, rank_among
from plain.truth import reference_source

Fields = dict[str, Any]
RUBRICS = ("single_rubric", "all_rubrics")
SCORES = ("direct_assessment", "score_rubric")
WITHIN = {"odds": math.log(1.1), "ratio": math.log(1.1), "votes": 0.05, "points": 2.0}
GAP = 0.02
OTHERS = {"ratio_outside": 1.0, "bonus_outside": 0.0, "vote_outside": 0.0, "odds_self": 1.0}


def scorecard(
    study: PlainStudy,
    decide: str | None = None,
    clusters: str = "instance",
    opponents: str = "outside",
    rules: Rules = RULES,
    doubts: bool = True,
    beside: Mapping[str, dict[str, float]] | None = None,
    **options: Any,
) -> list[Fields]:
    """A row for each shown judge with judged responses of its own; none if the study has no number.

    Without `doubts` neither tipping nor agreement with other numbers is computed (None). `beside` is what
    `together_beside` gives for the study, to share between several scorecards of it.
    """
    shown = options.pop("judges", None)
    source = source_that_decides(study, decide, clusters, opponents, rules, options)
    if source is None:
        return []
    case = source.case()
    conclusions = conclude(case)
    if beside is None:
        beside = together_beside(study) if doubts else {}
    rows = []
    for judge in source.judges:
        if judge in case.each and named(shown, judge):
            row = row_of(source, case, judge, conclusions[judge], doubts)
            comparison = agreement(beside.get(judge, {}), source.number, case.each[judge].value)
            row |= comparison if doubts else dict.fromkeys(comparison)
            rows.append(row)
    return rows


def source_that_decides(
    study: PlainStudy, decide: str | None, clusters: str, opponents: str, rules: Rules, options: Fields
) -> Source | None:
    """The first source in section 16's order that the study has."""
    present = {
        row["paradigm"] for row in study.judgments if options.get("paradigm") in (None, row["paradigm"])
    }
    for name in ("odds_self", "hspp_matched", "all", "bonus_outside", "odds_any"):
        number = {"all": "vote_outside", "odds_any": "odds_self"}.get(name, name)
        if decide not in (None, number):
            continue
        kinds = {"all": ("pairwise",), "bonus_outside": RUBRICS + SCORES}.get(name, RUBRICS)
        paradigm = next((kind for kind in kinds if kind in present), None)
        if paradigm is None:
            continue
        query = question(study, **{**options, "paradigm": paradigm})
        frame = frame_of(query, clusters)
        if paradigm == "pairwise":
            source: Source = PairSource(query, frame, name, opponents, rules)
        elif paradigm in SCORES:
            source = ScoreSource(query, frame)
        else:
            truth = "any" if name in ("bonus_outside", "odds_any") else "failed"
            if truth == "failed" and reference_source(query) is None:
                continue
            source = VerdictSource(query, frame, truth, number)
            if name == "hspp_matched" and decide is None and stands_outside(source):
                continue
        if any(estimate.value is not None for estimate in source.case().each.values()):
            return source
    return None


def stands_outside(source: VerdictSource) -> bool:
    """Whether any judge has an outside judge."""
    judges = {o.judge for o in source.verdicts.opinions}
    return any(source.frame.relations[one, two] == "other" for one in judges for two in judges)


Conclusion = tuple[str, float | None, str | None, float | None]


def conclude(case: Case, family: bool = False) -> dict[str, Conclusion]:
    """Conclusion, adjusted p, reason and p with own tastes of every judge, or of its family.

    Missing verdicts aside.
    """
    numbers = {(judge, False): one for judge, one in case.each.items()}
    numbers |= {(judge, True): one for judge, one in case.relatives.items()}
    seen = {(judge, False): one for judge, one in case.discerned.items()}
    if case.family is not None:
        seen |= {(judge, True): one for judge, one in case.family.discerned.items()}
    ps = [adjusted(case, tests, tastes) for tests in (numbers, seen) for tastes in (True, False)]
    ps.append(adjusted(case, numbers, True, each=True))
    conclusions = {}
    gates = case.gates if not family else case.family.gates if case.family is not None else {}
    for judge, gate in gates.items():
        key = judge, family
        five = [p.get(key) for p in ps]
        claim, reason = verdict_on(case, key, numbers[key], gate, seen.get(key, Estimate(None)), five)
        conclusions[judge] = claim, five[0] if five[0] is not None else five[1], reason, five[4]
    return conclusions


Tests = dict[tuple[str, bool], Estimate]


def adjusted(
    case: Case, tests: Tests, tastes: bool, each: bool = False
) -> dict[tuple[str, bool], float | None]:
    """The p of all judges and of all claims about relatives, adjusted together; `each`: with own tastes."""
    ps = [p_of(case, one, tastes, judge if each else None) for (judge, _), one in tests.items()]
    return dict(zip(tests, benjamini_hochberg(ps), strict=True))


def p_of(case: Case, estimate: Estimate, tastes: bool, judge: str | None = None) -> float | None:
    """One p, with tastes (a judge's own, if one is named) or without."""
    if not tastes:
        return estimate.p()
    variance = case.tastes.variance if judge is None else case.tastes.variance_of(judge)
    return None if variance is None else estimate.p(variance)


def verdict_on(
    case: Case,
    key: tuple[str, bool],
    estimate: Estimate,
    gate: str | None,
    discerned: Estimate,
    ps: list[float | None],
) -> tuple[str, str | None]:
    """The conclusion and, if inconclusive, the reason."""
    if estimate.value is None:
        return "inconclusive", estimate.reason or "undefined"
    if gate is not None:
        return "inconclusive", gate
    up = estimate.value > 0
    _, without, seen_with_tastes, seen_without, with_own = (p is not None and p < 0.05 for p in ps)
    if estimate.value != 0 and ratio_agrees(case, key, up) and (with_own or without):
        claims = with_own
        if discerned.value is not None and discerned.se:
            if not seen_without or (discerned.value > 0) != up:
                return "inconclusive", "discernment"
            claims = claims and seen_with_tastes
        if claims:
            return ("favours_itself" if up else "disfavours_itself"), None
        return ("leans_to_itself" if up else "leans_against_itself"), None
    reach, bound = estimate.interval(), WITHIN[case.scale]
    if reach is not None and -bound <= reach[0] and reach[1] <= bound:
        return "no_material_preference", None
    return "inconclusive", "undecided" if reach is not None else estimate.reason


def ratio_agrees(case: Case, key: tuple[str, bool], up: bool) -> bool:
    """Whether the ratio, if any, is surely enough on the same side."""
    judge, family = key
    ratios = case.family.ratios if family and case.family is not None else case.ratios
    ratio, doubt = ratios.get(judge, (None, Estimate(None)))
    if ratio is None:
        return True
    p = doubt.p()
    return p is not None and p < 0.10 and (ratio > 1 if up else ratio < 1)


UPHELD = {
    "favours_itself": ("favours_itself",),
    "leans_to_itself": ("leans_to_itself", "favours_itself"),
    "no_material_preference": ("no_material_preference",),
    "disfavours_itself": ("disfavours_itself",),
    "leans_against_itself": ("leans_against_itself", "disfavours_itself"),
}


def more(share: float | None, other: float | None) -> bool:
    """Whether a share of missing verdicts exceeds another by 2 points or more."""
    return share is not None and other is not None and share - other >= GAP - SMALLEST


def unequal(source: Source, own: float | None, other: float | None) -> bool:
    """Whether the shares differ so much; of pairs only where more own ones are missing."""
    return more(own, other) or (more(other, own) and not isinstance(source, PairSource))


def falls(source: Source, judge: str, claim: str, others: bool) -> bool:
    """Whether the conclusion changes if missing verdicts are filled in against it.

    Against a preference for itself: its own as unfavourable, or those on others' responses as favourable.
    """
    against_for = Filling(judge, others, others)
    against_other = Filling(judge, not others, others)
    if claim in ("favours_itself", "leans_to_itself"):
        tried = [against_for]
    elif claim in ("disfavours_itself", "leans_against_itself"):
        tried = [against_other]
    else:
        tried = [against_for, against_other]
    cases = [source.case(filling, frozenset(), judge) for filling in tried]
    return any(conclude(case)[judge][0] not in UPHELD[claim] for case in cases)


SIDED = {claim for claim in UPHELD if claim != "no_material_preference"}


def upheld_on_same_items(source: Source, case: Case, judge: str, kind: str = "self") -> bool:
    """Whether s_J (f_J) holds among answers to the rubrics that J's own responses (its relatives') failed."""
    if not isinstance(source, VerdictSource) or (source.number, source.truth) != ("odds_self", "failed"):
        return True
    whole, opinions = (
        (case.each if kind == "self" else case.relatives)[judge],
        source.opinions(None, frozenset()),
    )
    balanced = balanced_on_rubrics(source.frame, opinions, judge, kind)
    there = balanced if kind == "family" else on_own_rubrics(source, judge)
    if whole.value is None:
        return True
    if there.value is not None:
        p = there.p()
        if p is None or p >= 0.05 or there.value / whole.value < 2 / 3:
            return False
    return balanced.value is None or balanced.value / whole.value >= 1 / 3


def on_own_rubrics(source: VerdictSource, judge: str) -> Estimate:
    """s_J fitted to all verdicts on the rubrics that J's own responses failed."""
    items = {
        (o.instance_id, o.rubric_id) for o in source.verdicts.opinions if o.judge == o.generator == judge
    }
    elsewhere = frozenset(
        (o.instance_id, o.rubric_id, o.generator)
        for o in source.verdicts.opinions
        if (o.instance_id, o.rubric_id) not in items
    )
    return source.case(None, elsewhere, judge).each[judge]


def row_of(source: Source, case: Case, judge: str, conclusion: Conclusion, doubts: bool) -> Fields:
    """One judge's row, agreement with other numbers aside."""
    estimate, (claim, p_adjusted, reason, p_judge_tastes) = case.each[judge], conclusion
    own, other = source.missing(judge)
    gap = unequal(source, own, other)
    if gap and claim in UPHELD and falls(source, judge, claim, others=own < other):
        claim, reason = "inconclusive", "missing_verdicts"
    if claim in SIDED and not upheld_on_same_items(source, case, judge):
        claim, reason = "inconclusive", "same_items"
    bounds = [estimate.value, estimate.value]
    if own:
        bounds = [source.case(Filling(judge, f), frozenset(), judge).each[judge].value for f in (False, True)]
    reach = estimate.interval() or (None, None)
    tipping, share = tips(source, judge, claim) if doubts else (None, None)
    rank, of = rank_among(estimate.value, case.tastes.of(judge))
    family = case.relatives.get(judge, Estimate(None)).value
    seen = case.discerned.get(judge, Estimate(None)).value
    row = {
        "judge": judge,
        "conclusion": claim,
        "discerned": shown_as(case.scale, seen),
        "decided_by": source.number,
        "estimate": shown_as(case.scale, estimate.value),
        "low": shown_as(case.scale, reach[0]),
        "high": shown_as(case.scale, reach[1]),
        "p": p_of(case, estimate, False),
        "p_tastes": p_of(case, estimate, True),
        "p_judge_tastes": p_judge_tastes,
        "p_adjusted": p_adjusted,
        "reason": reason,
        "ratio_outside": case.ratios.get(judge, (None,))[0],
        "odds_family": None if family is None else math.exp(family),
        **on_family(source, case, judge),
        **dict(zip(("n_own", "n_other", "n_outside"), case.counts[judge], strict=True)),
        "family_in_reference": family_in_reference(source, judge),
        "missing_own": own,
        "missing_other": other,
        "bound_low": shown_as(case.scale, bounds[0]),
        "bound_high": shown_as(case.scale, bounds[1]),
        "tie_share": tie_share(source, judge),
        "tipping": tipping,
        "tipping_share": share,
        "placebo_rank": rank,
        "placebo_of": of,
        "detectable": detectable(case, estimate),
        "needed": needed(case, judge) if claim == "inconclusive" and reason in FOR_WANT else None,
        **themes(source, judge),
    }
    return {**row, "cautions": cautions(source, case, row)}


def shown_as(scale: str, value: float | None) -> float | None:
    """Odds and ratios themselves, not their logarithms."""
    return math.exp(value) if value is not None and scale in ("odds", "ratio") else value


def detectable(case: Case, estimate: Estimate) -> float | None:
    """The smallest number detectable with power .8."""
    if estimate.se is None:
        return None
    se = math.sqrt(estimate.se**2 + (case.tastes.variance or 0.0))
    reach = float(stats.t.ppf(0.975, estimate.df) + stats.t.ppf(0.8, estimate.df)) * se
    return shown_as(case.scale, reach)


FOR_WANT = ("undecided", "few_instances", "few_credited", "few_uncredited", "few_pairs")
MOST_CASES = 10**12


def needed(case: Case, judge: str) -> int | None:
    """The smallest number of own cases that would decide."""
    estimate, n = case.each[judge], case.counts[judge][0]
    if estimate.value is None or not estimate.se or estimate.df < 1:
        return None
    normal, distance, variance = stats.norm.ppf, abs(estimate.value), estimate.se**2

    def decides(cases: int) -> bool:
        error = variance * n / cases
        detected = distance >= (normal(0.975) + normal(0.8)) * math.sqrt(
            error + (case.tastes.variance or 0.0)
        )
        return bool(detected or distance + normal(0.975) * math.sqrt(error) <= WITHIN[case.scale])

    if not decides(MOST_CASES):
        return None
    low, high = n - 1, n
    while not decides(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high


def on_family(source: Source, case: Case, judge: str) -> Fields:
    """What is concluded on the judge's relatives."""
    names = ("family_conclusion", "family_reason", "odds_family_p", "odds_family_p_adjusted", "n_family")
    if case.family is None or judge not in case.family.gates or not isinstance(source, VerdictSource):
        return {**dict.fromkeys(names), "n_family": 0}
    claim, p_adjusted, reason, _ = conclude(case, family=True)[judge]
    near = source.missing_of(judge, set(source.frame.relatives(judge)))
    other = source.missing_of(judge, set(source.frame.outsiders(judge)))
    if claim in UPHELD and more(near, other):
        claim, reason = "inconclusive", "missing_verdicts"
    elif claim in SIDED and not upheld_on_same_items(source, case, judge, "family"):
        claim, reason = "inconclusive", "same_items"
    p = p_of(case, case.relatives[judge], False)
    code = claim.replace("itself", "family")
    return dict(zip(names, (code, reason, p, p_adjusted, case.family.counts[judge]), strict=True))


def themes(source: Source, judge: str) -> Fields:
    """The number of themes in which the judge credits its own more than outside judges, and less."""
    names = ("themes_for", "themes_against")
    theme_of = {row["instance_id"]: row["theme"] for row in source.query.study.instances}
    every = {theme for theme in theme_of.values() if theme is not None}
    if not isinstance(source, VerdictSource) or not 2 <= len(every) <= 50:
        return dict.fromkeys(names)
    differences = []
    for theme in every:
        of_theme = [o for o in source.verdicts.opinions if theme_of[o.instance_id] == theme]
        differences.append(Shares(of_theme, source.frame.relations, judge).parts([judge]).difference)
    above = sum(value is not None and value > SMALLEST for value in differences)
    return dict(zip(names, (above, sum(v is not None and v < -SMALLEST for v in differences)), strict=True))


def tips(source: Source, judge: str, claim: str) -> tuple[int | None, float | None]:
    """How many own credited failures must be removed to change the conclusion, and their share."""
    if not isinstance(source, VerdictSource) or source.truth != "failed":
        return None, None
    if claim not in ("favours_itself", "leans_to_itself"):
        return None, None
    cells: dict[tuple[str, str, str], dict[str, bool]] = {}
    for o in source.verdicts.opinions:
        if o.generator == judge:
            cells.setdefault((o.instance_id, o.rubric_id, judge), {})[o.judge] = o.favourable
    own = [cell for cell, by_judge in cells.items() if judge in by_judge]
    place = {(r["instance_id"], r["rubric_id"]): n for n, r in enumerate(source.query.study.rubrics)}

    def order(cell: tuple[str, str, str]) -> tuple[bool, float, int]:
        others = [f for b, f in cells[cell].items() if source.frame.relations[judge, b] == "other"]
        return not cells[cell][judge], sum(others) / len(others) if others else 1.0, place[cell[0], cell[1]]

    own.sort(key=order)
    credited = sum(cells[cell][judge] for cell in own)
    for k in range(1, len(own) + 1):
        gone: Cells = frozenset(own[:k])
        if conclude(source.case(None, gone, judge))[judge][0] != claim:
            return k, k / credited
    return None, None


def family_in_reference(source: Source, judge: str) -> float:
    """The share of the reference that is the judge or of its family."""
    query, frame = source.query, source.frame
    sources: list[str] = []
    if source.truth == "failed":
        name = reference_source(query) or ""
        if name.startswith("committee:"):
            sources = query.study.committees.get(name.removeprefix("committee:"), {}).get("members", [])
            out = {"self": query.exclude_family or query.leave_self_out, "family": query.exclude_family}
            sources = [m for m in sources if not out.get(frame.relations[judge, m], False)]
    related = [one for one in sources if frame.relations.get((judge, one), "other") != "other"]
    return len(related) / len(sources) if sources else 0.0


def tie_share(source: Source, judge: str) -> float | None:
    """The share of the judge's own pairs that the gold calls ties."""
    if not isinstance(source, PairSource):
        return None
    golds = []
    for vote in source.votes:
        if vote.judge == vote.target == judge and source.frame.relations[judge, vote.other] == "other":
            gold = gold_win(votes_for(source.query, judge, vote.instance_id, judge, vote.other))
            golds += [] if gold is None else [gold == 0.5]
    return sum(golds) / len(golds) if golds else None


def cautions(source: Source, case: Case, row: Fields) -> list[str]:
    """The cautions for anyone who quotes the conclusion."""
    codes = {
        "no_outside_judges": source.number == "hspp_matched",
        "strictness": source.number == "odds_self" and source.truth == "any",
        "tastes_assumed": case.tastes.assumed,
        "few_families": row["conclusion"] in SIDED
        and source.number != "hspp_matched"
        and not case.tastes.assumed
        and number_of_families(source) < 5,
        "discernment_untold": row["conclusion"] in SIDED
        and source.number != "hspp_matched"
        and not case.discerned.get(row["judge"], Estimate(None)).se,
        "family_in_reference": row["family_in_reference"] > 0,
        "missing_verdicts": unequal(source, row["missing_own"], row["missing_other"]),
    }
    return [code for code, holds in codes.items() if holds]


def number_of_families(source: Source) -> int:
    """The number of families of the judges with a judgment in the slice."""
    families: list[str] = []
    for judge in sorted({row["judge"] for row in rows_asked(source.query)}):
        if all(source.frame.relations[judge, other] == "other" for other in families):
            families.append(judge)
    return len(families)


def together_beside(study: PlainStudy) -> dict[str, dict[str, float]]:
    """Judge -> number -> how far it lies from its null."""
    numbers: dict[str, dict[str, float]] = {}
    for (judge, name), row in together(study).items():
        if name in BIASES and row["sign"] is not None:
            numbers.setdefault(judge, {})[name] = row["sign"]
    present = {row["paradigm"] for row in study.judgments}
    for paradigm in [one for one in (*ORDER_OF_PARADIGMS, "score_rubric") if one in present]:
        try:
            rows = outside(study, paradigm=paradigm)[0]
        except RefusedError:
            continue
        for row in rows:
            for name, null in OTHERS.items():
                if row[name] is not None:
                    numbers.setdefault(row["judge"], {}).setdefault(name, row[name] - null)
    return numbers


def agreement(numbers: dict[str, float], decided_by: str, value: float | None) -> dict[str, int]:
    """How many of the other numbers point the same way, and the opposite way."""
    others = {"hspp_matched": "hspp_matched"}.get(decided_by, decided_by)
    rest = [number for name, number in numbers.items() if name != others and abs(number) > SMALLEST]
    if value is None or abs(value) <= SMALLEST:
        return {"agreeing": 0, "disagreeing": 0}
    same = sum((number > 0) == (value > 0) for number in rest)
    return {"agreeing": same, "disagreeing": len(rest) - same}
