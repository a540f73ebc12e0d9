"""The result of a measure: rows, the filters, what was left out, and why a number is missing."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import NoneType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from engine.measures.entry import Measure
from engine.values import quantity

if TYPE_CHECKING:
    import pandas as pd


# ------------------------------------------------------------------------------
# Why a number is missing: what each code in the `reasons` of a row means.

REASONS = {  # the codes and their meanings, in a few words that follow a dash
    # Who there is to compare.
    "no_own_responses": "no responses of its own",
    "no_own_failures": "its own responses failed no rubric",
    "no_relatives": "no other model of its family",
    "no_failures_of_relatives": "its family's responses failed no rubric",
    "no_failures_of_family": "its family's responses failed no rubric",
    "no_others": "no generator of another family",
    "no_failures_of_others": "other families' responses failed no rubric",
    "no_overestimation_of_others": "it overestimated no other family's response",
    "no_overestimation": "it overestimated nothing",
    "no_matched_rubrics": "no rubric failed by both its own and another response",
    "no_judge_with_a_ratio": "no judge has a defined ratio",
    "too_few_members": "fewer than three members remain",
    "no_committee_with_a_ratio": "no committee of this size has a defined ratio",
    "nobody_to_judge": "none of these judges gave a verdict",
    # Judges outside the family.
    "no_outside_judge": "no judge of another family",
    "no_common_own_cell": "no outside judge judged its own responses",
    "no_common_cell": "it and an outside judge have not both judged responses of a third family",
    "no_common_pair": "no pair was judged by both the judge and an outside judge",
    "outside_judges_credit_none": "one side passes nothing",
    "fewer_than_three_judges_or_one_family": "fewer than three judges, or all of one family",
    "no_own_cells": "no verdict on its own responses",
    "no_cells_of_relatives": "no verdict on its family's responses",
    "no_own_cell_disputed": "all judges agree on its own responses",
    "no_disputed_cell_of_relatives": "all judges agree on its family's responses",
    "all_own_verdicts_alike": "where judges differ, its own verdicts on itself are all the same",
    "all_verdicts_on_relatives_alike": "where judges differ, its verdicts on its family are all the same",
    "separated": "the odds are infinite: the verdicts separate completely",
    "not_identified": "no cell separates it from other preferences",
    "one_instance_disputed": "judges differ on only one instance",
    "hangs_on_one_instance": "undefined when any single instance is left out",
    "too_few_judges_for_tastes": "too few judges to estimate tastes",
    "no_placebo": "no other generator to compare with",
    # Corrected scores.
    "too_few_labels": "fewer than 3 instances with a reference",
    "labels_do_not_suffice": "no number of references would be enough on these instances",
    "several_judges": "several judges' errors are not independent",
    "no_rates": "no error rates for such responses",
    "nothing_unlabelled": "every instance has a reference",
    # Conclusions.
    "few_instances": "own responses from fewer than 10 instances",
    "few_pairs": "fewer than 20 pairs with its own response",
    "few_credited": "too few own cases: fewer than 5 expected passes",
    "few_uncredited": "too few own cases: fewer than 5 expected failures",
    "missing_verdicts": "missing verdicts could change the result",
    "same_items": "it is not clear on the same criteria",
    "discernment": "it may tell good responses from bad less, or more, clearly than other judges do",
    "few_families": "with fewer than six families, a taste shared by a family can look like self-preference",
    "discernment_untold": "too few other judges or generators to measure its discernment by",
    "not_for_lack_of_cases": "given only where cases are lacking",
    "not_detectable": "the study would show only a very large preference",
    "within_tastes": "judges' tastes could explain it",
    "tastes_unknown": "too few judges or families to tell judges' tastes",
    "shared_taste": "a taste that judges share could explain it",
    "adjustment": "not significant after adjustment for the number of judges",
    "all_own_cases_alike": "it passed all of these cases, or none",
    "no_placebos": "no other family's responses to compare with",
    "t_test": "the families' mean does not differ clearly from none",
    "permutation": "assigned to other families' responses, families differ as much",
    "too_few_families": "fewer than four families",
    "of_the_group": "given only for the judges together",
    "not_of_the_group": "given only for single judges",
    "no_themes": "the study has no themes, only one, or more than 50",
    "undecided": "the data fit both",
    "concluded": "a conclusion is reached",
    "not_standing": "given only for conclusions of self-preference",
    "nothing_asked": "nothing was asked there",
    "many_judges": "computed for at most 20 judges at a time; choose fewer judges",
    "many_verdicts": "computed for at most 2 million verdicts at a time; choose a slice",
    "no_outside_judges": "there is no judge of another family, so all judges may share its preference",
    "strictness": "judges may differ in how strictly they treat good and bad responses",
    "family_in_reference": "its family is part of the reference",
    # Verdicts, references and scores.
    "no_verdicts": "no verdicts",
    "no_verdict_with_a_reference": "no verdict has a reference",
    "no_comparison_with_a_reference": "no comparison has a reference",
    "no_favourable_reference": "the reference passes nothing in this slice",
    "no_unfavourable_reference": "the reference fails nothing in this slice",
    "no_rubrics": "no rubrics",
    "no_score_by_both": "no response scored by both judge and reference",
    "no_own_or_other_scores": "no scores of its own responses, or of other families'",
    "no_relatives_or_others": "no scores of its family's responses, or of other families'",
    "no_instance_with_all_scores": "no instance on which every generator has a score",
    "fewer_than_two_models_with_both_scores": "fewer than two models ranked by both, or all tied",
    "no_complete_instance": "no instance on which every generator has a score",
    "no_reference": "no reference",
    "reference_tie": "the reference is split",
    # Responses that were changed.
    "no_own_case": "no own response judged both as written and changed",
    "no_case_of_others": "no response of another family judged both as written and changed",
    "no_side_to_rise": "both responses of a pair are changed in the same way",
    # Recognition.
    "few_pairs_to_rank": "fewer than 10 pairs with both answers",
    # Familiarity.
    "no_response_of_others": "no response of another family on the same instances",
    "no_verdict_beside": "no verdicts of the judge and an outside judge on responses with a log-probability",
    "no_own_verdict_beside": "none of these verdicts is on its own response",
    "familiarity_follows_authorship": "familiarity and authorship coincide completely",
    "few_cases_to_rank": "fewer than 10 cases with both values",
    # Lists of responses.
    "no_outside_rank": "no judge of another family ranked its response in the same list",
    "no_list": "no list is ranked completely",
    # Pairs of responses.
    "no_pairs": "no pairs",
    "no_equal_quality_pair": "no pair of equal quality with its own response",
    "no_null_pair": "no pair of equal quality between others",
    "no_pair_of_relatives": "no pair of equal quality with its family's response",
    "no_contrast_pair": "no pair of others' responses that clearly differ in quality",
    "no_own_response_with_a_quality": "none of its own responses has a quality score",
    "no_quality": "no quality scores",
    "order_missing": "no pair was shown in both orders",
    "no_pair_with_two_winners": "no pair has a winner named in both orders",
    "no_flips": "no pair has different winners in the two orders",
    "no_choice_changed": "no choice changed",
    "no_judge_significant": "no judge's preference is significant",
    "all_choices_alike": "all choices are the same",
    "null_pir_is_0_or_1": "Null-PIR is 0 or 1",
    "spb_is_zero": "SPB is 0",
    "spb_baseline_is_zero": "SPB of the baseline is 0",
    "no_costs_stored": "no costs are stored",
    # The evaluator quality baseline and DBG.
    "no_example": "no example",
    "no_example_that_it_lost": "no example that its own response lost",
    "no_example_that_it_won": "no example that its own response won",
    "no_example_lost_or_none_won": "no example lost, or none won",
    "no_example_with_a_proxy": "no example has a proxy",
    "no_proxy_outside_the_family": "no proxy outside the family",
    "one_example_with_a_proxy": "only one example has a proxy",
    "all_differences_alike": "all differences are the same",
    "ilsp_matched_is_zero": "the matched ILSP is 0",
    "no_row_with_a_proxy": "no row has a proxy",
    "no_row_tested": "no row was tested",
    "not_asked_for": "not requested",
    "no_item": "no item",
    "no_item_decided": "no item was decided",
    "no_probabilities": "no probabilities are stored",
    "too_many_gold_judges": "too many gold judges to try every panel",
    "no_gold_judges": "no gold judges; the reference decides",
    "not_recorded": "not recorded",
    "pooled": "all opponents together",
    # Orders.
    "one_option": "only one option",
    "no_items": "no items",
    "one_answer_for_each_item": "only one answer per item",
    "whole_list": "whole list",
    "not_of_pairs": "does not apply to pairs",
    "not_of_lists": "does not apply to lists of rubrics",
    # Over judges, agreement, and numbers that only some rows have.
    "fewer_than_3_examples_or_a_constant_side": "fewer than 3 examples, or one side never varies",
    "fewer_than_3_items_or_a_constant_side": "fewer than 3 items, or one side never varies",
    "fewer_than_3_rows_or_a_constant_side": "fewer than 3 rows, or one side never varies",
    "no_cases": "no cases",
    "too_few_expected": "too few cases to expect one on each side",
    "few_cases": "fewer than 5 cases on one side",
    "judge_does_not_tell_apart": "the judge passes good and bad responses equally often",
    "undefined_for_these_counts": "not defined for these counts",
    "of_another_kind": "belongs to another kind of score",
    "one_item": "only one item",
    "scores_have_alpha_only": "kappa is not defined for scores; see alpha",
    "labels_all_alike": "all labels are the same",
    "fewer_than_two_labels_of_an_item": "no item has two labels",
    "kind_without_equal_label": "labels of this kind do not say whether responses are equal",
    "kind_without_automatic_label": "pairs of this kind have no automatic label",
    "no_pair_with_both_labels": "no pair has both labels",
    "no_repeats": "nobody was asked twice",
    "tells_of_something_else": "does not measure self-preference",
    "rubric_level_only": "at rubric level only",
    "instance_level_only": "at instance level only",
    "not_of_these_judgments": "does not apply to these judgments",
    "row_of_means": "not averaged",
    "row_of_family": "given for judges only",
    "row_of_judge": "given for families only",
    "one_judge_of_family": "one judge of the family scored its responses",
    # Judges and people, and which judge to use.
    "errors_all_alike": "no two members err on rubrics that both judged",
    "fewer_than_three_people_with_30_instances": "fewer than three people with 30 instances each",
    "no_two_people_share_items": "no two people judged the same items",
    "no_people": "no people judged the same items",
    "not_known_of_its_own": "no number on its own responses",
    "not_known_of_its_family": "no number on its family's responses",
    "not_judged_in_both_orders": "no pairs judged in both orders",
    "no_judgments": "no judgments",
    "no_interval": "no interval",
    "all_judges": "all judges together",
    "row_of_one_judge": "given for the mean only",
    "row_of_the_judge": "all generators together",
    "on_the_judges_own_row": "given on the judge's own row",
    "filters_suffice": "the filters alone open it",
    # Intervals, tests and differences.
    "no_resamples": "no resamples",
    "too_many_undefined_resamples": "too few cases for an interval",
    "too_few_instances": "too few instances for a p-value",
    "not_a_ratio": "not a ratio; see the difference",
    "denominator_is_zero": "side B is 0",
    "undefined": "not defined",
}


def meaning(code: str | None) -> str:
    """Return what a code means; for one that is not declared, its own words."""
    return REASONS.get(code or "undefined", (code or "").replace("_", " "))


# ------------------------------------------------------------------------------
# The result of a measure: rows, with the filters that applied and what was left out.

Rows = list[dict[str, Any]]
Cells = list[Any] | NDArray[Any]
"""A column: plain values, None where undefined, or an array of numbers, NaN where undefined."""

Values = dict[str, Cells]


def plain_values(column: Cells) -> list[Any]:
    """Return the values of a column as JSON can hold them, None where undefined."""
    if not isinstance(column, np.ndarray):
        return column
    values: list[Any] = column.tolist()
    return [None if value != value else value for value in values] if column.dtype.kind == "f" else values


@dataclass(frozen=True, eq=False)
class Result:
    """The values of a measure by column, read as columns or as rows; without any, `reason` says why."""

    measure: Measure
    study: str
    filters: dict[str, Any]
    values: Values
    left_out: dict[str, int]
    reason: str | None
    by: str | None = None

    def __repr__(self) -> str:
        """Return what was measured, and how many rows there are or why there are none."""
        rows = quantity(len(self.rows), "row") if self.rows else f"no rows: {self.reason}"
        return f"<{type(self).__name__}: {self.measure.name} of {self.study}, {rows}>"

    def __eq__(self, other: object) -> bool:
        """Compare what is said of a result and its rows, which arrays alone could not."""
        parts = ("measure", "study", "filters", "rows", "left_out", "reason", "by")
        same_kind = isinstance(other, Result) and type(other) is type(self)
        return same_kind and all(getattr(self, part) == getattr(other, part) for part in parts)

    __hash__ = None  # type: ignore[assignment] # it holds what changes

    @cached_property
    def rows(self) -> Rows:
        """The rows, each a value by column."""
        return [dict(zip(self.values, row, strict=True)) for row in self._lines()]

    def _lines(self) -> Iterator[tuple[Any, ...]]:
        return zip(*map(plain_values, self.values.values()), strict=True)

    def with_rows(self, rows: Rows) -> Self:
        """Return the result with other rows, which all have the same columns."""
        return replace(self, values=columns_of(rows))

    @property
    def columns(self) -> list[str]:
        """The columns of the rows, `reasons` last."""
        if self.values:
            return list(self.values)
        declared = [name for field in self.measure.fields for name in field.columns()]
        return [*(["slice"] if self.by else []), *declared, "reasons"]

    def json(self) -> str:
        """Return the one object that `--format json` prints."""
        parts = ("study", "filters", "rows", "left_out", "reason")
        document = {"measure": self.measure.name} | {part: getattr(self, part) for part in parts}
        return json.dumps(document, ensure_ascii=False, allow_nan=False)

    def csv(self) -> str:
        """Return the rows as CSV: null is an empty cell, lists and reasons are joined by `; `."""
        lines = [_line(self.columns)]
        lines += [_line([_cell(value) for value in row]) for row in self._lines()]
        return "".join(f"{line}\n" for line in lines)

    def frame(self) -> "pd.DataFrame":
        """Return the rows as a pandas frame; `attrs` holds filters, left_out and reason."""
        import pandas as pd

        columns = {name: _array(self.values.get(name, [])) for name in self.columns}
        frame = pd.DataFrame(columns, copy=False)
        parts = ("study", "filters", "left_out", "reason")
        frame.attrs |= {"measure": self.measure.name} | {part: getattr(self, part) for part in parts}
        return frame


def columns_of(rows: Rows) -> Values:
    """Return the values of rows by column; none where there is no row."""
    return {name: [row[name] for row in rows] for name in rows[0]} if rows else {}


def _array(column: Cells) -> Any:
    """Return the array that pandas would make of a column's plain values, without its type inference."""
    if isinstance(column, np.ndarray):
        empty = not len(column) or (column.dtype.kind == "f" and np.isnan(column).all())
        return np.full(len(column), None, dtype=object) if empty else column.copy()
    kinds = set(map(type, column))
    if kinds == {int} or kinds == {bool}:
        return np.array(column)
    if kinds & {int, float} and kinds <= {int, float, NoneType}:
        return np.array(column, dtype=np.float64)
    if kinds <= {dict, NoneType}:
        return np.fromiter(column, dtype=object, count=len(column))
    return column


