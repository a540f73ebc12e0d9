"""The rows of a result with the fields of its measure, so that a type checker refuses a wrong name.

The types are generated from the fields (`engine.measures.row_types`); at run time rows are what they are in
`Result.rows`.
"""

from typing import TYPE_CHECKING, cast

from engine.measures.result import Result

if TYPE_CHECKING:
    from engine.measures.row_types import ExpectedRow, ScorecardRow


def scorecard_rows(result: Result) -> "list[ScorecardRow]":
    """Return the rows of `scorecard`: first, where there is one, that of the judges together."""
    return cast("list[ScorecardRow]", result.rows)


def expected_rows(result: Result) -> "list[ExpectedRow]":
    """Return the rows of `expected`."""
    return cast("list[ExpectedRow]", result.rows)
