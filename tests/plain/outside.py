"""Judges compared with outside judges, by plain loops (MEASURES section 15).

`outside(study, **options)` takes the slice's options and `truth`, `pairs`, `opponents`, `rules` (section 9's,
for `pairs = equal`), `clusters` (`instance` or `theme`) and `seed`, and returns `(rows, left_out)`; each
row's `reasons` say why a field is None. Estimates of odds are exp(log-odds); `_se` is that of the log-odds or
of the logarithm of the ratio.

Readings (those of `conditional`, `opinions`, `contrasts` and `tastes` beside them):
 1. Paradigm: section 1's, and `score_rubric` where there is none of those. Rubric verdicts have shares, odds
    and `bonus_outside` (which looks at no reference); scores have the last, pairs `vote_outside` alone. What
    a paradigm does not have is None, `not_in_paradigm`.
 2. A row for each shown judge with a counted verdict on its own response (of any truth), a score or a pair of
    its own with an outcome. Judges that generate nothing have no row, but are outside judges and have tastes.
 3. `truth` unless asked: `failed` where there is a reference, else `any`.
 4. Placebos, ranks, `taste_spread` and `p_placebo` are those of the paradigm's own number: log-odds, votes or
    points. The other numbers of a row have p without tastes only.
 5. The spread of tastes is .34, `tastes_assumed`, where fewer than five judges have a counted verdict in the
    model; for votes and points it is None then.
 6. `ratio_outside_p` and p and interval of votes and points: t with the standard error of deleting one
    instance (section 16's "studentised"). Intervals of the ratio by resampling are not taken here.
 7. `odds_self_p_adjusted` is over all judges, whatever judges are shown (`judges` is what is shown), without
    tastes.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plain.asking import Query, ask, instance_of, models, named, relation
from plain.conditional import Estimate, Parameter, Placebo, Stratum, estimates, fit, placebos, shrunken
from plain.contrasts import Number, Parts, Shares, as_votes, bonus, vote_gap
from plain.equal_quality import DEFAULTS as RULES
from plain.equal_quality import Rules
from plain.families import Spread, p_with_tastes, spread_of_families
from plain.families import variance_of_judge as variance_of_family_member
from plain.judged import preferred_variant
from plain.opinions import Opinion, Scores, Vote, is_kind, scores_of_opinions, scores_of_rows, verdicts, votes
from plain.resampling import benjamini_hochberg
from plain.study import PlainStudy
from plain.tastes import (
    ASSUMED,
    FEWEST_JUDGES,
    p_of_assignments,
    rank_among,
    taste_spread,
    taste_variance,
)
from plain.truth import reference_source

Fields = dict[str, Any]
EMPTY = (
    "ratio_outside", "difference_outside", "ratio_outside_family", "own_judge", "own_outside",
    "other_judge", "other_outside", "odds_self", "odds_family", "odds_common", "odds_shrunken",
    "bonus_outside", "vote_outside", "placebo_rank", "placebo_of", "taste_spread", "p_placebo",
)  # fmt: skip


class Frame(NamedTuple):
    """The models' relations, and the clusters."""

    models: list[str]
    relations: dict[tuple[str, str], str]
    clusters: Mapping[str, str]

    def outsiders(self, judge: str) -> list[str]:
        """The generators outside the judge's family."""
        return [model for model in self.models if self.relations[judge, model] == "other"]

    def relatives(self, judge: str) -> list[str]:
        """F_J."""
        return [model for model in self.models if self.relations[judge, model] == "family"]

    def family(self) -> dict[str, str]:
        """The first model of each model's family, which names it."""
        return {
            model: next(first for first in self.models if self.relations[model, first] != "other")
            for model in self.models
        }


class Tastes(NamedTuple):
    """The placebos of all judges and their summaries; `of_families` are those of section 18."""

    placebos: list[Placebo]
    spread: float | None
    variance: float | None
    assumed: bool
    judges: int = 0
    of_families: Spread = Spread()

    def of(self, judge: str) -> list[float]:
        """One judge's placebos."""
        return [placebo.theta for placebo in self.placebos if placebo.judge == judge]


