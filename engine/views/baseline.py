"""The quality baseline and the DBG score: votes for own answers, beyond what their quality explains."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.measures.result import Result
from engine.measures.row_kinds import opponent_rows, pooled_rows
from engine.views.drawing import figure_of_judges, figure_of_panels
from engine.views.equal_quality import IDLE
from engine.views.keys import Filters, choice, choices_in, filters, needs_pairs
from engine.views.of_measure import measure, shown_of
from engine.views.shown import Shown
from engine.views.view import View
from engine.words import pairs

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

WITHOUT_PROXIES = ("sp", "acc", "bias", "ilsp", "lsp", "n_examples")
NUMBERS = (
    *("judge", "ilsp_matched", "ilsp_updated", "ilsp_updated_p_adjusted", "relative_change"),
    *("p", "p_two_sided", "p_adjusted", "n", "small"),
    *WITHOUT_PROXIES,
)
ENTROPIES = (
    *("judge", "entropy_self", "entropy_proxy", "entropy_gap", "entropy_correlation"),
    *("proxy_win_rate", "n_proxies", "all_minus_out_of_family"),
)
SUMMARY = (
    *("scope", "n_rows", "mean_relative_change", "share_not_positive", "share_significant_adjusted"),
    *("rank_correlation", "fairness_correlation"),
)
WINS = (
    *("judge", "win_rate", "gold_win_rate", "dbg", "dbg_p_adjusted", "dbg_decided", "dbg_soft"),
    *("flip_rate", "dbg_least", "dbg_greatest", "gold_judges", "n", "n_decided"),
)
PROXIES = {"all": "every model", "out_of_family": "other families", "out_of_provider": "other providers"}
BAND = (
    "Bands are a standard error over random choices of proxies; hollow marks rest on fewer than 30 examples."
)
WINNING = pairs.Doing(
    "lets its own answer win more often than the gold judges do",
    "let their own answer win more often than the gold judges do",
)
POOLED = "all"


def win_sentences(rows: Sequence[Any]) -> tuple[str, ...]:
    """Say which judges let their own win more often, and of whom that may be one of the order."""
    texts = (pairs.preferring(rows, "dbg", WINNING), pairs.flips_beside(rows))
    return tuple(filter(None, texts))


def judges_or_all(study: "MeasuredStudy") -> Mapping[str, str]:
    return {POOLED: "all judges, pooled"} | {judge: judge for judge in choices_in(study).judges}


@dataclass(frozen=True)
class BaselineKeys:
    """The slice, which models are proxies, and the judge whose opponents are shown one by one."""

    slice_: Annotated[Filters, filters(*IDLE)]
    proxies: Annotated[
        str, choice("Proxies from", "Models that may stand in for the judge", lambda _: PROXIES)
    ]
    judge: Annotated[str, choice("By opponent, of", "One judge against each opponent", judges_or_all)]


def _options(keys: BaselineKeys, **more: Any) -> dict[str, Any]:
    return {**keys.slice_, "proxies": keys.proxies, **more}


def _baseline(study: "MeasuredStudy", keys: BaselineKeys) -> Shown:
    options = _options(keys)
    result = measure(study, "quality-baseline", options)
    rows = _rows(result, keys.judge)
    part = result.with_rows(rows) if rows else result
    caption = "ILSP before and after the baseline, ILSP and LSP, and entropies, of each judge or opponent."
    numbers = NUMBERS if any(row["n_proxies"] for row in rows) else ("judge", *WITHOUT_PROXIES)
    return shown_of(
        study,
        part,
        options,
        (numbers[0], "opponent", *numbers[1:]),
        sentences=(pairs.baseline_words(pooled_rows(result)),) if result.rows else (),
        figure=figure_of_panels(part, caption),
    )


def _rows(result: Result, judge: str) -> list[dict[str, Any]]:
    """Return the pooled rows of all judges, or those of one by opponent."""
    return pooled_rows(result) if judge == POOLED else opponent_rows(result, judge)


def _curve(study: "MeasuredStudy", keys: BaselineKeys) -> Shown:
    options = _options(keys, curves=True)
    result = measure(study, "quality-baseline", options)
    caption = "T of each judge with at most 1, 2, ... proxies drawn for each example."
    pooled = result.with_rows(pooled_rows(result))
    figure = figure_of_judges(pooled, caption, BAND)
    return shown_of(study, pooled, options, ENTROPIES, figure=figure)


def _summary(study: "MeasuredStudy", keys: BaselineKeys) -> Shown:
    options = _options(keys)
    return shown_of(
        study, measure(study, "quality-baseline", options | {"rows": "summary"}), options, SUMMARY
    )


def _dbg(study: "MeasuredStudy", keys: BaselineKeys) -> Shown:
    result = measure(study, "dbg", keys.slice_)
    rows = _rows(result, keys.judge)
    part = result.with_rows(rows) if rows else result
    caption = "Share of pairs that the judge lets its own answer win, and that gold judges do; DBG."
    return shown_of(
        study,
        part,
        keys.slice_,
        (WINS[0], "opponent", *WINS[1:]),
        sentences=win_sentences(pooled_rows(result)) if result.rows else (),
        figure=figure_of_panels(part, caption),
    )


BASELINE = View(
    "baseline",
    "Quality baseline",
    "Does a judge vote for its own worse answers more than for equally bad ones of other models?",
    BaselineKeys,
    _baseline,
    needs_pairs,
)
BASELINE_CURVE = View(
    "baseline_curve",
    "By number of proxies",
    "Does it matter how many proxies there are?",
    BaselineKeys,
    _curve,
    needs_pairs,
)
BASELINE_SUMMARY = View(
    "baseline_summary",
    "Over all rows",
    "How much of the preference does the baseline explain?",
    BaselineKeys,
    _summary,
    needs_pairs,
)
DBG = View(
    "dbg",
    "For comparison: the DBG score",
    "Does a judge let its own answer win more often than the gold judges do?",
    BaselineKeys,
    _dbg,
    needs_pairs,
)
