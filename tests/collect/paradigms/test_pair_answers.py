"""Answers about pairs: which response, in which order, and how likely."""

import pytest
from collect.paradigms.calls import answer, only, pair

from engine.schema import DIMENSIONS


@pytest.mark.parametrize(
    ("first", "outcome", "choice"),
    [
        ("generator", "A is better", "generator"),
        ("generator", "B is better", "opponent"),
        ("opponent", "A is better", "opponent"),
        ("opponent", "b is BETTER ", "generator"),
        ("generator", "tie", "tie"),
        ("opponent", "Tie", "tie"),
    ],
)
def test_a_choice_refers_to_the_response_and_not_the_letter(first, outcome, choice):
    row = only(pair(first=first), f'{{"outcome": "{outcome}"}}')

    assert (row["status"], row["choice"], row["first"]) == ("ok", choice, first)


@pytest.mark.parametrize("variant", ["default", "cot", "forced", "forced_tie", "mine"])
@pytest.mark.parametrize("text", ["A is better", '{"outcome": "A"}', "A", "$$A$$", "[[A]]", "Response A"])
def test_a_clear_choice_is_read_whatever_form_the_template_asks_for(variant, text):
    row = only(pair(variant), text)

    assert (row["status"], row["choice"]) == ("ok", "generator")


@pytest.mark.parametrize(
    "text", ['{"outcome": "C is better"}', '{"outcome": true}', '{"outcome": 1}', '{"outcome": "1"}', "C"]
)
def test_an_outcome_that_names_neither_response_is_unparsed(text):
    row = only(pair(), text)

    assert (row["status"], row["choice"]) == ("unparsed", None)


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ('A errs in {x}. So: {"outcome": "B is better"}', "opponent"),
        ("B is nicer. My final verdict is $$A$$.", "generator"),
        ("Neither is wrong anywhere.\n\n$$ t $$", "tie"),
    ],
)
def test_a_verdict_at_the_end_of_the_reasoning_is_read(text, choice):
    row = only(pair("cot"), text)

    assert (row["status"], row["choice"]) == ("ok", choice)


def test_the_reasoning_becomes_the_explanation():
    row = only(pair("cot"), 'B is wrong about the year.\n{"outcome": "A is better"}')

    assert row["explanation"] == "B is wrong about the year."


@pytest.mark.parametrize(
    ("text", "choice"), [("A", "generator"), (" b\n", "opponent"), ("1", "generator"), ("2", "opponent")]
)
def test_a_bare_letter_or_figure_is_a_forced_choice(text, choice):
    assert only(pair("forced"), text)["choice"] == choice


@pytest.mark.parametrize("text", ["T", "tie", '{"outcome": "tie"}', "AB", "3", "", "\u00c5"])
def test_a_forced_choice_accepts_two_letters(text):
    assert only(pair("forced"), text)["status"] == "unparsed"


def test_a_tie_may_be_chosen_if_it_is_offered():
    assert only(pair("forced_tie"), "t")["choice"] == "tie"


def test_probabilities_are_summed_over_tokens_that_strip_to_a_label():
    first_token = (("A", 0.5), (" a", 0.1), ("B", 0.2), ("1", 0.05), ("The", 0.1))

    row = only(pair("forced"), "A", first_token=first_token)

    # 0.5 + 0.1 + 0.05 for A, 0.2 for B
    assert row["p_generator"] == pytest.approx(0.65 / 0.85)
    assert row["p_mass"] == pytest.approx(0.85)
    assert row["p_tie"] is None


def test_probabilities_refer_to_the_response_whichever_was_shown_first():
    first_token = (("A", 0.8), ("B", 0.2))

    row = only(pair("forced", first="opponent"), "A", first_token=first_token)

    assert (row["choice"], row["p_generator"]) == ("opponent", pytest.approx(0.2))


def test_the_probability_of_a_tie_is_its_share_of_all_three_labels():
    first_token = (("A", 0.3), ("T", 0.4), ("B", 0.1), ("x", 0.2))

    row = only(pair("forced_tie"), "T", first_token=first_token)

    # the target over the two responses 0.3 / 0.4; the tie over the three labels 0.4 / 0.8
    assert row["p_generator"] == pytest.approx(0.75)
    assert row["p_tie"] == pytest.approx(0.5)


def test_a_label_missing_from_the_alternatives_counts_0():
    row = only(pair("forced"), "B", first_token=(("B", 0.9),))

    assert (row["p_generator"], row["p_mass"]) == (0.0, 0.9)


def test_labels_with_less_than_half_of_the_probability_give_none():
    row = only(pair("forced"), "A", first_token=(("A", 0.3), ("B", 0.19), ("Response", 0.51)))

    assert (row["status"], row["choice"], row["p_generator"]) == ("ok", "generator", None)
    assert row["p_mass"] == pytest.approx(0.49)


def test_if_the_tie_has_all_probability_the_target_has_none():
    row = only(pair("forced_tie"), "T", first_token=(("T", 1.0),))

    assert (row["p_generator"], row["p_tie"]) == (None, 1.0)


@pytest.mark.parametrize("p", [float("nan"), float("inf"), -0.5, 1.5])
def test_an_invalid_probability_is_not_counted(p):
    row = only(pair("forced"), "A", first_token=(("A", 0.6), ("B", p)))

    assert (row["p_generator"], row["p_mass"]) == (1.0, 0.6)


@pytest.mark.parametrize("variant", ["default", "cot", "mine"])
def test_other_variants_have_no_probabilities(variant):
    row = only(pair(variant), '{"outcome": "tie"}', first_token=(("A", 1.0),))

    assert (row["p_generator"], row["p_mass"]) == (None, None)


def test_an_answer_that_is_not_a_letter_has_no_probabilities():
    row = only(pair("forced"), "Perhaps A", first_token=(("A", 1.0),))

    assert (row["status"], row["p_generator"], row["p_mass"]) == ("unparsed", None, None)


def test_a_letter_in_a_sentence_has_no_probability_as_the_first_token_is_another() -> None:
    row = only(pair("forced"), "Answer A", first_token=(("Answer", 0.9), ("A", 0.1)))

    assert (row["choice"], row["p_generator"], row["p_mass"]) == ("generator", None, 0.1)


def test_a_structured_answer_has_a_row_for_each_dimension():
    text = '{"relevance": "A", "accuracy": "b", "depth": "tie", "logic": "Response A"}'

    rows = answer(pair("structured", first="opponent"), text)

    assert [row["rubric_id"] for row in rows] == list(DIMENSIONS)
    assert [row["choice"] for row in rows] == ["opponent", "generator", None, "opponent", None]
    assert [row["status"] for row in rows] == ["ok", "ok", "unparsed", "ok", "unparsed"]


@pytest.mark.parametrize("text", ['{"outcome": "A is better"}', "So $$A$$", " a "])
def test_a_users_template_may_ask_for_any_answer_shape(text):
    row = only(pair("mine"), text)

    assert (row["status"], row["choice"], row["variant"]) == ("ok", "generator", "mine")
