"""Why a judge passes its own failed responses: planted reasons are found, and common ones are not."""

import math

import numpy as np
import pytest
from plain.builders import judge_rubrics, refer, study_of

from engine.errors import UsageError
from engine.explore import stated_reasons
from engine.explore.stated_reasons import log_odds, reasons_of, terms_of
from engine.importers.formats.exchange import import_tidy
from engine.slices import Slice
from engine.store import Store
from engine.study import Study
from engine.words.own_failures import reason_sentences

POINT, NOTHING = "The point is met here.", "Nothing of the kind is there."


def write_study(folder, own, *, reference=True):
    """F passes its 20 own responses for these reasons; G and H pass the first ten and fail the others."""
    plain = study_of(models="F:1 F2:1 G:2 H:3", instances=20)
    for place, reason in enumerate(own):
        instance = f"x{place}"
        if reference:
            refer(plain, "F", "0", instance)
        judge_rubrics(plain, "F", "F", "1", instance, explanation=reason)
        judge_rubrics(plain, "F2", "F", "1", instance, explanation="A relative's reason.")
        for judge in "GH":
            passed = place < 10
            judge_rubrics(
                plain, judge, "F", "1" if passed else "0", instance, explanation=POINT if passed else NOTHING
            )
    plain.write(folder / "exchange")
    import_tidy(folder / "exchange", Store(folder), "small")
    return Study.open(folder / "small")


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    own = ["It sounds warm and kind."] * 15 + [POINT] * 5
    return write_study(tmp_path_factory.mktemp("warm"), own)


def test_log_odds_with_a_prior_match_hand_arithmetic():
    # 15 of 20 against 0 of 20; the prior adds 10 texts with the common share 15 / 40, so 3.75 with it:
    # (18.75 / 11.25) / (3.75 / 26.25) = 35 / 3
    odds, error = log_odds(np.array([15]), np.array([0]), 20, 20)

    assert np.exp(odds) == pytest.approx([35 / 3])
    assert error == pytest.approx([math.sqrt(1 / 18.75 + 1 / 11.25 + 1 / 3.75 + 1 / 26.25)])


def test_reasons_come_from_overestimations_of_the_judges_own_responses(warm):
    result = reasons_of(warm, Slice(), "F")

    counts = (result.cells, result.n_judge, result.n_passed, result.n_failed, result.outside)
    assert counts == (20, 20, 20, 20, 2)


def test_a_planted_reason_forms_its_own_group_and_stands_out(warm):
    result = reasons_of(warm, Slice(), "F")

    group = result.groups[0]
    assert (group.counts.n_judge, group.counts.n_passed, group.counts.n_failed) == (15, 0, 0)
    assert group.counts.odds == pytest.approx(35 / 3)
    assert {"warm", "kind"} & set(" ".join(group.counts.words).split())
    assert group.counts.stands_out
    assert [example.own.text for example in group.examples] == ["It sounds warm and kind."]
    assert any("warm" in word.words[0] for word in result.words)
    assert "more often than they do" in reason_sentences(result)[1]


def test_reasons_shared_with_other_judges_do_not_stand_out(tmp_path):
    result = reasons_of(write_study(tmp_path, [POINT] * 20), Slice(), "F")

    assert result.words == ()
    assert not any(group.counts.stands_out for group in result.groups)
    assert reason_sentences(result)[1].endswith("No words set its reasons apart from theirs.")
    assert "(20 of 20)" in reason_sentences(result)[2]


def test_without_a_reference_responses_failed_by_most_outside_judges_count(tmp_path):
    result = reasons_of(write_study(tmp_path, ["Warm."] * 20, reference=False), Slice(), "F")

    assert (result.cells, result.n_passed, result.n_failed) == (10, 0, 20)
    assert result.against == "most judges of other families"
    assert all(group.counts.odds is None for group in result.groups)


def test_the_groups_are_the_same_each_time(warm):
    assert reasons_of(warm, Slice(), "F") == reasons_of(warm, Slice(), "F")


def test_quotations_are_not_reasons():
    assert terms_of("It says “warm soup” and does not help.") == [
        "says",
        "does",
        "not",
        "help",
        "does not",
        "not help",
    ]


def test_the_absence_of_explanations_is_reported(tmp_path):
    result = reasons_of(write_study(tmp_path, [None] * 20), Slice(), "F")

    assert result.lacking == "these verdicts have no stored reasons"
    assert result.groups == ()


def test_a_text_of_symbols_only_counts_as_a_reason(tmp_path):
    result = reasons_of(write_study(tmp_path, ["…"] * 10 + ["<b>12</b>"] * 10), Slice(), "F")

    assert sum(group.counts.n_judge for group in result.groups) == 20


def test_very_many_reasons_are_sampled(warm, monkeypatch):
    monkeypatch.setattr(stated_reasons, "MOST_TEXTS", 8)

    result = reasons_of(warm, Slice(), "F")

    assert result.n_judge == 20
    assert sum(group.counts.n_judge for group in result.groups) == 8


def test_an_unknown_judge_is_named(warm):
    with pytest.raises(UsageError, match="'nobody'"):
        reasons_of(warm, Slice(), "nobody")
