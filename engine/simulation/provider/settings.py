"""What is planted in a simulated model: `[models.NAME.simulated]` of a run's configuration."""

from collections.abc import Mapping
from typing import Any

import pydantic
from pydantic import Field

from engine.errors import UsageError


class Planted(pydantic.BaseModel):
    """A simulated model's skill, its bias as a judge, and its faults.

    As a generator: `skill` is the share of criteria that its responses meet, where no reference says which.
    As a judge: `overestimation` is how often it finds a failed criterion met (or favours the response that
    loses a comparison) for a generator of another family, `underestimation` how often it finds a met one
    failed. `self_ratio` and `family_ratio` multiply the overestimation for its own and its relatives'
    responses. `first_bias` is the pull to the response shown first (0.5: none) and `verbosity` that to the
    longer one (0: none; 1: the odds grow as the lengths' ratio).

    The faults are shares of calls: `unparsed` (an answer without a verdict), `refused` (the provider's
    refusal field), `wrong_count` (a verdict too many, where a list was asked for); `rate_limit`,
    `server_error` and `hang` are drawn anew on each attempt. Each answer takes `slow_s` seconds.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    skill: float = Field(0.7, gt=0, lt=1)
    overestimation: float = Field(0.2, ge=0, le=1)
    underestimation: float = Field(0.06, ge=0, le=1)
    self_ratio: float = Field(1.0, gt=0)
    family_ratio: float = Field(1.0, gt=0)
    first_bias: float = Field(0.5, gt=0, lt=1)
    verbosity: float = 0.0
    explanation: bool = True
    unparsed: float = Field(0.0, ge=0, le=1)
    refused: float = Field(0.0, ge=0, le=1)
    wrong_count: float = Field(0.0, ge=0, le=1)
    rate_limit: float = Field(0.0, ge=0, le=1)
    server_error: float = Field(0.0, ge=0, le=1)
    hang: float = Field(0.0, ge=0, le=1)
    slow_s: float = Field(0.0, ge=0)
    seed: int = 0

    @pydantic.model_validator(mode="after")
    def _are_probabilities(self) -> "Planted":
        highest = self.overestimation * max(1.0, self.self_ratio, self.family_ratio)
        if highest > 1:
            raise ValueError(
                f"overestimation {self.overestimation!r} times its largest ratio is {highest:.2f}, no "
                "probability; lower the one or the other"
            )
        for names in (("unparsed", "refused", "wrong_count"), ("rate_limit", "server_error", "hang")):
            if sum(getattr(self, name) for name in names) > 1:
                raise ValueError(f"{', '.join(names)} are more than 1 together; lower them")
        return self


def planted(place: str, settings: Mapping[str, Any]) -> Planted:
    """Return the settings as checked fields; `place` is where they stand, such as `models.m1.simulated`.

    Raises UsageError that names the field, its value and what may stand there.
    """
    try:
        return Planted.model_validate(dict(settings))
    except pydantic.ValidationError as error:
        mistake = error.errors(include_url=False)[0]
        field = ".".join([place, *map(str, mistake["loc"])])
        if mistake["type"] == "extra_forbidden":
            choices = ", ".join(Planted.model_fields)
            raise UsageError(f"{field}: unknown field; choose from: {choices}") from None
        words = mistake["msg"].removeprefix("Value error, ")
        shown = "" if not mistake["loc"] else f" is {mistake['input']!r}"
        raise UsageError(f"{field}{shown}: {words[:1].lower()}{words[1:]}") from None