class Odds(NamedTuple):
    """The conditional model's estimates for all judges."""

    each: dict[Parameter, Estimate]
    shrunken: dict[str, float]
    tastes: Tastes

    def of(self, judge: str, kind: str = "self") -> Estimate:
        """s_J or f_J."""
        return self.each.get((kind, judge), Estimate(None, reason="no_common_cells"))


def frame_of(query: Query, clusters: str = "instance") -> Frame:
    """The frame of a question."""
    names = models(query)
    relations = {(one, two): relation(query, one, two) for one in names for two in names}
    by_theme = {}
    for row in query.study.instances:
        x = row["instance_id"]
        by_theme[x] = x if clusters == "instance" else str(instance_of(query, x)["theme"])
    return Frame(names, relations, by_theme)


def spread_of(frame: Frame, placebo_values: list[Placebo], judges: list[str], *, of_odds: bool) -> Tastes:
    """The spread of tastes of the judges; with too few of them, the assumed one of log-odds."""
    few = len(judges) < FEWEST_JUDGES
    spread = (ASSUMED if of_odds else None) if few else taste_spread(placebo_values, len(judges))
    of_families = spread_of_families(placebo_values, judges, frame.family(), of_odds)
    variance = taste_variance(spread, len(judges))
    return Tastes(placebo_values, spread, variance, few, len(judges), of_families)


def common_odds(frame: Frame, opinions: Sequence[Opinion]) -> Estimate:
    """One s for all judges."""
    strata, judges = strata_of(frame, opinions)
    if not judges:
        return Estimate(None, reason="few_judges")
    return estimates(fit(strata, judges, frame.relations, common=True))["self", None]


def balanced_on_rubrics(frame: Frame, opinions: Sequence[Opinion], judge: str, kind: str) -> Estimate:
    """s_J (f_J) if other families' answers to a rubric together count as often as J's own (its relatives').

    Of the cells on which verdicts differ, as far as J judged them; a rubric without both counts not at all.
    """
    cells: dict[tuple[str, str, str], list[Opinion]] = {}
    for o in opinions:
        cells.setdefault((o.instance_id, o.rubric_id, o.generator), []).append(o)
    cells = {cell: group for cell, group in cells.items() if len({o.favourable for o in group}) == 2}
    number: dict[tuple[str, str, str], int] = {}
    for (x, rubric, generator), group in cells.items():
        if any(o.judge == judge for o in group):
            key = x, rubric, frame.relations[judge, generator]
            number[key] = number.get(key, 0) + 1
    weights = {}
    for x, rubric, generator in cells:
        near, far = number.get((x, rubric, kind), 0), number.get((x, rubric, "other"), 0)
        relation = frame.relations[judge, generator]
        if near and far and relation in (kind, "other"):
            weights[x, rubric, generator] = 1.0 if relation == kind else near / far
    strata = [
        Stratum(frame.clusters[x], generator, tuple((o.judge, o.favourable) for o in cells[cell]), weight)
        for cell, weight in weights.items()
        for x, _rubric, generator in [cell]
    ]
    judges = [model for model in frame.models if any(o.judge == model for o in opinions)]
    return estimates(fit(strata, judges, frame.relations)).get((kind, judge), Estimate(None))


def strata_of(frame: Frame, opinions: Sequence[Opinion]) -> tuple[list[Stratum], list[str]]:
    """A stratum for each cell; and the judges, none if they are too few."""
    cells: dict[tuple[str, str, str], dict[str, bool]] = {}
    for o in opinions:
        cells.setdefault((o.instance_id, o.rubric_id, o.generator), {})[o.judge] = o.favourable
    strata = [
        Stratum(
            frame.clusters[x],
            generator,
            tuple((judge, by_judge[judge]) for judge in frame.models if judge in by_judge),
        )
        for (x, _rubric, generator), by_judge in cells.items()
    ]
    judges = [judge for judge in frame.models if any(o.judge == judge for o in opinions)]
    kinless = all(frame.relations[one, two] != "other" for one in judges for two in judges)
    return strata, [] if len(judges) < 3 or kinless else judges


