"""Studies written by hand, opened like a user's."""

import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine.importers.formats.exchange import import_tidy
from engine.store import Store
from engine.study import Study


@pytest.fixture
def load(tmp_path):
    """Return a function that imports a plain study and opens it."""

    def import_and_open(study, name="small"):
        study.write(tmp_path / name)
        import_tidy(tmp_path / name, Store(tmp_path / "store"), name)
        return Study.open(tmp_path / "store" / name)

    return import_and_open


@pytest.fixture
def ranked(load):
    """Return a study in which J ranks itself first and B ranks like the reference; 12 equal instances."""
    plain = study_of(models="J:F A:G B:H", rubrics=(1, 1), instances=12)
    for i in range(12):
        for judge, verdicts in (("J", ("11", "10", "00")), ("B", ("00", "10", "11"))):
            for generator, mets in zip("JAB", verdicts, strict=True):
                judge_rubrics(plain, judge, generator, mets, f"x{i}")
        for generator, mets in zip("JAB", ("00", "10", "11"), strict=True):
            refer(plain, generator, mets, f"x{i}")
    return load(plain)
