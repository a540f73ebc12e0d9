"""How long a run takes, as far as it can be known: by its models' limits, and by earlier calls to them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow.compute as pc

from engine.collect.configuration.config import ModelConfig, RunConfig
from engine.collect.limits.pacing import BROAD
from engine.collect.plan.token_estimates import EstimateLine
from engine.collect.rows.run_rows import provenance
from engine.phrases import duration, join_names
from engine.store.study_files import StudyFiles


@dataclass(frozen=True)
class RunTime:
    """How many seconds a run takes, of calls to several models at the same time.

    `by_limits` is the least by the requests and tokens a minute that `limited` allows, None if no model has
    a limit. `by_earlier_calls` is about how long it takes if calls last as long as those in the study did,
    None if there are none of its models; `untimed` are the models without any. `simulated`: by simulated
    models alone, which answer at once.
    """

    by_limits: float | None = None
    limited: str | None = None
    by_earlier_calls: float | None = None
    untimed: tuple[str, ...] = ()
    simulated: bool = False

    def words(self) -> str:
        """Return it as a sentence without a full stop; what would be needed where nothing is known."""
        parts = []
        if self.by_limits is not None:
            parts.append(f"at least {duration(self.by_limits)}, by the limits of {self.limited}")
        if self.by_earlier_calls is not None:
            others = f"; of {join_names(self.untimed)} no call is known" if self.untimed else ""
            parts.append(f"about {duration(self.by_earlier_calls)}, as long as earlier calls took{others}")
        if parts:
            return f"time: {'; '.join(parts)}"
        if self.simulated:
            return "time: hardly any, as simulated models answer at once"
        return (
            "how long it takes is not known yet: once it runs, `spb run watch` says the time left. With the "
            "limits of your account, `requests_per_minute` or `tokens_per_minute` of a model in the run's "
            "configuration, the least time is said here"
        )


def run_time(lines: Iterable[EstimateLine], config: RunConfig, study: StudyFiles) -> RunTime:
    """Return how long the calls take; nothing is known of batches, answered in a provider's own time."""
    calls, tokens = Counter[str](), Counter[str]()
    for line in lines:
        calls[line.model] += line.calls
        tokens[line.model] += line.prompt_tokens + line.completion_tokens
    calls = +calls
    if config.mode == "batch" or not calls:
        return RunTime()
    limits = {model: limit for model in calls if (limit := _by_limits(model, calls, tokens, config))}
    limited = max(limits, key=limits.__getitem__, default=None)
    seconds = _seconds_of_calls(study)
    timed = {model: calls[model] * seconds[model] for model in calls if model in seconds}
    return RunTime(
        None if limited is None else limits[limited],
        limited,
        _in_flight(timed, config) if timed else None,
        tuple(model for model in calls if model not in seconds),
        all(_answers_at_once(config.models[model]) for model in calls),
    )


def _answers_at_once(model: ModelConfig) -> bool:
    """Return whether a model is simulated, and not to be slow."""
    return provenance(model) == "simulated" and not model.simulated.get("slow_s")


def _by_limits(model: str, calls: Mapping[str, int], tokens: Mapping[str, int], config: RunConfig) -> float:
    declared = config.models[model]
    requests, most_tokens = declared.requests_per_minute, declared.tokens_per_minute
    minutes = calls[model] / requests if requests else 0.0
    return 60 * max(minutes, tokens[model] / most_tokens if most_tokens else 0.0)


def _seconds_of_calls(study: StudyFiles) -> dict[str, float]:
    """Return the mean duration of each judge's calls in the study."""
    sums, numbers = Counter[str](), Counter[str]()
    for batch in study.judgment_batches(columns=["judge", "latency_s"]):
        timed = batch.filter(pc.is_valid(batch["latency_s"]))
        of_judge = timed.group_by("judge").aggregate([("latency_s", "sum"), ("latency_s", "count")])
        for row in of_judge.to_pylist():
            sums[row["judge"]] += row["latency_s_sum"]
            numbers[row["judge"]] += row["latency_s_count"]
    return {judge: sums[judge] / number for judge, number in numbers.items()}


def _in_flight(seconds: Mapping[str, float], config: RunConfig) -> float:
    """Return how long calls take that last so many seconds one after another, as many at once as may be."""
    at_once = config.run.concurrency
    most = BROAD if at_once == "auto" else at_once
    of_each = [total / (config.models[model].concurrency or most) for model, total in seconds.items()]
    together = 0.0 if at_once == "auto" else sum(seconds.values()) / most
    return max(together, *of_each)
