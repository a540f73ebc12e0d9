"""The demonstration study of pairs: its texts, and the planted effects found by every measure."""

import pytest

import engine
from engine.errors import BadInputError
from tests.tools.demos.pairs import CONTESTANTS, STYLES, TEXTS, read_questions
from tests.tools.demos.study import ROOT

NAMES = [model.name for model in CONTESTANTS]
BIASED = ("rowan-large", "rowan-medium", "tansy-large", "tansy-mini")


@pytest.fixture(scope="module")
def study():
    return engine.open_study(str(ROOT / "results" / "demo-pairs"))


@pytest.fixture(scope="module")
def truth(study):
    return study.files.info.truth["judges"]


def pooled(frame):
    """The rows over all opponents, by judge."""
    return frame[frame["opponent"].isna()].set_index("judge")


def missed(rows, field, planted):
    """The judges whose interval does not hold the planted value (ends may touch it)."""
    low, high = rows[f"{field}_low"], rows[f"{field}_high"]
    return [name for name in NAMES if not low[name] - 1e-9 <= planted[name] <= high[name] + 1e-9]


def test_sixty_questions_have_four_points_each_in_a_good_and_a_weak_version():
    questions = read_questions()

    assert len(questions) == 60
    assert len({question.question for question in questions}) == 60
    assert len({question.category for question in questions}) == 6
    assert all(len(question.points) == 4 for question in questions)
    texts = [text for question in questions for point in question.points for text in point]
    assert len(set(texts)) == len(texts) == 480


def test_a_broken_question_is_refused_with_file_and_line(tmp_path):
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "odd.jsonl").write_text('{"question_id": "x", "question": "?", "points": []}\n')

    with pytest.raises(BadInputError, match=r"questions/odd.jsonl, line 1: a question needs 4 points"):
        read_questions(tmp_path)


def test_the_number_of_good_points_in_a_response_follows_its_quality(study):
    questions = {question.question_id: question for question in read_questions()}
    rows = study.files.table("responses").to_pylist()

    assert len(rows) == 60 * len(NAMES)
    for row in rows:
        for good, weak in questions[row["instance_id"]].points:
            assert (good in row["text"]) != (weak in row["text"])
        assert row["text"].startswith(STYLES[row["generator"]].lead)


def test_the_four_archetypes_are_found(study, truth):
    table = study.measure("archetypes").set_index("judge")

    assert {name: table["archetype"][name] for name in NAMES} == {
        name: truth[name]["archetype"] for name in NAMES
    }
    assert len({truth[name]["archetype"] for name in NAMES}) == 4
    assert missed(table, "d", {name: truth[name]["sight"] for name in NAMES}) == []


def test_spb_intervals_contain_the_truth_and_the_four_biased_judges_are_significant(study, truth):
    table = study.measure("equal-quality").set_index("judge")

    assert missed(table, "spb", {name: truth[name]["spb"] for name in NAMES}) == []
    assert missed(table, "null_pir", {name: truth[name]["firm"] for name in NAMES}) == []
    assert missed(table, "spb_family", {name: truth[name]["family_spb"] for name in NAMES}) == []
    assert set(NAMES) & set(table.index[table["significant"]]) >= set(BIASED)
    assert table["quality_judges"].iloc[0] == ["gauge-north", "gauge-south"]


def test_reasoning_and_dimensions_reduce_the_bias_by_the_planted_amount(study, truth):
    frame = study.measure("mitigation")

    for variant in ("cot", "structured"):
        rows = frame[frame["variant"] == variant].set_index("judge")
        assert missed(rows, "spb", {n: truth[n]["by_variant"][variant]["spb"] for n in NAMES}) == []
        assert all(rows["reduction"][name] > 0 for name in BIASED)
        assert (rows["cost_ratio"] > 1).all()
    assert set(frame["variant"]) == {"cot", "structured", "pointwise"}


def test_the_excess_over_the_quality_baseline_is_the_planted_one(study, truth):
    rows = pooled(study.measure("quality-baseline"))

    assert missed(rows, "ilsp_updated", {name: truth[name]["t"] for name in NAMES}) == []
    assert rows["p"]["rowan-large"] < 0.001
    assert rows["p"]["rowan-medium"] < 0.001
    # unsure of everyone's worse responses, so that it votes for its own often, and not beyond the baseline
    assert rows["ilsp"]["sorrel-mini"] > 0.38
    assert rows["p"]["sorrel-mini"] > 0.05


def test_the_dbg_score_is_that_expected_from_the_choices_and_gold_judges(study, truth):
    rows = pooled(study.measure("dbg"))

    assert missed(rows, "dbg", {name: truth[name]["expected"]["dbg"] for name in NAMES}) == []
    assert set(rows["gold_judges"]) == {3}


def test_order_decides_for_the_verbose_judge(study, truth):
    rows = study.measure("order-effect", variant="forced").set_index("judge")

    assert missed(rows, "first_share", {n: truth[n]["expected"]["first_share"] for n in NAMES}) == []
    assert missed(rows, "flip_rate", {n: truth[n]["expected"]["flip_rate"] for n in NAMES}) == []
    # some 600 flips or more: a standard error of at most 0.02
    assert {n: rows["flip_to_first"][n] for n in NAMES} == pytest.approx(
        {n: truth[n]["first"] for n in NAMES}, abs=0.06
    )
    assert rows["first_share"].idxmax() == "umber-mini"
    reasons = study.files.judgments(["judge", "explanation"]).to_pylist()
    length = {name: max(len(r["explanation"] or "") for r in reasons if r["judge"] == name) for name in NAMES}
    assert max(length, key=length.get) == "umber-mini"


def test_some_answers_are_missing_and_some_are_ties(study):
    rows = study.files.judgments(["paradigm", "variant", "status", "choice"]).to_pylist()

    statuses = {(row["variant"], row["status"]) for row in rows if row["paradigm"] == "pairwise"}
    assert statuses == {
        (variant, status)
        for variant in ("forced", "forced_tie", "cot", "structured")
        for status in ("ok", "unparsed", "refused")
    }
    ties = {row["variant"] for row in rows if row["choice"] == "tie"}
    assert ties == {"forced_tie", "cot"}


def test_the_study_names_its_folder_of_texts(study):
    assert study.files.info.dataset == TEXTS.name