def odds(frame: Frame, opinions: Sequence[Opinion]) -> Odds:
    """The model of all judges' verdicts."""
    strata, judges = strata_of(frame, opinions)
    if not judges:
        none = Estimate(None, reason="few_judges")
        keys = {(kind, judge): none for judge in frame.models for kind in ("self", "family")}
        return Odds(keys, {}, Tastes([], None, None, True))
    model = fit(strata, judges, frame.relations)
    each = estimates(model)
    verdicts_of = {judge for stratum in model.strata for judge, _favourable in stratum.verdicts}
    heard = [judge for judge in judges if judge in verdicts_of]
    outside = [(judge, generator) for judge in judges for generator in frame.outsiders(judge)]
    return Odds(
        each,
        shrunken({judge: each["self", judge] for judge in judges}),
        spread_of(frame, placebos(model, outside), heard, of_odds=True),
    )


class Contrasts(NamedTuple):
    """One number of each judge from scores or votes, and its placebos."""

    each: dict[str, Number]
    tastes: Tastes


def bonuses(frame: Frame, scores: Scores) -> Contrasts:
    """`bonus_outside` of every judge."""
    judges = [model for model in frame.models if any(scorer == model for scorer, _x, _g in scores)]

    def one(judge: str, own: str) -> Number:
        return bonus(scores, frame.relations, judge, own, judges, frame.models)

    return contrasted(frame, judges, one)


def vote_gaps(
    frame: Frame,
    outcomes: Sequence[Vote],
    kinds: Mapping[tuple[str, str], list[tuple[str, str]]],
    opponents: str = "outside",
) -> Contrasts:
    """`vote_outside` of every judge; `kinds`: (judge, target) -> the (instance, other) asked for."""
    by_key = as_votes(outcomes)
    judges = [model for model in frame.models if any(vote.judge == model for vote in outcomes)]

    def one(judge: str, own: str) -> Number:
        return vote_gap(by_key, frame.relations, judge, own, kinds.get((judge, own), []), judges, opponents)

    return contrasted(frame, judges, one, of_pairs=True)


def contrasted(frame: Frame, judges: list[str], one: Any, of_pairs: bool = False) -> Contrasts:
    """The numbers and their placebos."""
    each = {judge: one(judge, judge) for judge in judges}
    placebo_values = []
    for judge in judges:
        others = 0
        for generator in frame.outsiders(judge):
            number = one(judge, generator)
            others += number.n_own
            if number.estimate.value is not None:
                placebo_values.append(
                    Placebo(judge, generator, number.estimate.value, number.estimate.se or 0.0)
                )
        if of_pairs:
            each[judge] = each[judge]._replace(n_other=others)
    return Contrasts(each, spread_of(frame, placebo_values, judges, of_odds=False))


def kinds_of_pairs(
    query: Query, outcomes: Sequence[Vote], kind: str, rules: Rules
) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """(judge, target) -> the (instance, other) of the requested kind."""
    kinds: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for vote in outcomes:
        if is_kind(query, kind, rules, vote.judge, vote.instance_id, vote.target, vote.other):
            kinds.setdefault((vote.judge, vote.target), []).append((vote.instance_id, vote.other))
    return kinds


def question(study: PlainStudy, **options: Any) -> Query:
    """The slice asked for, with all judges in it."""
    present = {row["paradigm"] for row in study.judgments}
    if options.get("paradigm") is None and present == {"score_rubric"}:
        options["paradigm"] = "score_rubric"
    if options.get("paradigm") == "score_rubric":
        options.setdefault("level", "instance")
    query = ask(study, **{**options, "judges": None})
    if query.paradigm == "pairwise" and "variant" not in options:
        query = query.with_options(variant=preferred_variant(study, "default", "forced", "forced_tie"))
    return query


