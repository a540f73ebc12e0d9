"""The conclusion on each judge, by plain loops (MEASURES section 16).

Readings (those of `deciding` beside them):
 1. A study has a number where it is defined for some judge; `hspp_matched` decides where all judges with a
    counted verdict are of one family. One number decides for all judges of a study: where it is undefined for
    one, that one has `too_few_cases`, for its reason, or nothing to conclude on. With a paradigm asked for,
    only that paradigm's numbers are taken; else rubric verdicts are single_rubric, or all_rubrics; points
    those, or direct assessment, or score rubrics. `decide` names one of odds_self, hspp_matched,
    vote_outside, bonus_outside.
 2. Adjusted: all judges that have a p, and (of odds) all f_J that have one, in one Benjamini-Hochberg; each
    question's numbers, and those less discernment, apart. `p_adjusted` is that of question 1.
 3. The order of the rules: no number, or none with an error; claims, which need evidence; no material
    preference; too few cases (evidence, then `detectable`); not shown. An answer to question 1 that falls
    after discernment is not shown for that reason, however large `detectable` is: its p was below .05.
 4. Missing verdicts, absent ones among them: a conclusion must hold with them filled in against it; no
    material preference both ways. Not filled in where the shares of own and others' differ by less than 2
    points or within chance (paired t over the instances with cells of both), or one has no share. Where
    others' are missing more often, these are filled in, the opposite way (not of pairs). Bounds: the
    estimate with all missing own ones unfavourable (`bound_low`) and favourable (`bound_high`), whatever the
    gate says; without any the estimate.
 5. Question 2, in the order in which what is open is named: tastes (V of section 16; untold where V is),
    `same_items`, the tastes again, the missing verdicts. `shared_taste` is not computed here.
 6. `detectable`: (t_.975 + t_.8) times the standard error of sampling, of the deciding number on its own
    scale: odds and ratios exponentiated.
 7. `family_in_reference`: the share of the committee's members that are J or its relatives; 0 of a program
    or people, and where the reference decides nothing.
 8. `tie_share`: of J's own pairs with a gold vote the share of ties; None where no pairs decide.
 9. `agreeing`, `disagreeing`: of the other numbers, section 14's (`together`) and `ratio_outside`,
    `bonus_outside`, `vote_outside` and `odds_self` over the whole study, each of the first paradigm in
    section 1's order that has it, those that lie on
    the same side of their null as the estimate, and on the other; within 1e-9 of it is neither.
10. `placebo_rank` is that of the deciding number.
11. All pairs decide, not those that the gold votes lost: half of the cases, as noisy (docs/claims.md).
12. Discerned: less what the judge's discernment explains, where that can be told; for question 2 with the
    variance T of section 18.
13. On relatives: the same rules for f_J, with the evidence, missing verdicts and discernment of the
    relatives' cells; "itself" reads "family". None of a judge without relatives.
14. `same_items`, of `odds_self` on failed cells: fitted to all verdicts on those that its own responses
    failed, s_J has p < .05, unadjusted, and at least two thirds of its size; and a half where on each rubric
    the cells of other families' responses together count as often as its own. Of f_J: p < .05 and two thirds
    where they count as often as its relatives'. Where a number is undefined there, its condition is met.
15. `themes_for` and `themes_against`: of 2 to 50 themes of instances those in which `difference_outside` on
    the deciding cells lies above and below 0; of rubric verdicts alone.
16. `few_families`: of a claim, where the judges with a judgment in the slice are of fewer than six families,
    and tastes are not assumed.
"""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from scipy import stats

from plain.across import BIASES, together
from plain.asking import ORDER_OF_PARADIGMS, RefusedError, named, rows_asked
from plain.conditional import Estimate
from plain.contrasts import Shares
from plain.deciding import Case, Cells, Filling, Lacking, PairSource, ScoreSource, Source, VerdictSource
from plain.equal_quality import DEFAULTS as RULES
from plain.equal_quality import Rules
from plain.families import p_with_tastes, variance_of_judge
from plain.gold import gold_win, votes_for
from plain.outside import balanced_on_rubrics, frame_of, outside, question
from plain.resampling import benjamini_hochberg
from plain.study import PlainStudy
from plain.tastes import SMALLEST, rank_among
from plain.truth import reference_source

