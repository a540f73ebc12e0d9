"""The cost of a planned study: calls, tokens and dollars of each way of judging."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

from engine.explore.planned_cost import WAYS, Prices, cost_of
from engine.views.keys import Key, number
from engine.views.power import PLAN, PowerKeys, plan_of, sizes_of
from engine.views.shown import Shown, ShownTable
from engine.views.view import View
from engine.words.plain_names import paradigm_name
from engine.words.planned_for import PLANNED_FOR

if TYPE_CHECKING:
    from engine.measures.measured_study import MeasuredStudy

COLUMNS = {
    "target": ("Detected", "What the study is to detect"),
    "way": ("Judged by", "The paradigm"),
    "calls": ("Calls", ""),
    "tokens_in": ("Tokens in", "Sent, of all calls"),
    "tokens_out": ("Tokens out", "Received, of all calls"),
    "dollars": ("US dollars", "At the judges' mean price"),
    "meaning": ("What a call is", ""),
}

ASSUMED = (
    "Every call succeeds the first time, at the judges' mean price. A call on a pair reads twice as many "
    "tokens; a call on all criteria writes an answer for each."
)


def _of_prices(name: str, label: str, meaning: str, high: float, step: float) -> Key:
    """Return the key of a price or of a number of tokens."""
    usual: float = asdict(Prices())[name]
    return number(label, meaning, 0, high, step=step, usual=lambda *_: usual)


@dataclass(frozen=True)
class PlannedCostKeys(PowerKeys):
    """The assumptions about a planned study, and the tokens and prices of its calls."""

    plan_tokens_in: Annotated[
        float,
        _of_prices("tokens_in", "Tokens in", "Tokens sent in one call on one criterion", 1_000_000, 100),
    ]
    plan_tokens_out: Annotated[
        float, _of_prices("tokens_out", "Tokens out", "Tokens received in return", 1_000_000, 10)
    ]
    plan_price_in: Annotated[
        float,
        _of_prices("price_in", "Dollars per million tokens in", "The mean over judges", 1000, 0.1),
    ]
    plan_price_out: Annotated[
        float,
        _of_prices("price_out", "Dollars per million tokens out", "The mean over judges", 1000, 0.1),
    ]


def answer(_: "MeasuredStudy", keys: PlannedCostKeys) -> Shown:
    """Show what each way of judging costs for each target."""
    plan, sizes = plan_of(keys), sizes_of(keys)
    prices = Prices(**{name: getattr(keys, PLAN + name) for name in asdict(Prices())})
    records = [
        {"target": PLANNED_FOR[target].title, "meaning": WAYS[way]} | asdict(cost_of(way, plan, size, prices))
        for target, size in sizes.items()
        for way in WAYS
    ]
    return Shown(table=ShownTable.under(COLUMNS, map(_cells, records), records), basis=(ASSUMED,))


def _cells(record: Mapping[str, Any]) -> tuple[str, ...]:
    words = {
        "way": paradigm_name(record["way"]),
        "dollars": f"{record['dollars']:,.2f}",
        **{name: f"{record[name]:,.0f}" for name in ("calls", "tokens_in", "tokens_out")},
    }
    return tuple(str(words.get(name, record[name])) for name in COLUMNS)


PLANNED_COST = View(
    "planned_cost", "What it would cost", "What does a planned study cost?", PlannedCostKeys, answer
)
