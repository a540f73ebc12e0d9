"""The shipped demonstration studies are those built from their texts."""

import pytest

from engine.store import Store
from tests.tools.demos.health import DEMO as HEALTH
from tests.tools.demos.orders import DEMO as ORDERS
from tests.tools.demos.pairs import DEMO as OF_PAIRS
from tests.tools.demos.study import ROOT

RUBRICS = ("models", "instances", "rubrics", "responses", "references", "runs", "judgments")
PAIRS = ("models", "instances", "responses", "preferences", "pairs", "runs", "judgments")
DEMOS = [(HEALTH, RUBRICS, 5_000_000), (ORDERS, RUBRICS, 2_500_000), (OF_PAIRS, PAIRS, 2_500_000)]


def assert_same(one, other):
    """Processors add in different orders, so the last digits of what was planted are theirs."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        one, other = list(one.values()), [other[name] for name in one]
    if isinstance(one, list):
        for of_one, of_other in zip(one, other, strict=True):
            assert_same(of_one, of_other)
    else:
        assert one == (pytest.approx(other, rel=1e-12) if isinstance(other, float) else other)


@pytest.mark.parametrize(("demo", "tables", "most"), DEMOS, ids=[demo.name for demo, _, _ in DEMOS])
def test_the_shipped_study_is_small_and_the_one_built_from_the_texts(tmp_path, demo, tables, most):
    """If this fails, the texts changed: rebuild it, `python -m` with the module's name."""
    demo.write(Store(tmp_path))

    built, shipped = (Store(root).open(demo.name) for root in (tmp_path, ROOT / "results"))
    size = sum(path.stat().st_size for path in (tmp_path / demo.name).rglob("*") if path.is_file())
    assert size < most
    infos = [
        info.model_dump(exclude={"parts", "tables"}) for info in (shipped.info, built.info)
    ]  # files have random names, and tables may be left out of a copy to try what a study lacks
    assert_same(*infos)
    assert "simulated" in shipped.info.title
    assert shipped.info.provenance == "simulated"
    for name in tables:
        table = shipped.table(name)
        columns = [name for name in table.column_names if name != "software"]  # its version
        assert table.num_rows > 0, name
        assert table.select(columns).equals(built.table(name).select(columns)), name
