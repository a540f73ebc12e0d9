"""The demonstration studies that ship are those that their texts give."""

import pytest

from engine.simulation import demo_health, demo_orders, demo_pairs
from engine.simulation.demo_study import ROOT
from engine.store import Store

RUBRICS = ("models", "instances", "rubrics", "responses", "references", "runs", "judgments")
PAIRS = ("models", "instances", "responses", "preferences", "pairs", "runs", "judgments")
DEMOS = [(demo_health, RUBRICS, 5_000_000), (demo_orders, RUBRICS, 2_500_000), (demo_pairs, PAIRS, 2_500_000)]


@pytest.mark.parametrize(("demo", "tables", "most"), DEMOS, ids=[demo.NAME for demo, _, _ in DEMOS])
def test_the_study_that_ships_is_the_one_that_the_texts_give_and_small(tmp_path, demo, tables, most):
    """Where this fails, the texts changed: build it anew, `python -m` with the module's name."""
    demo.write_demo(Store(tmp_path))

    built, shipped = (Store(root).open(demo.NAME) for root in (tmp_path, ROOT / "results"))
    size = sum(path.stat().st_size for path in (tmp_path / demo.NAME).rglob("*") if path.is_file())
    assert size < most
    told = [
        info.model_dump(exclude={"parts"}) for info in (shipped.info, built.info)
    ]  # files have random names
    assert told[0] == told[1]
    assert "simulated" in shipped.info.title
    assert shipped.info.provenance == "simulated"
    for name in tables:
        assert shipped.table(name).num_rows > 0, name
        assert shipped.table(name).equals(built.table(name)), name
