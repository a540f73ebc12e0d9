"""Which items are selected from a study, in more detail than `test_results`."""

import json
from collections import Counter

import pytest
from plain.builders import study_of
from plain.pair_builders import rate

from annotations.small import pair
from annotations.test_results import open_study, rated, verdicts
from engine.annotations.items import ItemTexts, items_of_lines
from engine.annotations.sampling import Sampling, count_by_reason, select, select_first
from engine.annotations.tasks import create_task
from engine.arrays.slicing.resolve import NoDataError
from engine.errors import BadInputError, UsageError
from engine.slices import Slice

OPTIONS = '[{"score": 2, "text": "good"}, {"score": 1, "text": "poor"}]'


def scored():
    """Two questions, each with one rubric with options and one without; all responses have texts."""
    study = study_of("A:G B:H", instances=2)
    for i in range(2):
        study.add("rubrics", instance_id=f"x{i}", rubric_id="s", criterion=f"clear {i}", options=OPTIONS)
        study.add("rubrics", instance_id=f"x{i}", rubric_id="m", criterion="names a date")
        for model in "AB":
            study.add("responses", instance_id=f"x{i}", generator=model, text=f"answer {i} {model.lower()}")
    return study


def of_aspects(rubric):
    """One question with a criterion that has an id and no text, and two answers."""
    study = study_of("oak-large:trees st:birds", rubrics=(), instances=1)
    study.add("rubrics", instance_id="x0", rubric_id=rubric)
    for model in ("oak-large", "st"):
        study.add("responses", instance_id="x0", generator=model, text="an answer")
    return study


def test_responses_are_scored_by_rubrics_with_options_lowest_score_first(tmp_path):
    items = select(open_study(scored(), tmp_path), Sampling("scores"))

    assert {(item.hidden.rubric_id, item.hidden.why) for item in items} == {("s", "scores")}
    assert sorted(item.texts.responses[0] for item in items) == [
        "answer 0 a", "answer 0 b", "answer 1 a", "answer 1 b"
    ]  # fmt: skip
    assert {item.texts.options for item in items} == {((1.0, "poor"), (2.0, "good"))}


def test_each_question_has_half_of_the_scored_responses(tmp_path):
    items = select(open_study(scored(), tmp_path), Sampling("scores", number=2, seed=5))

    assert {item.hidden.instance_id for item in items} == {"x0", "x1"}


def test_a_criterion_without_a_text_is_called_by_its_id(tmp_path):
    items = select(open_study(of_aspects("tone"), tmp_path), Sampling("random"))

    assert {item.texts.criterion_words for item in items} == {"tone"}
    assert {ItemTexts.of(item.texts.payload()) for item in items} == {item.texts for item in items}


def test_a_criterion_with_a_text_is_called_by_no_id(tmp_path):
    items = select(open_study(scored(), tmp_path), Sampling("scores"))

    assert {item.texts.criterion_words for item in items} == {"clear 0", "clear 1"}


@pytest.mark.parametrize(("rubric", "is_shown"), [
    ("oak-large", False), ("Oak-Large: tone", False), ("tone_of_oak-large", False), ("by trees", False),
    ("tone", True), ("oaken", True), ("steadfast", True),
])  # fmt: skip
def test_an_id_that_names_a_model_or_family_is_not_shown(tmp_path, rubric, is_shown):
    items = select(open_study(of_aspects(rubric), tmp_path), Sampling("random"))

    assert {item.texts.criterion_words for item in items} == {rubric if is_shown else None}


@pytest.mark.parametrize("seed", range(5))
def test_pairs_are_spread_over_themes_then_questions(tmp_path, seed):
    study = rated(6)
    for i, row in enumerate(study.instances):
        row["theme"] = "rare" if i < 2 else "common"

    items = select(open_study(study, tmp_path), Sampling(number=8, seed=seed))

    # Four pairs, of four questions: two of each theme, though one theme has a third of the questions.
    for why in ("equal", "contrast"):
        instances = [item.hidden.instance_id for item in items if item.hidden.why == why]
        assert Counter(name in ("x0", "x1") for name in instances) == {True: 2, False: 2}
        assert len(set(instances)) == 4


def test_an_odd_number_gives_one_more_equal_pair(tmp_path):
    study = open_study(rated(), tmp_path)

    assert count_by_reason(select(study, Sampling(number=5))) == {"equal": 3, "contrast": 2}
    assert count_by_reason(select(study, Sampling(number=1))) == {"equal": 1}


def test_another_seed_selects_other_items(tmp_path):
    study = open_study(rated(), tmp_path)

    samples = [
        tuple(item.hidden.instance_id for item in select(study, Sampling(number=2, seed=s))) for s in range(9)
    ]

    assert len(set(samples)) > 1


def test_filters_keep_generators_and_questions(tmp_path):
    study = rated(4)
    for i, row in enumerate(study.instances):
        row["theme"] = "rare" if i == 3 else "common"
    opened_study = open_study(study, tmp_path)

    of_theme = select(opened_study, Sampling(spec=Slice(theme=("rare",))))
    of_models = select(opened_study, Sampling("hard", cluster=2, spec=Slice(generators=("B", "C"))))

    assert {item.hidden.instance_id for item in of_theme} == {"x3"}
    assert {item.hidden.models for item in of_models} == {("B", "C")}


