"""Responses changed for the judge: from a configuration to the effect on simulated judges."""

from pathlib import Path

from collect.run.small import write_folder

from engine.collect.configuration.read_config import parse_config
from engine.collect.run.start import run
from engine.store import Store
from engine.store.writer import validate_study
from engine.study import Study

TEXT = """
study = "s"
data = "{folder}"
generators = ["a", "b"]
judges = ["a"]
paradigms = ["single_rubric", "pairwise"]
[transforms.named]
make = "author"
[transforms.padded]
make = "padding"
[models.a]
model = "simulated/a"
simulated = {{ named_ratio = 4.0, sway = 0.3, own_sway = 3.0 }}
"""


def test_planted_weaknesses_are_measured_and_changing_responses_needs_no_call(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "data", instances=60)

    report = run(parse_config(TEXT.format(folder=folder)), store)

    # 60 instances as written and under each change: 2 responses by 2 rubrics, and a pair in both orders.
    assert (report.planned, report.ok) == (60 * 3 * (4 + 2), 60 * 3 * (4 + 2))
    validate_study(store.open("s"))
    rows = Study.open(tmp_path / "store" / "s").result("robustness", resamples=100).rows
    by_change = {(row["paradigm"], row["transform"]): row for row in rows}
    assert by_change["single_rubric", "padded"]["lift_difference"] > 0.05
    assert by_change["single_rubric", "named"]["lift_own"] > 0.05
    assert by_change["pairwise", "named"]["lift_own"] > 0.2
    assert by_change["pairwise", "named"]["lift_own_p"] < 0.001
