"""A committee that is the reference is not recommended for agreeing with itself."""

import numpy as np
from benchmarks.claims.judges import Judges
from benchmarks.claims.rubrics import RubricStudies

import engine
from engine.store import Store
from engine.store.study_files import StudyInfo


def test_no_ranking_is_recommended_because_it_is_the_reference(tmp_path):
    study = RubricStudies(Judges(family_size=2), instances=40, committee=True).draw(np.random.default_rng(1))
    Store(tmp_path).write("s", study.tables(), StudyInfo(name="s", committees=study.committees), mode="new")

    findings = engine.open_study(str(tmp_path / "s")).findings(resamples=50)

    claims = {claim.id: claim for claim in findings.claims}
    assert "corrections:all-without-self" in claims
    assert "corrections:committee:three" not in claims
    assert not any("committee" in claim.sentence for claim in findings.claims if claim.rule == "rank-by")
