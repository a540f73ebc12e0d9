"""A run of 5,000 calls, 30 % of which fail, killed ten times at random moments and then finished.

`python -m benchmarks.kills [--calls N]` in `tests/`; it takes minutes.
"""

import argparse
import random
import tempfile
from pathlib import Path

from collect.run.killing import answered_too_often, check, finished, killed_at_random
from collect.run.small import config_text, write_folder
from loopback import Script, serving

CALLS = 5_000
CALLS_AN_INSTANCE = 8  # two judges, two generators, two rubrics
CONCURRENCY = 64
KILLS = 10


def kills(folder: Path, calls: int = CALLS) -> str:
    """Run, kill, finish and check; return a sentence with the result."""
    instances = calls // CALLS_AN_INSTANCE
    planned = instances * CALLS_AN_INSTANCE
    script = Script(share=0.3, faults=("429", "500", "503", "reset", "half", "bad-json", "html"), seed=7)
    with serving(script, delay_s=0.02, remember=False) as server:
        free = "price = { input_per_million = 0, output_per_million = 0 }"  # else lost answers end the run
        served = f'api_base = "{server.url}"\n{free}'
        data = write_folder(folder / "data", instances=instances)
        config = folder / "run.toml"
        limits = f"concurrency = {CONCURRENCY}\ntimeout_s = 20\nretries = 8"
        config.write_text(config_text(data, a=served, b=served, run=limits), "utf-8")
        hit = killed_at_random(
            config, folder / "store", server, kills=KILLS, planned=planned, rng=random.Random(11)
        )
        report = finished(config, folder / "store", tries=3)
    assert report["already_done"] + report["done"] == planned, report
    answered, again = sum(server.answers.values()), answered_too_often(server)
    assert answered <= planned + hit * CONCURRENCY
    check(folder / "store", "s", planned=planned, rows=planned)
    return (
        f"{planned:,} calls, {server.calls:,} requests, killed {hit} times: {answered:,} answers, {again} a "
        f"second time ({hit * CONCURRENCY} could have been under way), every identity once in the study"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.kills", description=__doc__)
    parser.add_argument("--calls", type=int, default=CALLS, help="how many calls, 8 to an instance")
    with tempfile.TemporaryDirectory(prefix="spb-") as place:
        print(kills(Path(place), parser.parse_args().calls))
