"""On simulated studies the judge with the planted bias is named, and no other."""

from engine.findings.standing import MarkKind
from engine.words.given_expected import MEANS_OF_GROUP


def own(findings):
    rules = ("relatives", "group")
    return [claim for claim in findings.claims if claim.question == "who" and claim.rule not in rules]


def favouring(findings):
    """Return the judges of which a claim of self-preference proper stands."""
    standing = [claim for claim in own(findings) if claim.stands and not claim.marked(MarkKind.CAUSE_OPEN)]
    return {claim.at["judge"] for claim in standing}


def test_the_judge_with_a_planted_bias_is_claimed_and_no_other(findings_of):
    findings = findings_of("biased")

    ratio = findings.of("own-failures:a")

    assert favouring(findings) == {"a"}
    assert ratio.low < 2.0 < ratio.high  # what was planted
    assert findings.of("leave-self-out:all").because[0] == "conclusion:a"
    group, _, judges = findings.answers[0].sentences[0].partition("own answers failed. ")
    assert group.startswith("No difference is shown for the judges as a group: ")
    assert judges.removeprefix(f"{MEANS_OF_GROUP} ").startswith("a favours itself. ")


def test_a_judge_whose_own_failures_are_hard_is_claimed_and_contradicted(findings_of):
    findings = findings_of("hard")

    claim = findings.of("own-failures:a")

    assert claim.marked(MarkKind.CONTRADICTED)
    assert any("both answers failed" in mark.why for mark in claim.marks)
    assert favouring(findings) == set()
    assert findings.of("conclusion:a").marked(MarkKind.CAUSE_OPEN)  # it does pass more of them than others do


def test_without_self_preference_no_claim_stands(findings_of):
    assert not [claim for claim in own(findings_of("fair")) if claim.stands]


def test_every_claim_of_a_simulated_study_says_so(findings_of):
    assert all(claim.marked(MarkKind.SIMULATED) for claim in findings_of("biased").claims)


def test_what_was_planted_in_the_demonstration_is_found(demo):
    standing = favouring(demo)
    relatives = {claim.at["judge"] for claim in demo.claims if claim.rule == "relatives" and claim.stands}
    (slices,) = [claim for claim in demo.claims if claim.rule == "slices"]

    # study.json: aster-large itself, the cinders on negative rubrics, the boreals their relatives. To
    # dune-large alone its own failures are hard, whoever answers: on the same rubrics nothing is left.
    assert "aster-large" in standing
    assert standing <= {"aster-large", "cinder-large", "cinder-mini"}
    assert {"boreal-large", "boreal-medium", "boreal-mini"} <= relatives
    assert slices.at == {"judge": "cinder-mini", "where": "polarity=negative"}
    assert demo.of("own-failures:dune-large").marked(MarkKind.CONTRADICTED)
