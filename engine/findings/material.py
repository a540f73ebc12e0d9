"""What rules take their numbers from: the measures of one study, each taken once."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.errors import UsageError
from engine.finder import FIND
from engine.measures.catalogue import find
from engine.measures.result import Result

if TYPE_CHECKING:
    from engine.study import Study

Take = Callable[[str, Mapping[str, Any]], Result]
"""Takes a measure by name with options, `find` too, and returns its result."""


class Material:
    """The results that rules ask for; what the study does not allow has no rows, and the reason."""

    def __init__(
        self, study: "Study", take: Take | None = None, settings: Mapping[str, Any] | None = None
    ) -> None:
        """Take measures of a study by `take`, with `settings` (seed, resamples) instead of the defaults."""
        self.study = study
        self.settings = dict(settings or {})
        self._take = take or self._directly
        self._taken: dict[tuple[str, str], Result] = {}

    def options(self, measure: str, **asked: Any) -> dict[str, Any]:
        """Return the options that a measure is taken with: those asked, and the settings."""
        return asked if measure == FIND.name else asked | self.settings

    def result(self, measure: str, **asked: Any) -> Result:
        """Take a measure; where the study refuses it, return no rows and the refusal as the reason."""
        options = self.options(measure, **asked)
        key = measure, repr(sorted(options.items()))
        if key not in self._taken:
            try:
                self._taken[key] = self._take(measure, options)
            except UsageError as error:
                declared = FIND if measure == FIND.name else find(measure)
                self._taken[key] = Result(declared, self.study.name, options, [], {}, str(error))
        return self._taken[key]

    def _directly(self, measure: str, options: Mapping[str, Any]) -> Result:
        if measure == FIND.name:
            return self.study.found(**options)
        return self.study.result(measure, **options)
