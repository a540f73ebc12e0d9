"""`length` by hand: how often a judge prefers the longer of two answers, in pairs and by scores."""

from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.study import Study
from engine.words.longer import length_sentences

FAMILIES = {"J": "a", "K": "b", "L": "c"}
LENGTHS = {"J": 30, "K": 20, "L": 10}
"""Characters of each model's answers."""


def study_of(folder: Path, judgments, lengths=None) -> Study:
    """Return a stored study of these judgments; answers of a model in `lengths` have that many characters."""
    lengths = LENGTHS if lengths is None else lengths
    questions = sorted({row["instance_id"] for row in judgments})
    tables: dict[str, list[dict[str, object]]] = {
        "models": [{"model": model, "family": family} for model, family in FAMILIES.items()],
        "instances": [{"instance_id": question} for question in questions],
        "responses": [
            {"instance_id": question, "generator": model, "text": "x" * length}
            for question in questions
            for model, length in lengths.items()
        ],
        "judgments": judgments,
    }
    written = {name: pa.Table.from_pylist(rows) for name, rows in tables.items() if rows}
    Store(folder).write("s", written, StudyInfo())
    return Study.open("s", store=folder)


def score(judge, model, question, value):
    row = {"judge": judge, "generator": model, "instance_id": question, "paradigm": "direct_assessment"}
    return row | {"score": value, "status": "unparsed" if value is None else "ok"}


def vote(judge, one, two, question, first, choice):
    pair = {"judge": judge, "generator": one, "opponent": two, "instance_id": question}
    return pair | {"paradigm": "pairwise", "first": first, "choice": choice}


def row_of(study: Study, judge: str):
    return next(row for row in study.result("length", resamples=0).rows if row["judge"] == judge)


def test_scores_compare_every_two_answers_and_a_tie_is_half(tmp_path: Path):
    # Of J > K > L in length, J's scores prefer: q1 J over K (longer), J over L (longer), K = L (half);
    # q2 K over J (shorter), L over J (shorter), L over K (shorter): 2.5 of 6. Without its own answer
    # q1 half, q2 none, of 2.
    judgments = [
        *(score("J", model, "q1", value) for model, value in (("J", 0.9), ("K", 0.5), ("L", 0.5))),
        *(score("J", model, "q2", value) for model, value in (("J", 0.1), ("K", 0.5), ("L", 0.7))),
    ]

    row = row_of(study_of(tmp_path, judgments), "J")

    assert (row["longer"], row["n"]) == (pytest.approx(2.5 / 6), 6)
    assert (row["longer_of_others"], row["n_others"]) == (pytest.approx(0.25), 2)


def test_a_sentence_speaks_of_pairs_only_where_judges_saw_two_answers_at_once(tmp_path: Path):
    scores = [score("J", model, "q1", value) for model, value in (("J", 0.9), ("K", 0.5), ("L", 0.1))]
    votes = [vote("J", "J", "K", "q1", first, "generator") for first in ("generator", "opponent")]

    [of_scores] = length_sentences(study_of(tmp_path / "a", scores).result("length", resamples=0))
    [of_votes] = length_sentences(study_of(tmp_path / "b", votes).result("length", resamples=0))

    assert "Of two answers to one question whose lengths differ, J scores the longer one higher" in of_scores
    assert "Of 100 pairs of answers whose lengths differ, J prefers the longer in 100" in of_votes


@pytest.mark.parametrize(("low", "is_of_own"), [(0.48, True), (0.55, False), (None, False)])
def test_a_judge_that_prefers_the_longer_with_its_own_answers_alone_is_named(low, is_of_own):
    row = {"judge": "J", "longer": 0.65, "longer_low": 0.6, "longer_high": 0.7, "longer_of_others_low": low}
    result = SimpleNamespace(rows=[row], filters={"paradigm": "pairwise"})

    sentences = length_sentences(result)

    assert sentences[1].startswith("Beyond sampling error the only judge prefers the longer answer")
    assert sentences[2:] == (("Among answers of other models alone J does not.",) if is_of_own else ())


def test_an_answer_without_a_score_or_a_text_or_of_equal_length_is_in_no_pair(tmp_path: Path):
    judgments = [
        *(score("K", model, "q1", value) for model, value in (("J", 0.9), ("K", None), ("L", 0.1))),
        *(score("K", model, "q2", value) for model, value in (("J", 0.9), ("K", 0.2), ("L", 0.1))),
    ]

    row = row_of(study_of(tmp_path, judgments, {"J": 11, "K": 11, "L": 10}), "K")

    assert (row["longer"], row["n"]) == (1, 3)  # q1: J and L; q2: J and L, K and L; J and K are equal

    result = study_of(tmp_path / "other", judgments, {"J": 10, "K": 10}).result("length", resamples=0)

    assert result.rows == []  # L's answers have no text, and the others' are equal


def test_votes_for_the_longer_answer_count_over_both_orders(tmp_path: Path):
    # L votes on J and K: q1 for J, the longer, in both orders (1); q2 for the first (half); q3 for K (0).
    judgments = [
        vote("L", "J", "K", "q1", "generator", "generator"),
        vote("L", "J", "K", "q1", "opponent", "generator"),
        vote("L", "J", "K", "q2", "generator", "generator"),
        vote("L", "J", "K", "q2", "opponent", "opponent"),
        vote("L", "J", "K", "q3", "generator", "opponent"),
        vote("L", "J", "K", "q3", "opponent", "opponent"),
    ]

    row = row_of(study_of(tmp_path, judgments), "L")

    assert (row["longer"], row["n"], row["n_others"]) == (pytest.approx(1.5 / 3), 3, 3)


def test_without_texts_there_is_a_reason(tmp_path: Path):
    judgments = [score("J", model, "q1", value) for model, value in (("J", 0.9), ("K", 0.5))]

    result = study_of(tmp_path, judgments, {}).result("length", resamples=0)

    assert result.rows == []
    assert str(result.reason) == (
        "the study has no texts of answers, which an import reads from a column 'response' "
        "(--map response=FIELD)"
    )
    assert result.filters["paradigm"] == "direct_assessment"


def test_texts_of_equal_length_are_a_reason_of_their_own(tmp_path: Path):
    judgments = [score("J", model, "q1", value) for model, value in (("J", 0.9), ("K", 0.5))]

    result = study_of(tmp_path, judgments, {"J": 10, "K": 10}).result("length", resamples=0)

    assert "whose texts differ in length" in str(result.reason)