def _line(cells: Sequence[Any]) -> str:
    """Return the cells as a line of CSV without its end; a cell with any line break is quoted."""
    text = io.StringIO(newline="")
    csv.writer(text).writerow(cells)  # with "\n" as the line end, a lone "\r" stays unquoted
    return text.getvalue().removesuffix("\r\n")


def _cell(value: Any) -> Any:
    if isinstance(value, dict):
        return "; ".join(f"{name}={code}" for name, code in value.items())
    if isinstance(value, list):
        return "; ".join(str(item) for item in value)
    return value


# ------------------------------------------------------------------------------
# Selections of a result's rows, for measures that have rows of several kinds.


def pooled_rows(result: Result) -> Rows:
    return [row for row in result.rows if row["opponent"] is None]


def opponent_rows(result: Result, judge: str) -> Rows:
    """Return a judge's rows, one for each opponent."""
    return [row for row in result.rows if row["judge"] == judge and row["opponent"] is not None]


def scales(result: Result) -> tuple[str, ...]:
    sizes = {str(row["scale"]): row["n_options"] for row in result.rows}
    return tuple(sorted(sizes, key=lambda scale: -sizes[scale]))


def scale_rows(result: Result, scale: str) -> Rows:
    return [row for row in result.rows if row["scale"] == scale]
