"""What a run would call and what that would cost, before anything is called or written."""

import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from engine.config import Price, RunConfig
from engine.judges import Models
from engine.plan import Estimate, estimate, make_plan
from engine.runner.answered import Answered
from engine.runner.options import RunOptions
from engine.runner.prepare import has_study, prepared_study
from engine.runner.same import last_run, refuse_another
from engine.runner.stages import draws_from_itself, steps_of, ways_of
from engine.store import Store, StudyFiles


@dataclass(frozen=True, slots=True)
class Line:
    """The calls to one model in one way, and about what they take; `cost_usd` None: the price is unknown."""

    model: str
    role: str
    paradigm: str | None
    variant: str | None
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What would be called now: answered calls are not among `lines`, but counted in `already_done`.

    `missing_keys` are the models whose key is not set, with the environment variable that wants it.
    """

    lines: tuple[Line, ...]
    already_done: int
    note: str = ""
    missing_keys: Mapping[str, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether everything could be foreseen."""
        return not self.note

    @property
    def total(self) -> Line:
        """The sums over all models."""
        costs = [line.cost_usd for line in self.lines]
        cost = None if None in costs else sum(cost for cost in costs if cost is not None)
        calls, sent, received = (
            sum(getattr(line, name) for line in self.lines)
            for name in ("calls", "prompt_tokens", "completion_tokens")
        )
        return Line("all", "", None, None, calls, sent, received, cost)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of `--dry-run --format json`."""
        total = self.total
        return {
            "planned": total.calls,
            "already_done": self.already_done,
            "prompt_tokens": total.prompt_tokens,
            "completion_tokens": total.completion_tokens,
            "cost_usd": total.cost_usd,
            "by_judge": [asdict(line) for line in self.lines],
            "note": self.note,
            "missing_keys": dict(self.missing_keys),
        }


def forecast(config: RunConfig, store: Store, options: RunOptions) -> Forecast:
    """Count the calls of a run, with their tokens and cost. Nothing is called, and the store is not touched.

    Responses that are still to be collected are taken to be there. Raises as `run` does.
    """
    if has_study(store, config):
        return _forecast(config, StudyFiles(store.location.child(config.study)), options)
    with tempfile.TemporaryDirectory(prefix="spb-") as folder:
        return _forecast(config, prepared_study(Store(folder), config), options)


def _forecast(config: RunConfig, study: StudyFiles, options: RunOptions) -> Forecast:
    rows = study.table("runs").to_pylist()
    before = options.run_id or (None if options.fresh else last_run(rows))
    if before is not None:
        refuse_another(before, rows, config, ways_of(config).used)
    answered = Answered() if before is None else Answered.of_run(study, before)
    models = Models(config.models, batch=config.mode == "batch")
    found: list[Estimate] = []
    counted = 0
    note = ""
    for stage, step in steps_of(config):
        if draws_from_itself(step):
            note = "pairs are drawn once quality is judged, and are not counted yet"
            continue
        plan = make_plan(step, study, stage, assume=True)
        if options.shard is not None:
            plan = plan.shard(options.shard.number, options.shard.count)
        counted += len(plan)
        found += estimate(plan.only(lambda request: request not in answered), step)
    lines = tuple(_line(each, models.price(each.model)) for each in found)
    missing = {name: key for name, key in models.missing_keys().items() if name in config.called()}
    return Forecast(lines, counted - sum(line.calls for line in lines), note, missing)


def _line(each: Estimate, price: Price | None) -> Line:
    cost = None
    if price is not None:
        sent = each.prompt_tokens * price.input_per_million
        cost = (sent + each.completion_tokens * price.output_per_million) / 1_000_000
    return Line(
        each.model,
        each.role,
        each.paradigm,
        each.variant,
        each.calls,
        each.prompt_tokens,
        each.completion_tokens,
        cost,
    )
