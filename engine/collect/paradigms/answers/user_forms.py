"""Forms of answers that a user describes: `Verdict: {{criteria_met}}`, for answers in no form of ours."""

import json
import re
from dataclasses import dataclass
from functools import cached_property

from engine.collect.paradigms.judgment_rows import STRUCTURED
from engine.errors import UsageError
from engine.paradigms import TRAITS
from engine.schema import DIMENSIONS

_SLOT = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_SLOTS = ("criteria_met", "outcome", "score", *DIMENSIONS)
_FIELDS = {"verdict": "criteria_met", "outcome": "outcome", "author": "outcome", "score": "score"}
"""The slot of a paradigm's answers, by what it gives."""
_MARKUP = " \t*_`\"'“”‘’.[]()"
_MET = {
    **dict.fromkeys(("true", "yes", "met", "pass", "passed", "satisfied"), True),
    **dict.fromkeys(("false", "no", "not met", "unmet", "fail", "failed", "not satisfied"), False),
}
"""What a verdict may be in a form of the user's, which says where it stands."""


@dataclass(frozen=True)
class AnswerForm:
    """The form of an answer: its words, with slots for the values. Each slot ends with its line.

    Blanks match any blanks, and case does not matter.
    """

    text: str

    def __post_init__(self) -> None:
        """Raise UsageError for a form without words, or with slots that no verdict has."""
        for name in self.slots:
            if name not in _SLOTS:
                raise UsageError(f"the form has {{{{{name}}}}}; choose from: {', '.join(_SLOTS)}")
        if not self.slots or not re.search(r"\w", _SLOT.sub("", self.text)):
            raise UsageError(
                f"{self.text[:80]!r} is no form of an answer; write its words and a slot, such as "
                "'Verdict: {{criteria_met}}'"
            )
        if len(set(self.slots)) < len(self.slots):
            raise UsageError(f"the form has a slot twice: {', '.join(self.slots)}")

    @property
    def slots(self) -> list[str]:
        return _SLOT.findall(self.text)

    def fits(self, paradigm: str, variant: str) -> bool:
        """Return whether answers of a paradigm have a value for one of the slots."""
        traits = TRAITS[paradigm]
        if traits.subject == "dimension" or (traits.of_pairs and variant == STRUCTURED):
            return bool(set(DIMENSIONS) & set(self.slots))
        if traits.lists_rubrics:
            return False
        return _FIELDS.get(traits.gives) in self.slots

    def json_of(self, answer: str) -> str | None:
        """Return the values of an answer as the JSON object that judges are asked for.

        None if the form does not occur; an empty text if it occurs with different values, or with none.
        """
        readings = {
            tuple(value.strip(_MARKUP) for value in match.groups())
            for match in self._pattern.finditer(answer)
        }
        if not readings:
            return None
        values = dict(zip(self.slots, readings.pop(), strict=True))
        if readings:
            return ""
        if "criteria_met" in values:
            met = _MET.get(values["criteria_met"].casefold())
            return "" if met is None else json.dumps(values | {"criteria_met": met})
        return json.dumps(values)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        words = _SLOT.split(self.text.strip())
        parts = [r"\s+".join(map(re.escape, each.split())) for each in words[::2]]
        joined = r"\s*([^\n]{1,200}?)\s*".join(parts)
        return re.compile(rf"{joined}[ \t]*$", re.IGNORECASE | re.MULTILINE)