Fields = dict[str, Any]
RUBRICS = ("single_rubric", "all_rubrics")
SCORES = ("direct_assessment", "score_rubric")
MATERIAL = {"odds": math.log(1.25), "ratio": math.log(1.25), "points": 2.0}
DETECTABLE = {"odds": math.log(3), "ratio": math.log(3), "votes": 0.15, "points": 10.0}
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

    That of the judges together, and those of judges of relatives alone, are not here.

    Without `doubts` neither tipping nor agreement with other numbers is computed (None). `beside` is what
    `together_beside` gives for the study, to share between several scorecards of it.
    """
    shown = options.pop("judges", None)
    source = source_that_decides(study, decide, clusters, opponents, rules, options)
    if source is None:
        return []
    case = source.case()
    if beside is None:
        beside = together_beside(study) if doubts else {}
    rows = []
    for judge in source.judges:
        if judge in case.each and named(shown, judge):
            row = row_of(source, case, judge, doubts)
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


class Answers(NamedTuple):
    """What the numbers alone say of a judge: the side of question 1, whether it holds after discernment, what
    of question 2 is open, and whether the plain interval lies within the bounds of equivalence."""

    side: int
    discerned: bool
    open: str | None
    alike: bool


Tests = dict[tuple[str, bool], Estimate]


def answers(case: Case, family: bool = False) -> dict[str, Answers]:
    """The answers of every judge that has evidence in the case, or of its relatives."""
    own = tests_of(case.each, case.relatives)
    seen = tests_of(case.discerned, {} if case.family is None else case.family.discerned)
    first, seen_first = (adjusted({key: one.p() for key, one in tests.items()}) for tests in (own, seen))
    second = adjusted({key: p_of_question_2(case, key[0], one) for key, one in own.items()})
    added, df = case.tastes.of_families.added, case.tastes.of_families.df
    seen_second = adjusted({key: p_with_tastes(one, added, df) for key, one in seen.items()})
    results = {}
    for judge, gate in gates_of(case, family).items():
        key = judge, family
        number, discerned = own[key], seen.get(key, Estimate(None))
        sure = {
            name: below(ps.get(key))
            for name, ps in zip(NAMES, (first, second, seen_first, seen_second), strict=True)
        }
        side = sign_of(number)
        is_told = discerned.value is not None and bool(discerned.se)
        same = is_told and sign_of(discerned) == side
        untold_tastes = p_of_question_2(case, judge, number) is None
        beyond = sure["second"] and (not is_told or (same and sure["seen second"]))
        results[judge] = Answers(
            side if gate is None and sure["first"] else 0,
            not is_told or (same and sure["seen first"]),
            "tastes_unknown" if untold_tastes else None if beyond else "within_tastes",
            within_bounds(case, judge, number),
        )
    return results


NAMES = ("first", "second", "seen first", "seen second")


def sign_of(estimate: Estimate) -> int:
    """Its side of the null."""
    return 0 if not estimate.value else 1 if estimate.value > 0 else -1


def tests_of(each: Mapping[str, Estimate], relatives: Mapping[str, Estimate]) -> Tests:
    """The numbers of judges, and those of their relatives, that are adjusted together."""
    numbers = {(judge, False): one for judge, one in each.items()}
    return numbers | {(judge, True): one for judge, one in relatives.items()}


def adjusted(ps: Mapping[tuple[str, bool], float | None]) -> dict[tuple[str, bool], float | None]:
    """Adjusted over all of them."""
    return dict(zip(ps, benjamini_hochberg(list(ps.values())), strict=True))


def p_of_question_2(case: Case, judge: str, estimate: Estimate) -> float | None:
    """The p with se^2 + V."""
    own = [placebo for placebo in case.tastes.placebos if placebo.judge == judge]
    spread = case.tastes.of_families
    return p_with_tastes(estimate, variance_of_judge(own, spread, case.tastes.judges), spread.df)


def below(p: float | None) -> bool:
    """Whether a p decides."""
    return p is not None and p < 0.05


def gates_of(case: Case, family: bool) -> Mapping[str, str | None]:
    """Why verdicts are too few, by judge."""
    if not family:
        return case.gates
    return {} if case.family is None else case.family.gates


def within_bounds(case: Case, judge: str, estimate: Estimate) -> bool:
    """Whether the plain interval lies within the bounds of equivalence."""
    reach = estimate.interval()
    if reach is None:
        return False
    if case.scale != "votes":
        return -MATERIAL[case.scale] <= reach[0] and reach[1] <= MATERIAL[case.scale]
    given = case.given[judge]
    ends = [given - end for end in reach]
    if not all(0 < share < 1 for share in (given, *ends)):
        return False
    odds_of = [given / (1 - given) / (share / (1 - share)) for share in ends]
    return odds_of[0] >= 1 / 1.25 and odds_of[1] <= 1.25


class Conclusion(NamedTuple):
    """A code, and its reason."""

    code: str | None
    reason: str | None


def conclude(source: Source, case: Case, judge: str, family: bool = False) -> Conclusion:
    """The conclusion on a judge, or on how it treats its family."""
    estimate = (case.relatives if family else case.each)[judge]
    if estimate.value is None:
        cells = source.lacking(judge, "family" if family else "own").values()
        has_any = any(not missing for of_instance in cells for missing in of_instance)
        return Conclusion("too_few_cases" if has_any else None, estimate.reason)
    if estimate.p() is None:
        return Conclusion("too_few_cases", estimate.reason)
    answer = answers(case, family)[judge]
    if answer.side:
        if not all(
            one.side == answer.side and one.discerned for one in filled_in(source, judge, answer.side, family)
        ):
            return Conclusion("not_shown", "missing_verdicts")
        if answer.discerned:
            reason = still_open(source, case, judge, answer, family)
            firm, rest = FAVOURS if answer.side > 0 else DISFAVOURS
            return Conclusion(firm if reason is None else rest, reason)
    if answer.alike:
        both = [one for side in (1, -1) for one in filled_in(source, judge, side, family)]
        if all(one.alike for one in both):
            return Conclusion("no_material_preference", None)
        return Conclusion("not_shown", "missing_verdicts")
    if answer.side:
        return Conclusion("not_shown", "discernment")
    gate = gates_of(case, family)[judge]
    if gate is not None:
        return Conclusion("too_few_cases", gate)
    if reach_of(estimate) > DETECTABLE[case.scale]:
        return Conclusion("too_few_cases", "not_detectable")
    return Conclusion("not_shown", "adjustment" if below(estimate.p()) else "undecided")


FAVOURS, DISFAVOURS = ("favours_itself", "overrates_itself"), ("disfavours_itself", "underrates_itself")
CLAIMS = {*FAVOURS, *DISFAVOURS}


def still_open(source: Source, case: Case, judge: str, answer: Answers, family: bool) -> str | None:
    """What of question 2 is open, the first in order."""
    if answer.open == "tastes_unknown":
        return answer.open
    if not upheld_on_same_items(source, case, judge, "family" if family else "self"):
        return "same_items"
    if answer.open is not None:
        return answer.open
    fills = filled_in(source, judge, answer.side, family)
    return None if all(one.open is None for one in fills) else "missing_verdicts"


def filled_in(source: Source, judge: str, side: int, family: bool) -> list[Answers]:
    """The answers with unequally missing verdicts filled in against a side; none where they are equal."""
    sign = unequal(source, judge, "family" if family else "own")
    if not sign:
        return []
    own = sign > 0
    filling = Filling(judge, (side < 0) == own, not own, family and own)
    return [answers(source.case(filling, frozenset(), judge), family)[judge]]


def unequal(source: Source, judge: str, whose: str = "own") -> int:
    """1 where more of its own (its relatives') are missing, -1 where fewer, 0 where that is not sure."""
    lacking = [source.lacking(judge, side) for side in (whose, "other")]
    shares = [share_of(cells) for cells in lacking]
    if None in shares or abs(shares[0] - shares[1]) < GAP - SMALLEST:  # type: ignore[operator]
        return 0
    sign = 1 if shares[0] > shares[1] else -1  # type: ignore[operator]
    if sign < 0 and isinstance(source, PairSource):
        return 0
    both = [x for x in lacking[0] if x in lacking[1]]
    differences = [mean_of(lacking[0][x]) - mean_of(lacking[1][x]) for x in both]
    if len(differences) < 2:
        return 0
    if max(differences) - min(differences) <= SMALLEST:
        return sign if abs(differences[0]) > SMALLEST else 0
    return sign if stats.ttest_1samp(differences, 0).pvalue < 0.05 else 0


def share_of(cells: Lacking) -> float | None:
    """The share missing of all cells."""
    every = [missing for of_instance in cells.values() for missing in of_instance]
    return mean_of(every) if every else None


def mean_of(values: list[bool]) -> float:
    """The share of true ones."""
    return sum(values) / len(values)


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
    if kind == "family":
        return True
    return balanced.value is None or balanced.value / whole.value >= 1 / 2


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


def row_of(source: Source, case: Case, judge: str, doubts: bool) -> Fields:
    """One judge's row, agreement with other numbers aside."""
    estimate, conclusion = case.each[judge], conclude(source, case, judge)
    bounds = [estimate.value, estimate.value]
    if share_of(source.lacking(judge, "own")):
        bounds = [source.case(Filling(judge, f), frozenset(), judge).each[judge].value for f in (False, True)]
    tipping, share = tips(source, judge, conclusion.code) if doubts else (None, None)
    rank, of = rank_among(estimate.value, case.tastes.of(judge))
    family = case.relatives.get(judge, Estimate(None)).value if case.scale == "odds" else None
    tests = tests_of(case.each, case.relatives)
    first = adjusted({key: one.p() for key, one in tests.items()})
    second = adjusted({key: p_of_question_2(case, key[0], one) for key, one in tests.items()})
    row = {
        "judge": judge,
        "conclusion": conclusion.code,
        "reason": conclusion.reason,
        "discerned": shown_as(case.scale, case.discerned.get(judge, Estimate(None)).value),
        "decided_by": source.number,
        "estimate": shown_as(case.scale, estimate.value),
        **ends(
            case, estimate, first, case.discerned[judge] if conclusion.reason == "discernment" else estimate
        ),
        "p": estimate.p(),
        "p_adjusted": first[judge, False],
        "p_tastes": p_of_question_2(case, judge, estimate),
        "p_tastes_adjusted": second[judge, False],
        "ratio_outside": case.ratios.get(judge, (None,))[0],
        "odds_family": None if family is None else math.exp(family),
        **on_family(source, case, judge, first),
        **dict(zip(("n_own", "n_other", "n_outside"), case.counts[judge], strict=True)),
        "family_in_reference": family_in_reference(source, judge),
        **missing_shares(source, judge),
        "bound_low": shown_as(case.scale, bounds[0]),
        "bound_high": shown_as(case.scale, bounds[1]),
        "tie_share": tie_share(source, judge),
        "tipping": tipping,
        "tipping_share": share,
        "placebo_rank": rank,
        "placebo_of": of,
        "detectable": shown_as(case.scale, reach_of(estimate)) if estimate.se else None,
        "needed": needed(case, judge, conclusion.reason),
        **themes(source, judge),
    }
    return {**row, "cautions": cautions(source, case, row)}


def ends(
    case: Case, estimate: Estimate, first: Mapping[tuple[str, bool], float | None], shown: Estimate
) -> Fields:
    """The plain interval, and that of the estimate shown, which agrees with the adjusted p of question 1."""
    level = level_of_adjusted([p for p in first.values() if p is not None])
    plain = estimate.interval() or (None, None)
    wide: tuple[float | None, float | None] = (None, None)
    if shown.value is not None and shown.se and shown.df >= 1:
        reach = float(stats.t.ppf((1 + level) / 2, shown.df)) * shown.se
        wide = shown.value - reach, shown.value + reach
    names = ("low_plain", "high_plain", "low", "high")
    return {name: shown_as(case.scale, end) for name, end in zip(names, (*plain, *wide), strict=True)}


def level_of_adjusted(ps: list[float]) -> float:
    """1 - .05 max(R, 1) / m."""
    return 1 - 0.05 * max(sum(p < 0.05 for p in ps), 1) / max(len(ps), 1)


def shown_as(scale: str, value: float | None) -> float | None:
    """Odds and ratios themselves, not their logarithms."""
    return math.exp(value) if value is not None and scale in ("odds", "ratio") else value


def missing_shares(source: Source, judge: str) -> Fields:
    """The shares of own and others' cells that were asked without a verdict, and that have no row."""
    shares: Fields = {}
    for whose in ("own", "other"):
        cells = [missing for of_instance in source.lacking(judge, whose).values() for missing in of_instance]
        absent = source.number_absent(judge, whose)
        shares[f"missing_{whose}"] = (sum(cells) - absent) / len(cells) if cells else None
        shares[f"absent_{whose}"] = absent / len(cells) if cells else None
    return shares


FOR_WANT = ("undecided", "not_detectable", "few_instances", "few_credited", "few_uncredited", "few_pairs")
CLOSE = {**MATERIAL, "votes": 0.05}
MOST_CASES = 10**12


def needed(case: Case, judge: str, reason: str | None) -> int | None:
    """The smallest number of own cases that would answer question 1, no fewer than there are.

    With so many the estimate, were it the true number, would be found with power .8, or its interval would
    lie close to the null: errors fall with the root of the cases, normal quantiles. Where cases are too few,
    every gate is passed too; where the smallest detectable number is too large, it is no longer. None where
    no number would do, or more cases decide nothing. Of the gates on passes and failures, this takes the
    judge's rate on others' cells; the share expected of its own is not looked at.
    """
    if reason not in FOR_WANT:
        return None
    estimate, n = case.each[judge], case.counts[judge][0]
    if estimate.value is None or not estimate.se or estimate.df < 1:
        return None
    normal, distance, variance = stats.norm.ppf, abs(estimate.value), estimate.se**2

    def decides(cases: int) -> bool:
        error = math.sqrt(variance * n / cases)
        detected = distance >= (normal(0.975) + normal(0.8)) * error
        return bool(detected or distance + normal(0.975) * error <= CLOSE[case.scale])

    also = case.enough.get(judge, math.inf) if case.gates[judge] is not None else 0.0
    if reason == "not_detectable":
        also = max(also, n * (reach_of(estimate) / DETECTABLE[case.scale]) ** 2)
    if not decides(MOST_CASES) or math.isinf(also):
        return None
    low, high = n - 1, n
    while not decides(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return max(high, math.ceil(also))


def reach_of(estimate: Estimate) -> float:
    """The smallest number detectable with power .8 by sampling alone; infinite where there is no error."""
    if not estimate.se or estimate.df < 1:
        return math.inf
    return float(stats.t.ppf(0.975, estimate.df) + stats.t.ppf(0.8, estimate.df)) * estimate.se


def on_family(
    source: Source, case: Case, judge: str, first: Mapping[tuple[str, bool], float | None]
) -> Fields:
    """What is concluded on the judge's relatives, of odds."""
    names = ("family_conclusion", "family_reason", "odds_family_p", "odds_family_p_adjusted", "n_family")
    if case.family is None or case.scale != "odds":
        return {}
    if judge not in case.family.gates:
        return {**dict.fromkeys(names), "n_family": 0}
    code, reason = conclude(source, case, judge, family=True)
    code = None if code is None else code.replace("itself", "family")
    ps = case.relatives[judge].p(), first[judge, True]
    return dict(zip(names, (code, reason, *ps, case.family.counts[judge]), strict=True))


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


def tips(source: Source, judge: str, claim: str | None) -> tuple[int | None, float | None]:
    """How many own credited failures must be removed until the answers of the claim fall, and their share."""
    if not isinstance(source, VerdictSource) or source.truth != "failed":
        return None, None
    if claim not in FAVOURS:
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
        answer = answers(source.case(None, gone, judge))[judge]
        if answer.side != 1 or not answer.discerned or (claim == FAVOURS[0] and answer.open is not None):
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
        "few_families": row["conclusion"] in CLAIMS
        and source.number != "hspp_matched"
        and not case.tastes.assumed
        and number_of_families(source) < 6,
        "discernment_untold": row["conclusion"] in CLAIMS
        and source.number != "hspp_matched"
        and sum(p.judge == row["judge"] and p.se > 0 for p in case.tastes.placebos) < 3,
        "family_in_reference": row["family_in_reference"] > 0,
        "missing_verdicts": unequal(source, row["judge"]) != 0,
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
