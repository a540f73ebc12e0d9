"""The gold judges of a run: what they say of answers as written, and of rewritten ones."""

from collections import Counter
from pathlib import Path

from collect.run.small import write_folder

from engine.collect.read_config import parse_config
from engine.collect.run import run
from engine.store import Store

SIMULATED = """
study = "s"
data = "{folder}"
judges = ["a"]
gold_judges = ["g", "h", "k"]
paradigms = ["pairwise"]
variants = ["forced"]
[transforms.humorous]
by = "k"
[transforms.padded]
make = "padding"
[models.a]
model = "simulated/a"
[models.g]
model = "simulated/g"
[models.h]
model = "simulated/h"
[models.k]
model = "simulated/k"
"""


def test_a_run_writes_gold_on_rewritten_answers_apart_and_none_on_padded_ones(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "data", instances=2)

    run(parse_config(SIMULATED.format(folder=folder)), store)

    rows = store.open("s").table("preferences").to_pylist()
    # k rewrote all answers, so that two judges are left there, which are no panel.
    assert Counter((row["source"], row["transform"]) for row in rows) == {
        **{(source, "none"): 2 for source in ("g", "h", "k", "committee:gold")},
        ("g", "humorous"): 2,
        ("h", "humorous"): 2,
    }
