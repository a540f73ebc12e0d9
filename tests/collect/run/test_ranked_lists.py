"""Lists of responses, from a configuration to the ranks of simulated judges."""

from pathlib import Path

from collect.run.small import write_folder

from engine.collect.configuration.config import RunConfig
from engine.collect.configuration.read_config import parse_config
from engine.collect.run.start import run
from engine.store import Store
from engine.store.writer import validate_study
from engine.study import Study

TEXT = """
study = "s"
data = "{folder}"
generators = ["a", "b"]
judges = ["a", "b"]
paradigms = ["listwise"]
[models.a]
model = "simulated/a"
family = "x"
simulated = {{ self_ratio = 20.0, overestimation = 0.05 }}
[models.b]
model = "simulated/b"
family = "y"
"""


def config(folder: Path) -> RunConfig:
    return parse_config(TEXT.format(folder=folder))


def test_a_planted_preference_is_measured_in_the_ranks_of_a_run(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=60)

    report = run(config(folder), store)

    assert (report.planned, report.ok) == (60 * 2 * 2, 60 * 2 * 2)
    validate_study(store.open("s"))
    rows = Study.open(tmp_path / "store" / "s").result("list-ranks", resamples=100).rows
    by_judge = {row["judge"]: row for row in rows}
    assert by_judge["a"]["pick_gap"] > 0.2
    assert by_judge["a"]["pick_gap_p"] < 0.001
    assert by_judge["a"]["n"] == by_judge["b"]["n"] == 60


def test_an_answered_list_is_not_asked_again(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=3)
    run(config(folder), store)

    again = run(config(folder), store)

    assert (again.planned, again.already_done, again.calls) == (12, 12, 0)
    assert store.open("s").table("judgments").num_rows == 24
