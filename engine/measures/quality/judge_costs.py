"""`which-judge`, rows `costs`: calls, tokens and dollars of each judge, as far as recorded."""

import numpy as np

from engine.arrays.judgment_calls import CallRows
from engine.arrays.slicing.resolve import NoDataError
from engine.arrays.study_arrays import StudyArrays
from engine.errors import UsageError, unknown
from engine.measures import entry
from engine.measures.entry import Field, Measure
from engine.measures.rows import Column, Options, Table
from engine.slices import Slice
from engine.stats import Ints, Weights
from engine.wording import comma_list, option

CALL_FILTERS = {"run": "run_id", "paradigm": "paradigm", "variant": "variant", "transform": "transform"}
"""The filters on the calls counted, besides `judges`, and their stored columns."""


def judge_costs_table(study: StudyArrays, spec: Slice, _options: Options, _weights: Weights | None) -> Table:
    """Return for each paradigm and variant a row for each judge, and one without a judge for all together."""
    for name in spec.judges:
        if name not in study.index.models:
            raise unknown("judge", name, study.index.models)
    others = [name for name in spec.filters() if name not in (*CALL_FILTERS, "judges", "min_instances")]
    if others:
        filters = comma_list(map(option, ("judges", *CALL_FILTERS)))
        raise UsageError(f"costs cannot be filtered by {others[0]!r}; leave it out, or filter by ", filters)
    where = {"judge": spec.judges} if spec.judges else {}
    for name, column in CALL_FILTERS.items():
        value = getattr(spec, name)
        if value:
            where[column] = value if isinstance(value, tuple) else (value,)
    answers = CallRows.read(study.files, study.index, where)
    if not len(answers.judge):
        raise NoDataError("the study has no judgments in this slice")
    kind = answers.paradigm * len(answers.variants) + answers.variant
    rows = []
    for code in np.unique(kind):
        paradigm, variant = divmod(int(code), len(answers.variants))
        group = np.flatnonzero(kind == code)
        judges: dict[str | None, Ints] = {
            study.index.models[j]: group[answers.judge[group] == j] for j in np.unique(answers.judge[group])
        }
        rows += [
            _costs_row(answers, answers.paradigms[paradigm], answers.variants[variant], judge, at)
            for judge, at in (judges | {None: group}).items()
        ]
    return Table.of(rows, study.index.n_instances)


def _costs_row(
    answers: CallRows, paradigm: str, variant: str, judge: str | None, at: Ints
) -> dict[str, Column]:
    has_cost = ~np.isnan(answers.recorded["cost_usd"][at])
    counts = {
        "paradigm": paradigm,
        "variant": variant,
        "calls": len(np.unique(answers.call[at])),
        "judgments": len(at),
        "verdicts": int(answers.ok[at].sum()),
        "costed": len(np.unique(answers.call[at][has_cost])),
    }
    columns = {name: Column([value], reasons="not_recorded") for name, value in counts.items()}
    for name, values in answers.recorded.items():
        recorded = values[at][~np.isnan(values[at])]
        total = float(recorded.sum()) if name == "cost_usd" else int(recorded.sum())
        columns[name] = Column([total if len(recorded) else None], reasons="not_recorded")
    return {"judge": Column([judge], reasons="all_judges")} | columns


JUDGE_COSTS = Measure(
    name="judge-costs",
    part_of=("which-judge", "costs"),
    title="What judging cost",
    question="How many calls, tokens and dollars did each judge use?",
    formula="sums over the judge's calls; rows that share a call_id, or else a prompt, count as one call",
    paper="none; defined by this project",
    left_out="calls for answers; retries",
    function=judge_costs_table,
    keys=("judge", "paradigm", "variant"),
    headline="calls",
    chart="calls",
    sliced=False,
    fields=(
        entry.key("judge", "the judge; empty on the row of totals"),
        entry.key("paradigm", "the paradigm"),
        entry.key("variant", "the prompt template"),
        entry.count("calls", "answered calls"),
        entry.count("judgments", "rows that the calls gave"),
        entry.count("verdicts", "rows with a verdict"),
        Field("prompt_tokens", "count", "tokens sent, where recorded", title="Tokens sent"),
        Field("completion_tokens", "count", "tokens received, where recorded", title="Tokens received"),
        entry.number("cost_usd", "US dollars, for calls with a recorded cost", title="Dollars"),
        entry.count("costed", "calls with a recorded cost"),
    ),
)