def outside(
    study: PlainStudy,
    truth: str | None = None,
    pairs: str = "all",
    opponents: str = "outside",
    rules: Rules = RULES,
    clusters: str = "instance",
    seed: int = 0,
    **options: Any,
) -> tuple[list[Fields], dict[str, int]]:
    """A row for each shown judge with judged responses of its own."""
    query = question(study, **options)
    frame = frame_of(query, clusters)
    if query.paradigm == "pairwise":
        rows = rows_of_votes(query, frame, pairs, opponents, rules, seed)
    elif query.is_rubric_paradigm:
        if truth is None:
            truth = "any" if reference_source(query) is None else "failed"
        rows = rows_of_verdicts(query, frame, truth, seed)
    else:
        rows = rows_of_scores(query, frame, seed)
    return [row for row in rows if named(options.get("judges"), row["judge"])], query.left_out


def empty_row(judge: str) -> Fields:
    """A row without any number yet."""
    row = {"judge": judge, **dict.fromkeys(EMPTY), "n_own": 0, "n_other": 0, "n_outside": 0}
    return {**row, "reasons": dict.fromkeys(EMPTY, "not_in_paradigm")}


def put(row: Fields, name: str, value: Any, reason: str | None = None) -> None:
    """Fill a field; if there is no value, add the reason."""
    row[name] = value
    row["reasons"].pop(name, None)
    if value is None:
        row["reasons"][name] = reason or "undefined"


def put_tastes(row: Fields, value: float | None, tastes: Tastes, share: float | None) -> None:
    """The placebos' fields."""
    rank, of = rank_among(value, tastes.of(row["judge"]))
    put(row, "placebo_rank", rank)
    put(row, "placebo_of", of)
    put(row, "taste_spread", tastes.spread)
    put(row, "p_placebo", share)
    row["tastes_assumed"] = tastes.assumed


def p_placebo(values: Mapping[str, float | None], tastes: Tastes, seed: int) -> float | None:
    """That of the study."""
    known = {judge: value for judge, value in values.items() if value is not None}
    return p_of_assignments(list(known.values()), [tastes.of(judge) for judge in known], seed=seed)


def rows_of_verdicts(query: Query, frame: Frame, truth: str, seed: int) -> list[Fields]:
    """Shares, odds, and points by the score that verdicts make."""
    judged = verdicts(query, truth)
    everything = judged if truth == "any" else verdicts(query.with_options(), "any")
    seen = judged if truth == "any" else counted_of_any_truth(query)
    odds_fit, shared = odds(frame, judged.opinions), common_odds(frame, judged.opinions)
    points = bonuses(frame, scores_of_opinions(query.with_options(), everything.opinions))
    shown = [judge for judge in frame.models if any(o.judge == o.generator == judge for o in seen.opinions)]
    share = p_placebo({judge: odds_fit.of(judge).value for judge in shown}, odds_fit.tastes, seed)
    adjusted = dict(zip(shown, benjamini_hochberg([odds_fit.of(judge).p() for judge in shown]), strict=True))
    rows = []
    for judge in shown:
        row = empty_row(judge)
        put_shares(row, Shares(judged.opinions, frame.relations, judge), frame.relatives(judge))
        for kind in ("self", "family"):
            put_odds(row, f"odds_{kind}", odds_fit.of(judge, kind))
        put_odds(row, "odds_common", shared)
        drawn = odds_fit.shrunken.get(judge)
        put(row, "odds_shrunken", None if drawn is None else math.exp(drawn), odds_fit.of(judge).reason)
        row["odds_self_p_tastes"] = p_beside_tastes(judge, odds_fit.of(judge), odds_fit.tastes)
        row["odds_self_p_adjusted"] = adjusted.get(judge)
        put_number(row, "bonus_outside", points.each.get(judge))
        put_tastes(row, odds_fit.of(judge).value, odds_fit.tastes, share)
        rows.append(row)
    return rows


