"""Computes each result of a study once for all tests of what is shown of it.

Tests of pages, reports, findings and commands ask for the same numbers of the same studies again and again.
How numbers are computed has tests of its own (measures, stats, plain), which compute everything anew.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.measures import compute
from engine.measures.result import Result

FOLDERS = frozenset(
    {
        *("atlas", "charts", "cli", "documentation", "explore", "explorer", "findings", "pinned", "report"),
        *("views", "words"),
    }
)
"""The tests whose results are computed once for each worker."""


class ComputedOnce:
    """In the place of what computes the rows of a request, while tests of `FOLDERS` run."""

    def __init__(self) -> None:
        self.active = False
        self._compute_rows = compute._rows
        self._results: dict[tuple[object, ...], Result] = {}

    def begin(self, test: pytest.Item) -> None:
        parts = Path(test.path).relative_to(Path(__file__).parent).parts
        self.active = parts[0] in FOLDERS

    def __call__(
        self, study: Any, measure: Any, spec: Any, filters: Any, options: Any, **how: bool
    ) -> Result:
        if not self.active or study.files.location.in_memory:
            return self._compute_rows(study, measure, spec, filters, options, **how)
        request = (repr(spec), repr(filters), repr(options), repr(how))
        key = (study.files.stamp(), study.name, id(measure), *request)
        if key not in self._results:
            self._results[key] = self._compute_rows(study, measure, spec, filters, options, **how)
        result = self._results[key]
        return replace(
            result,
            filters=dict(result.filters),
            values=dict(result.values),
            left_out=dict(result.left_out),
        )
