"""The settings of a simulated model: `[models.NAME.simulated]` of a run's configuration."""

from collections.abc import Mapping
from typing import Any

import pydantic
from pydantic import Field

from engine.errors import UsageError
from engine.plain_words import mistake_words


class Planted(pydantic.BaseModel):
    """A simulated model's skill, its bias as a judge, and its faults.

    As a generator: `skill` is the share of criteria that its responses meet, unless references say which.
    As a judge: `overestimation` is how often it finds a failed criterion met (or favours the response that
    loses a comparison) for a generator of another family, `underestimation` how often it finds a met one
    failed. `self_ratio` and `family_ratio` multiply the overestimation for responses of its own and of its
    family; `named_ratio` multiplies that for its own again if the prompt says that it wrote the response.
    `recognition` is the probability that it names its own response when asked which one it wrote.
    `familiarity` is how much higher it finds the mean log-probability per token of its own responses. `sway`
    is the share of disfavoured responses that it favours after words are added that make them no better;
    `own_sway` multiplies it for its own. `first_bias` is the preference for the response shown first (0.5:
    none) and `verbosity` that for the longer one (0: none; 1: odds in proportion to the lengths' ratio).
    `option_bias` are the log odds of a score's option against the same one place later in the list.

    The faults are shares of calls: `unparsed` (an answer without a verdict), `refused` (the provider's
    refusal field), `wrong_count` (one verdict too many in a list); `rate_limit`, `server_error` and `hang`
    are drawn again on each attempt. Each answer takes `slow_s` seconds.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    skill: float = Field(0.7, gt=0, lt=1)
    overestimation: float = Field(0.2, ge=0, le=1)
    underestimation: float = Field(0.06, ge=0, le=1)
    self_ratio: float = Field(1.0, gt=0)
    family_ratio: float = Field(1.0, gt=0)
    named_ratio: float = Field(1.0, gt=0)
    recognition: float = Field(0.5, ge=0, le=1)
    familiarity: float = Field(0.0, ge=-1, le=1)
    sway: float = Field(0.0, ge=0, lt=1)
    own_sway: float = Field(1.0, ge=0)
    first_bias: float = Field(0.5, gt=0, lt=1)
    verbosity: float = 0.0
    option_bias: float = Field(0.0, ge=-5, le=5)
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
        largest_self = self.self_ratio * max(1.0, self.named_ratio)
        highest = self.overestimation * max(1.0, largest_self, self.family_ratio)
        if highest > 1:
            product = f"overestimation {self.overestimation!r} times its largest ratio"
            raise ValueError(f"{product} is {highest:.2f}, not a probability; lower one of them")
        for names in (("unparsed", "refused", "wrong_count"), ("rate_limit", "server_error", "hang")):
            if sum(getattr(self, name) for name in names) > 1:
                raise ValueError(f"{', '.join(names)} are more than 1 together; lower them")
        return self


def parse_planted(place: str, settings: Mapping[str, Any]) -> Planted:
    """Return the settings, validated; `place` is where they are, such as `models.m1.simulated`."""
    try:
        return Planted.model_validate(dict(settings))
    except pydantic.ValidationError as error:
        mistake = error.errors(include_url=False)[0]
        field = ".".join([place, *map(str, mistake["loc"])])
        if mistake["type"] == "extra_forbidden":
            choices = ", ".join(Planted.model_fields)
            raise UsageError(f"{field}: unknown field; choose from: {choices}") from None
        value = "" if not mistake["loc"] else f" is {mistake['input']!r}"
        raise UsageError(f"{field}{value}: {mistake_words(mistake)}") from None
