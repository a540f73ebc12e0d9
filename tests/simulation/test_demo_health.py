"""The demonstration study built from the texts in `datasets/demo_health`."""

import json

import numpy as np
import pyarrow as pa
import pytest

from engine.store import Store
from tests.tools.demos.health import DEMO, FOUR_LARGEST, MODELS, STYLES, TEXTS, demo_tables
from tests.tools.demos.texts import Style, assemble, choose_pieces, read_texts

AXES = {"accuracy", "completeness", "communication_quality", "context_awareness", "instruction_following"}


@pytest.fixture(scope="module")
def talks():
    return read_texts(TEXTS)


@pytest.fixture(scope="module")
def built():
    return demo_tables()


def test_every_criterion_has_texts_that_meet_it_and_texts_that_fail_it(talks):
    for criterion in {
        criterion.criterion_id: criterion for talk in talks for criterion in talk.criteria
    }.values():
        assert criterion.met, criterion.criterion_id
        assert all(text.strip() for text in criterion.met), criterion.criterion_id
        assert criterion.missed, criterion.criterion_id
        assert criterion.criterion.strip(), criterion.criterion_id
        assert criterion.axis in AXES, criterion.criterion_id
        assert -10 <= criterion.points <= 10, criterion.criterion_id
        assert criterion.points != 0, criterion.criterion_id


def test_the_texts_have_the_intended_size(talks):
    rubrics = [criterion for talk in talks for criterion in talk.criteria]

    assert len(talks) == 120
    assert len({talk.theme for talk in talks}) == 7
    assert 750 <= len(rubrics) <= 850
    assert {criterion.axis for criterion in rubrics} == AXES
    assert 0.15 <= sum(criterion.points < 0 for criterion in rubrics) / len(rubrics) <= 0.35
    words = [len(criterion.criterion.split()) for criterion in rubrics]
    assert min(words) <= 5
    assert max(words) >= 60


def test_many_conversations_leave_the_layout_to_the_models(talks):
    assert sum(not talk.about_layout for talk in talks) >= 40


def test_a_response_contains_a_text_that_meets_a_criterion_exactly_if_the_reference_does(built, talks):
    tables, _ = built
    criteria = {(talk.instance_id, c.criterion_id): c for talk in talks for c in talk.criteria}
    text = {(row["instance_id"], row["generator"]): row["text"] for row in tables["responses"].to_pylist()}

    for row in tables["references"].to_pylist():
        criterion = criteria[row["instance_id"], row["rubric_id"]]
        response = text[row["instance_id"], row["generator"]]
        assert any(_stands_in(piece, response) for piece in criterion.met) == row["met"]
        if not row["met"]:
            assert any(piece == "" or _stands_in(piece, response) for piece in criterion.missed)


def _stands_in(piece, response):
    """Whether the whole piece occurs, as separate lines or as an item of a list."""
    lines = f"\n{response}\n"
    return f"\n{piece}\n" in lines or f"\n- {piece}\n" in lines


def test_every_style_keeps_every_piece_whole(talks):
    rng = np.random.default_rng(0)
    for talk in talks:
        pieces = choose_pieces(talk, [True] * len(talk.criteria), rng)
        for style in STYLES.values():
            text = assemble(talk, pieces, style)

            assert text.startswith(talk.opening)
            assert text.endswith(talk.closing)
            for piece in pieces:
                assert text.count(piece) >= 1


def test_styles_distinguish_the_models():
    assert len(set(STYLES.values())) == len(MODELS) == 9
    assert Style() in STYLES.values()


def test_every_model_answers_and_judges_in_four_families(built):
    tables, _ = built

    names = {model.name for model in MODELS}
    assert set(tables["responses"]["generator"].to_pylist()) == names
    assert set(tables["judgments"]["judge"].cast(pa.string()).unique().to_pylist()) == names
    families = [model.family for model in MODELS]
    assert {name: families.count(name) for name in families} == {
        "Aster": 3,
        "Boreal": 3,
        "Cinder": 2,
        "Dune": 1,
    }


def test_the_committee_is_the_largest_of_each_family():
    largest = {}
    for model in sorted(MODELS, key=lambda model: model.size_b):
        largest[model.family] = model.name

    assert sorted(FOUR_LARGEST.members) == sorted(largest.values())


def test_only_single_rubric_verdicts_have_reasons(built):
    tables, _ = built

    rows = tables["judgments"].select(["paradigm", "status", "explanation", "raw"]).to_pylist()

    for row in rows:
        expected = row["paradigm"] == "single_rubric" and row["status"] == "ok"
        assert (row["explanation"] is not None) == expected
        assert (row["raw"] is not None) == (row["status"] != "ok")


def test_the_reason_quotes_a_text_of_the_response_it_judges(built):
    tables, _ = built
    text = {(row["instance_id"], row["generator"]): row["text"] for row in tables["responses"].to_pylist()}
    quotations = 0

    for row in tables["judgments"].slice(0, 20_000).to_pylist():
        reason = row["explanation"] or ""
        if "“" in reason:
            quote = reason[reason.index("“") + 1 : reason.rindex("”")].removesuffix(" …")
            assert quote in text[row["instance_id"], row["generator"]]
            quotations += 1

    assert quotations > 5000


def test_building_the_study_twice_gives_the_same_small_study(tmp_path):
    for name in ("one", "two"):
        DEMO.write(Store(tmp_path / name))

    first, second = (Store(tmp_path / name).open("demo-health") for name in ("one", "two"))
    size = sum(path.stat().st_size for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert size < 4_000_000
    assert first.info.truth == second.info.truth
    assert "simulated" in first.info.title
    assert first.info.provenance == "simulated"
    for name in ("models", "instances", "rubrics", "responses", "references", "runs", "judgments"):
        assert first.table(name).equals(second.table(name))
        assert first.table(name).num_rows > 0


def test_self_family_hard_item_and_fault_biases_are_planted():
    planted = {model.name: model.bias for model in MODELS}

    everywhere = [name for name, bias in planted.items() if bias.self_ratio > 1 and bias.on is None]
    families = {name.split("-")[0] for name, bias in planted.items() if bias.family_ratio > 1}
    hard = [name for name, bias in planted.items() if bias.hard_items > 1]
    faults = [name for name, bias in planted.items() if str(bias.on) == "polarity=negative"]
    assert (len(everywhere), families, len(hard), len(faults)) == (2, {"boreal"}, 1, 1)


def test_prompts_are_lists_of_messages_that_end_with_the_user(built):
    tables, _ = built

    for prompt in tables["instances"]["prompt"].to_pylist():
        messages = json.loads(prompt)
        assert messages[-1]["role"] == "user"
        assert all(message["content"].strip() for message in messages)
