"""`familiarity-score`: whether a judge's own responses are likelier to it, and what that explains.

Familiarity is the mean log-probability per token that a response has under the judge (Wataoka et al. 2024).
"""

import numpy as np

from engine.arrays.view import SliceView
from engine.measures import entry
from engine.measures.causes.recognition_score import FEWEST, rho_column
from engine.measures.columns import HANGS, judge_columns, mean_column, student_t_column
from engine.measures.entry import DELETED, OF_JUDGE, SMALL, Measure, Option
from engine.measures.outside.outside_points import relevant_left_out
from engine.measures.rows import FEW, Column, Options, Table, first_reason, stack
from engine.measures.scorecard.familiarity_cases import FamiliarityCases, cases_of_judge
from engine.measures.without_reference import without_reference
from engine.paradigms import COMPARABLE, LIKELIHOOD_PARADIGMS
from engine.stats import Bools, Floats
from engine.stats.intervals.bootstrap import resample
from engine.stats.intervals.delete_one import error_of_deleting
from engine.stats.pairs.familiarity import effects, moments
from engine.stats.ratios import rate

_EFFECTS = {
    "own_effect": "own",
    "own_effect_held": "held",
    "explained": "explained",
    "familiarity_effect": "familiarity",
}


def familiarity_table(view: SliceView, options: Options) -> Table:
    """Return a row for each judge whose familiarity with responses is known.

    `familiarity_gap` is the mean over instances of its own response's mean log-probability less the mean of
    those of generators outside its family. The effects are those of `engine.stats.self_preference` on how far
    its verdicts go beyond those of judges outside the family: its score less their mean on the same response,
    or its vote less theirs on the same pair. `preference_rho` is Spearman's rho of familiarity with that,
    both within instances, or within pairs, each of which counts both ways round.
    """
    weights = view.weights
    logprobs = view.scored.judge.values
    own, other = view.relations.self_mask, view.relations.unrelated_mask
    own_mean, other_mean = (_means(logprobs, mask) for mask in (own, other))
    both = ~np.isnan(own_mean) & ~np.isnan(other_mean)
    number = both.astype(np.int64)
    has_own = np.asarray((~np.isnan(own_mean)).any(axis=1))
    why = first_reason(
        (~has_own, "no_own_responses"), (np.asarray(~both.any(axis=1)), "no_response_of_others")
    )
    cases = cases_of_judge(view, options)
    columns = {
        **judge_columns(view),
        "familiarity_gap": mean_column(np.where(both, own_mean - other_mean, 0.0), number, weights, why),
        "familiarity_own": mean_column(np.where(both, own_mean, 0.0), number, weights, why),
        "familiarity_other": mean_column(np.where(both, other_mean, 0.0), number, weights, why),
        "n_own": Column(number.sum(axis=1)),
        "n_other": Column((both[:, None] & other[..., None] & ~np.isnan(logprobs)).sum(axis=(1, 2))),
        "preference_rho": stack([_rho_of_cases(view, each) for each in cases]),
        **_effects(view, cases, has_own),
        "n_cases": Column([len(each.o) for each in cases]),
        "small": Column(list(number.sum(axis=1) < FEW)),
    }
    keep = np.asarray((~np.isnan(logprobs)).any(axis=(1, 2)))
    return Table(columns, keep, int(both.any(axis=0).sum()), relevant_left_out(view))


def _means(values: Floats, mask: Bools) -> Floats:
    """Return the means over the marked generators of the values there are, shape (judges, instances)."""
    present = mask[..., None] & ~np.isnan(values)
    return rate(np.where(present, values, 0.0).sum(axis=1), present.sum(axis=1))


def _rho_of_cases(view: SliceView, cases: FamiliarityCases) -> Column:
    f, v, instance = cases.f, cases.v, cases.instance
    if cases.of_pairs and len(f) >= FEWEST:  # both ways round, so that neither way decides the ranks
        f, v = (np.concatenate([part, -part]) for part in (f, v))
        instance = np.concatenate([instance, instance])
    return rho_column(view, f, v, instance, "few_cases_to_rank")