def test_the_selection_is_recorded_so_that_it_can_be_repeated(tmp_path):
    sampling = Sampling("hard", number=3, seed=2, cluster=2)
    study = open_study(rated(), tmp_path)

    settings = sampling.settings()
    again = Sampling(
        **{name: value for name, value in settings.items() if name not in ("filters", "quality_judges")}
    )

    assert select(study, again) == select(study, sampling)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"epsilon": -1.0}, "epsilon -1.0 is not a quality difference"),
        ({"gap": float("nan")}, "gap nan is not a quality difference"),
        ({"number": 0}, "number of items 0 is below 1"),
        ({"cluster": 1}, "cluster 1 is below 2"),
        ({"seed": -1}, "seed -1 is out of range"),
        ({"seed": 2**31}, "seed 2147483648 is out of range"),
        ({"epsilon": 0.5, "gap": 0.5}, "gap 0.5 is not above epsilon 0.5"),
        (
            {"selection": "hard", "kind": "score"},
            "'score'; items selected by hard have others; choose from: clusters",
        ),
    ],
)
def test_an_invalid_setting_is_named(settings, message):
    with pytest.raises(UsageError, match=message):
        Sampling(**settings)


def test_an_unknown_generator_and_an_empty_selection_are_reported(tmp_path):
    study = open_study(verdicts(), tmp_path)

    with pytest.raises(UsageError, match="unknown model 'Z'"):
        select(study, Sampling("disagreement", spec=Slice(generators=("Z",))))
    with pytest.raises(NoDataError, match="needs criteria with a scale"):
        select(study, Sampling("scores"))
    with pytest.raises(NoDataError, match="judges disagree on no answer"):
        select(study, Sampling("disagreement", spec=Slice(generators=("B",))))


def test_of_equally_close_responses_the_seed_chooses_whichever_model_comes_first(tmp_path):
    study = study_of("A:F B:G C:H D:I R:Q", instances=40)
    for i in range(40):
        rate(study, "R", dict.fromkeys("ABCD", 5), f"x{i}")
        for model in "ABCD":
            study.add("responses", instance_id=f"x{i}", generator=model, text=f"{i} {model}")
    source = open_study(study, tmp_path)

    def hidden_items(seed):
        return [item.hidden for item in select(source, Sampling("hard", number=40, cluster=2, seed=seed))]

    # Each of four models is in half of the 40 questions: 20 on average, with a standard deviation of 3.2.
    counts = Counter(model for hidden in hidden_items(0) for model in hidden.models)
    assert all(8 <= counts[model] <= 32 for model in "ABCD")
    assert hidden_items(0) == hidden_items(0)
    assert hidden_items(0) != hidden_items(1)


GOLD = {"role": "gold", "prompt": "q", "responses": ["a", "b"], "answer": "equal"}
SCORED = GOLD | {"responses": ["a"], "answer": 1}


@pytest.mark.parametrize(
    ("kind", "row", "message"),
    [
        ("equal_pair", GOLD | {"responses": ["a"]}, "row 1: responses is .*, expected two texts"),
        ("preference", GOLD | {"responses": ["a", "b", "c"], "answer": "tie"}, "expected two texts"),
        ("rubric_verdict", GOLD | {"answer": "met"}, "row 1: responses is .*, expected one text"),
        ("clusters", GOLD | {"responses": ["a"], "answer": [1]}, "expected 2 to 20 texts"),
        ("score", SCORED, "row 1: options is None, expected a list"),
        ("score", SCORED | {"options": [[1, "bad"], [1.0, "good"]]}, "options is .*, expected each score"),
    ],
)
def test_an_item_of_a_file_that_nobody_could_answer_is_refused(kind, row, message):
    with pytest.raises(BadInputError, match=message):
        items_of_lines(kind, json.dumps(row), "extra.jsonl")


def test_a_text_of_an_item_may_hold_any_line_separator():
    text = "one\u2028two\x85three\u2029four"
    line = json.dumps(GOLD | {"prompt": text}, ensure_ascii=False)

    items = items_of_lines("equal_pair", f"{line}\r\n\n{line}\n", "extra.jsonl")

    assert [item.texts.prompt for item in items] == [text, text]


@pytest.mark.parametrize("text", ["a\0b", "a\udcff"])
@pytest.mark.parametrize("label", ["title", "guidelines"])
def test_a_text_that_no_database_stores_is_refused(database, label, text):
    with pytest.raises(UsageError, match=f"{label}: .* cannot be stored"):
        create_task(database, "t", "study", "equal_pair", [pair(1)], **{label: text})


def test_random_items_are_drawn_whatever_judges_say_and_again_by_the_same_seed(tmp_path):
    criteria, pairs = open_study(scored(), tmp_path / "a"), open_study(rated(6), tmp_path / "b")

    verdicts_drawn = select(criteria, Sampling("random"))
    drawn = [select(pairs, Sampling("random", "preference", 6, seed=seed)) for seed in (1, 1, 2)]

    assert "s" not in {item.hidden.rubric_id for item in verdicts_drawn}  # those with options are for scores
    assert drawn[0] == drawn[1] != drawn[2]
    assert {item.hidden.automatic for item in drawn[0]} == {None}


def test_where_nothing_else_can_be_selected_items_are_drawn_at_random(tmp_path):
    study = study_of("A:G B:H", instances=2)
    study.rubrics.clear()
    for i in range(2):
        for model in "AB":
            study.add("responses", instance_id=f"x{i}", generator=model, text=f"answer {i} {model.lower()}")

    study = open_study(study, tmp_path)

    plan, items = select_first(study, Sampling)

    with pytest.raises(NoDataError, match="label pairs, with --kind preference"):
        select(study, Sampling("random"))
    assert (plan.selection, plan.kind, len(items)) == ("random", "preference", 2)


def test_an_unknown_kind_of_task_is_answered_by_those_of_every_selection(tmp_path):
    kinds = "equal_pair, clusters, rubric_verdict, score, preference"
    with pytest.raises(UsageError, match=f"choose from: {kinds}"):
        select_first(open_study(scored(), tmp_path), lambda name: Sampling(name, "bogus"), "bogus")