def counted_of_any_truth(query: Query) -> Any:
    """The opinions with a reference of either kind."""
    both = [verdicts(query.with_options(), truth) for truth in ("failed", "met")]
    return both[0]._replace(opinions=both[0].opinions + both[1].opinions)


def p_beside_tastes(judge: str, estimate: Estimate, tastes: Tastes) -> float | None:
    """The p of question 2: se^2 + V, V that of sections 16 and 18."""
    own = [placebo for placebo in tastes.placebos if placebo.judge == judge]
    spread = tastes.of_families
    return p_with_tastes(estimate, variance_of_family_member(own, spread, tastes.judges), spread.df)


def put_shares(row: Fields, shares: Shares, relatives: list[str]) -> None:
    """The ratio against outside judges, its parts, and that of relatives."""
    parts = shares.parts([row["judge"]])
    for name in ("own_judge", "own_outside", "other_judge", "other_outside"):
        put(row, name, getattr(parts, name), parts.reason)
    put(row, "ratio_outside", parts.ratio, parts.reason)
    put(row, "difference_outside", parts.difference, parts.reason)
    row |= {"n_own": parts.n_own, "n_other": parts.n_other, "n_outside": parts.n_outside}
    doubt = shares.log_ratio([row["judge"]])
    row |= {"ratio_outside_p": doubt.p(), "ratio_outside_se": doubt.se}
    family = shares.parts(relatives) if relatives else Parts(reason="no_relatives")
    put(row, "ratio_outside_family", family.ratio, family.reason)


def put_odds(row: Fields, name: str, estimate: Estimate) -> None:
    """An odds ratio with its interval and p."""
    put(row, name, None if estimate.value is None else math.exp(estimate.value), estimate.reason)
    reach = estimate.interval()
    row[f"{name}_low"], row[f"{name}_high"] = (None, None) if reach is None else map(math.exp, reach)
    row |= {f"{name}_p": estimate.p(), f"{name}_se": estimate.se, f"{name}_df": estimate.df}


def put_number(row: Fields, name: str, number: Number | None) -> None:
    """A number of scores or votes with its interval and p."""
    estimate = number.estimate if number is not None else Estimate(None, reason="no_common_cells")
    put(row, name, estimate.value, estimate.reason)
    row[f"{name}_low"], row[f"{name}_high"] = estimate.interval() or (None, None)
    row |= {f"{name}_p": estimate.p(), f"{name}_se": estimate.se}


def rows_of_scores(query: Query, frame: Frame, seed: int) -> list[Fields]:
    """Points of direct assessments and of score rubrics."""
    scores, _missing = scores_of_rows(query)
    shown = [judge for judge in frame.models if any(j == g == judge for j, _x, g in scores)]
    return rows_of_contrasts(shown, bonuses(frame, scores), "bonus_outside", seed)


def rows_of_votes(
    query: Query, frame: Frame, kind: str, opponents: str, rules: Rules, seed: int
) -> list[Fields]:
    """Votes of pairs."""
    outcomes, _missing = votes(query)
    shown = [judge for judge in frame.models if any(v.judge == v.target == judge for v in outcomes)]
    kinds = kinds_of_pairs(query, outcomes, kind, rules)
    return rows_of_contrasts(shown, vote_gaps(frame, outcomes, kinds, opponents), "vote_outside", seed)


def rows_of_contrasts(shown: list[str], contrasts: Contrasts, name: str, seed: int) -> list[Fields]:
    """The rows of the only number that scores or votes have."""
    values = {judge: contrasts.each[judge].estimate.value for judge in shown}
    share = p_placebo(values, contrasts.tastes, seed)
    rows = []
    for judge in shown:
        row, number = empty_row(judge), contrasts.each[judge]
        put_number(row, name, number)
        row |= {"n_own": number.n_own, "n_other": number.n_other, "n_outside": number.n_outside}
        row[f"{name}_p_tastes"] = p_beside_tastes(judge, number.estimate, contrasts.tastes)
        put_tastes(row, values[judge], contrasts.tastes, share)
        rows.append(row)
    return rows