def _effects(view: SliceView, cases: list[FamiliarityCases], has_own: Bools) -> dict[str, Column]:
    """Return the slopes with the errors of deleting one instance at a time."""
    n_instances = view.study.index.n_instances
    by_instance = np.stack([moments(c.o, c.f, c.v, c.instance, n_instances) for c in cases])
    total = by_instance.sum(axis=-1)
    estimates = effects(total)
    without = effects(np.moveaxis(total[..., None] - by_instance, -1, 0))
    deletions = (by_instance != 0).any(axis=1).sum(axis=-1)
    draws = None if view.weights is None else effects(resample(by_instance, view.weights))
    clusters = (by_instance[:, 0] > 0).sum(axis=-1)
    reasons = first_reason(
        (~has_own, "no_own_responses"),
        (np.array([len(each.o) == 0 for each in cases]), "no_verdict_beside"),
        (total[:, 0] == 0, "no_own_verdict_beside"),
        (np.isnan(estimates.held), "familiarity_follows_authorship"),
    )
    columns = {}
    for name, slope in _EFFECTS.items():
        value = getattr(estimates, slope)
        columns[name] = Column(value, reasons=reasons)
        if draws is not None:
            se = error_of_deleting(value, getattr(without, slope), deletions)
            columns[name] = student_t_column(value, se, clusters - 1, getattr(draws, slope), reasons, HANGS)
    return columns


FAMILIARITY = Measure(
    name="familiarity-score",
    title="Familiarity",
    question="Are its own answers more likely to a judge than others', and is that why it prefers them?",
    formula=(
        "gap = mean over questions of (own answer's mean log-probability per token - mean of "
        "others'); own effect = slope on authorship of the judge's verdict minus other judges', "
        "without and with familiarity held constant"
    ),
    paper="Wataoka et al. 2024 (Self-preference bias in LLM-as-a-judge); the effects are this project's",
    left_out="answers of its family's other models; answers without a log-probability",
    function=familiarity_table,
    prepare=without_reference,
    chart="familiarity-score",
    headline="familiarity_gap",
    paradigms=LIKELIHOOD_PARADIGMS,
    empty="the study holds no log-probabilities of answers",
    options=(
        Option(
            "verdicts",
            "name",
            "the paradigm whose verdicts are compared (default: the first that the study has)",
            None,
            COMPARABLE,
        ),
    ),
    intervals={
        DELETED: (
            *("familiarity_gap", "familiarity_own", "familiarity_other", "own_effect", "own_effect_held"),
            *("explained", "familiarity_effect"),
        )
    },
    fields=(
        *OF_JUDGE,
        entry.difference(
            "familiarity_gap",
            "familiarity_own - familiarity_other; above 0 its own answers are more likely to it",
            "number",
        ),
        entry.estimate("familiarity_own", "mean log-probability per token of its own answers"),
        entry.estimate("familiarity_other", "mean log-probability per token of other families' answers"),
        entry.difference(
            "own_effect",
            "how far its verdicts exceed other judges' on its own answers, minus the same on others'",
        ),
        entry.difference("own_effect_held", "own_effect among answers of equal familiarity"),
        entry.difference(
            "explained", "own_effect - own_effect_held: the part of own_effect that familiarity explains"
        ),
        entry.difference(
            "familiarity_effect",
            "rise of its verdicts per unit of log-probability, with authorship held constant",
        ),
        entry.estimate(
            "preference_rho",
            "Spearman's rho of familiarity and its verdicts minus other judges', within questions",
        ),
        entry.count("n_own", "own answers with a log-probability, on questions that also have another's"),
        entry.count("n_other", "other families' answers compared with"),
        entry.count(
            "n_cases",
            (
                "answers (or pairs) with a log-probability and verdicts of the judge and of judges of "
                "other families"
            ),
        ),
        SMALL,
    ),
)
