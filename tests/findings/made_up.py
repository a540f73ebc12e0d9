"""Results written by hand for rules, and the few parts of a study that rules use."""

from types import SimpleNamespace

from engine.errors import UsageError
from engine.explore.find_slices import FIND
from engine.findings.rule import RuleContext
from engine.measures.catalogue import find
from engine.measures.merged_repeats import MergedRepeats
from engine.measures.result import Result, columns_of

FILTERS = {"level": "rubric", "reference": "program", "slices_tried": 40, "paradigm": "single_rubric"}


class FakeStudy:
    """A study whose measures have the given rows; all others are refused."""

    def __init__(self, provenance="api", runs=("one",), committees=None, **rows):
        self.rows = {name.replace("_", "-"): table for name, table in rows.items()}
        self.calls = []
        info = SimpleNamespace(provenance=provenance, committees=committees or {}, title=None)
        self.study = SimpleNamespace(
            name="small",
            only_runs=(),
            info=info,
            inventory=SimpleNamespace(runs_as_added=list(runs), values=lambda *_, **__: list(runs)),
            remember=lambda *_: MergedRepeats(0, None),
            files=SimpleNamespace(table=self._runs),
        )
        self.began = {}
        self.reference = FILTERS["reference"]

    def _runs(self, name, columns):  # noqa: ARG002
        rows = [{"run_id": run, "started_at": when} for run, when in self.began.items()]
        return SimpleNamespace(to_pylist=lambda: rows)

    def context(self):
        return RuleContext(self.study, self.compute)

    def compute(self, measure, options):
        self.calls.append((measure, dict(options)))
        if measure not in self.rows:
            raise UsageError(f"no {measure} here")
        declared = FIND if measure == "find" else find(measure)
        return Result(
            declared,
            "small",
            FILTERS | {"reference": self.reference},
            columns_of(self.rows[measure]),
            {"unparsed": 2, "refused": 0},
            None,
        )


def interval(field, value, low, high, p=None):
    """Return the columns of a field with its interval and adjusted p."""
    return {field: value, f"{field}_low": low, f"{field}_high": high, f"{field}_p_adjusted": p}


def judged(judge, own, matched=None, p=0.001, n=100):
    """Return a row of `hspp`: own and matched ratios as (value, low, high)."""
    return {
        "judge": judge,
        **interval("hspp_self", *own, p=p),
        **interval("hspp_matched", *(matched or (None, None, None))),
        **interval("hspp_family", None, None, None),
        "n_self": n,
        "n_matched": 50,
        "n_family": 0,
        "small": n < 30,
    }
