"""The options of `spb plan simulate`, with the kinds of study that take each."""

import inspect
from typing import Annotated, Any, NamedTuple

import typer

from engine.cli.options import NewStudyArgument, ReplaceOption, StoreOption, parameter
from engine.cli.printing.rows import RowFormatOption

KINDS = ("rubrics", "pairs", "orders")
CRITERIA = "criteria"
"""Another word for the first kind."""
_RUBRICS, _PAIRS, _ORDERS = ((kind,) for kind in KINDS)

Names = list[str] | None
Number = float | None


class _Option(NamedTuple):
    name: str
    type: Any
    default: Any
    kinds: tuple[str, ...]
    """The kinds of study that take the option."""


OPTIONS = {
    _Option(
        "kind", str, "rubrics", KINDS
    ): "What to simulate: criteria (or `rubrics`); pairs (of equal quality, with "
    "preferences); orders (of options and lists).",
    _Option("instances", int, 200, KINDS): "Number of questions; for orders, of each kind.",
    _Option("rubrics_per_instance", int, 6, _RUBRICS + _ORDERS): "Criteria per question.",
    _Option("judges", Names, None, KINDS): "Names of the judges, or their number (default: 9).",
    _Option("generators", Names, None, _RUBRICS): "Names of the models, or their number (default: the "
    "judges).",
    _Option("families", Names, None, KINDS): "Family of each judge, then of each model that is not a "
    "judge (default: the name up to its first hyphen).",
    _Option("biased", Names, None, KINDS): "Judges with the planted bias (default: all). Where --judges is a "
    "number, names are family and place: f1-1, f1-2, f1-3, f2-1 and so on.",
    _Option(
        "self_ratio", float, 1.0, _RUBRICS + _ORDERS
    ): "How many times as likely a judge passes criteria that its own answer failed.",
    _Option(
        "family_ratio", float, 1.0, _RUBRICS
    ): "How many times as likely a judge passes criteria that its family's answers failed.",
    _Option(
        "bias_on", str | None, None, _RUBRICS
    ): "Where the ratios apply, such as polarity=negative, length=extreme, length=10:80, theme=T or axis=A.",
    _Option(
        "elsewhere", float, 0.0, _RUBRICS
    ): "With --bias-on: share of the ratios' excess over 1 that applies elsewhere.",
    _Option(
        "hard_items", float, 1.0, _RUBRICS
    ): "How many times as likely a judge passes, for any answer, criteria that it fails itself.",
    _Option("overestimation", float, 0.2, _RUBRICS): "Probability that a failed criterion is passed.",
    _Option("underestimation", float, 0.06, _RUBRICS): "Probability that a met criterion is failed.",
    _Option("first_bias", Number, None, _RUBRICS + _PAIRS): "Of pairs that flip with the order, the share "
    "that goes to the answer shown first (for criteria: 0.6).",
    _Option(
        "paradigms", Names, None, _RUBRICS
    ): "Paradigms: single_rubric, all_rubrics, direct_assessment, pairwise (default: all).",
    _Option(
        "spb", Number, None, _PAIRS
    ): "Pairs: SPB of the biased judges (default: one of the archetypes in turn).",
    _Option("beyond", Number, None, _PAIRS): "Pairs: T of the biased judges in the quality baseline.",
    _Option("options", int, 5, _ORDERS): "Orders: number of score options.",
    _Option(
        "pull", Number, None, _ORDERS
    ): "Orders: how many times as likely the first option of a list is picked as the last.",
    _Option(
        "slope", Number, None, _ORDERS
    ): "Orders: how much more likely the last criterion of a list is passed than the first, from -1 to 1.",
    _Option(
        "lists", Names, None, _ORDERS
    ): "Orders: orders in which lists are shown (default: original, reversed, rotated-3).",
    _Option("unparsed", float, 0.01, KINDS): "Share of answers that cannot be parsed.",
    _Option("refused", float, 0.0, KINDS): "Share of answers that are refused.",
    _Option("seed", int, 0, KINDS): "Random seed.",
    _Option("title", str | None, None, KINDS): "Title of the study.",
}
"""The options with their help."""


def simulate_parameters() -> list[inspect.Parameter]:
    return [
        parameter("context", typer.Context, inspect.Parameter.empty),
        parameter("study", NewStudyArgument, inspect.Parameter.empty),
        parameter("store", StoreOption, None),
        *(
            parameter(option.name, Annotated[option.type, typer.Option(help=text)], option.default)
            for option, text in OPTIONS.items()
        ),
        parameter("replace", ReplaceOption, False),
        parameter("format", RowFormatOption, "table"),
    ]
