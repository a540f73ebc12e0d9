"""Whether scores are weighted, and what agreement is of, is said where criteria differ in points or sign."""

import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine.views.registry import VIEWS
from engine.wording import Sentence

UNWEIGHTED = "each counts once, whatever its points"
ON_MET = "Agreement is of what was said of a criterion, met or not met"


@pytest.fixture
def basis_of(load):
    names: list[str] = []

    def basis(name, points):
        study = study_of("J:F A:G", rubrics=points, instances=2)
        for instance in ("x0", "x1"):
            for generator in "JA":
                refer(study, generator, "10", instance, source="human")
                for judge in "JA":
                    judge_rubrics(study, judge, generator, "11", instance)
        names.append(name)
        return VIEWS[name].shown(load(study, f"study {len(names)}"), {}).basis

    return basis


def test_scores_of_criteria_with_different_points_are_said_to_be_unweighted(basis_of):
    (remark,) = (line for line in basis_of("mean_scores", (5, 3)) if UNWEIGHTED in line)

    assert isinstance(remark, Sentence)
    assert remark.endswith("(by points: --scores weighted).")
    assert remark.on_page().endswith("whatever its points.")
    assert not any(UNWEIGHTED in line for line in basis_of("mean_scores", (1, -1)))
    assert not any(UNWEIGHTED in line for line in basis_of("ratios", (5, 3)))


def test_agreement_is_said_to_be_of_met_where_a_criterion_is_negative(basis_of):
    assert any(ON_MET in line for line in basis_of("people", (1, -1)))
    assert not any(ON_MET in line for line in basis_of("people", (5, 3)))
    assert not any(ON_MET in line for line in basis_of("ratios", (1, -1)))
