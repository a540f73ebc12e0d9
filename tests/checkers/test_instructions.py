"""The instruction types on small texts: what meets each of them, and what narrowly fails."""

import json

import pytest

from engine.checkers.checks_by_id import SHIPPED, make_check, rubric_columns
from engine.checkers.verdicts import judge

AT_LEAST, LESS = "at least", "less than"
SENTENCES = {"num_sentences": 3, "relation": AT_LEAST}
FIRST_WORD = {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "Today"}

# checker, arguments, a text that meets the instruction, texts that do not
CASES = [
    (
        "keywords:existence",
        {"keywords": ["sea", "boat"]},
        "Boats at SEAside.",
        ["The sea.", "A boat.", "Sail."],
    ),
    (
        "keywords:frequency",
        {"keyword": "sea", "frequency": 2, "relation": AT_LEAST},
        "Sea by the seaside.",
        ["One sea.", "Se a."],
    ),
    ("keywords:frequency", {"keyword": "a.b", "frequency": 2, "relation": LESS}, "a.b axb axb", ["a.b A.B"]),
    ("keywords:forbidden_words", {"forbidden_words": ["sea"]}, "The seaside.", ["The Sea.", "sea-side"]),
    (
        "keywords:letter_frequency",
        {"letter": "N", "let_frequency": 3, "let_relation": AT_LEAST},
        "No, none",
        ["Nine"],
    ),
    (
        "keywords:letter_frequency",
        {"letter": "#", "let_frequency": 2, "let_relation": LESS},
        "#one",
        ["#a #b"],
    ),
    (
        "language:response_language",
        {"language": "de"},
        "Das ist ein ganz normaler deutscher Satz.",
        ["This is quite an ordinary English sentence."],
    ),
    (
        "length_constraints:number_sentences",
        SENTENCES,
        "Dr. Low left. He ran. Then he slept.",
        ["Dr. Low left. He ran."],
    ),
    (
        "length_constraints:number_paragraphs",
        {"num_paragraphs": 2},
        "One.\n\nStill one.\n***\nTwo.\n***\n",
        ["One.\n\nTwo.", "One.***Two.***Three.", "One.\n***\n \n***\nTwo."],
    ),
    (
        "length_constraints:number_words",
        {"num_words": 3, "relation": LESS},
        "don't",
        ["one two three", "e-mail me"],
    ),
    (
        "length_constraints:nth_paragraph_first_word",
        FIRST_WORD,
        "One.\n\n\"today's news.",
        ["One. Today.", "Today.\n\nOne.", "One.\n\nTodays.", "One.\n\nToday.\n\nThree."],
    ),
    (
        "detectable_content:number_placeholders",
        {"num_placeholders": 2},
        "[name] at [] or",
        ["[name]", "[one\ntwo] [name]", "[[name]"],
    ),
    (
        "detectable_content:postscript",
        {"postscript_marker": "P.S."},
        "Bye.\np. s. more",
        ["PS: more", "P.S more"],
    ),
    ("detectable_content:postscript", {"postscript_marker": "P.P.S"}, "P.P.S more", ["P.S. more"]),
    ("detectable_content:postscript", {"postscript_marker": "N.B."}, "n.b. more", ["nxbx more"]),
    (
        "detectable_format:number_bullet_lists",
        {"num_bullets": 2},
        "List:\n * one\n\n- two",
        ["* one", "* one\n- two\n* three", "** one\n** two", "1. one\n2. two"],
    ),
    (
        "detectable_format:constrained_response",
        {},
        "Well. My answer is maybe.",
        ["My answer is perhaps.", "my answer is no."],
    ),
    (
        "detectable_format:number_highlighted_sections",
        {"num_highlights": 2},
        "*one* and **two**",
        ["*one*", "* * and ** **", "*one\ntwo*"],
    ),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "SECTION", "num_sections": 2},
        "SECTION 1\nOne.\nSECTION2 Two.",
        ["SECTION 1", "Section 1 Section 2", "SECTION A SECTION B"],
    ),
    (
        "detectable_format:json_format",
        {},
        '```json\n{"a": [1]}\n```',
        ["{'a': 1}", 'Here: {"a": 1}', '{"a": 1'],
    ),
    ("detectable_format:title", {}, "<<A title>> and text", ["<A title>", "<< >>", "<<A\ntitle>>", "<<>>"]),
    (
        "combination:two_responses",
        {},
        "One.\n******\nTwo.",
        ["One.", "One.******One.", "One.******Two.******Three.", "One.****** ******Two."],
    ),
    (
        "combination:repeat_prompt",
        {"prompt_to_repeat": "Write a poem."},
        " write a poem. Roses...",
        ["Sure. Write a poem. Roses", "Write the poem."],
    ),
    (
        "startend:end_checker",
        {"end_phrase": "Any questions?"},
        '"So. any questions?"',
        ["Any questions? Bye."],
    ),
    ("startend:quotation", {}, ' "So be it." ', ['"So be it', "So be it", '"', "'So be it'"]),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": AT_LEAST},
        "Go NOW (HOME).",
        ["Go NOW.", "Go Now Home."],
    ),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": LESS},
        "e-Mail A.B.C.",
        ["I'LL go.", "A—B"],
    ),
    (
        "change_case:english_capital",
        {},
        "THE CHILDREN WALK TO THE RIVER WITH THEIR FATHER AND WATCH THE WATER.",
        ["THIS IS QUITE AN ORDINARY English SENTENCE.", "DAS IST EIN GANZ NORMALER DEUTSCHER SATZ."],
    ),
    (
        "change_case:english_lowercase",
        {},
        "this is quite an ordinary english sentence.",
        ["This is quite an ordinary english sentence.", "das ist ein ganz normaler deutscher satz."],
    ),
    ("punctuation:no_comma", {}, "None; at all", ["One, two"]),
]


@pytest.mark.parametrize(("checker", "kwargs", "meets", "fails"), CASES, ids=[case[0] for case in CASES])
def test_an_instruction_is_met_only_by_what_it_asks_for(checker, kwargs, meets, fails):
    check = make_check(checker, kwargs)

    assert judge(check, meets).strict is True
    assert [text for text in fails if judge(check, text).strict] == []


def test_every_instruction_type_has_a_case_here():
    assert {case[0] for case in CASES} == set(SHIPPED)
    assert len(SHIPPED) >= 25, "those of IFEval"


@pytest.mark.parametrize("checker", SHIPPED)
def test_a_blank_response_counts_and_meets_no_instruction(checker):
    kwargs = next(case[1] for case in CASES if case[0] == checker)

    verdicts = [judge(make_check(checker, kwargs), text) for text in ("", " \n\t")]

    assert [(verdict.strict, verdict.loose, verdict.problem) for verdict in verdicts] == [
        (False, False, None)
    ] * 2


@pytest.mark.parametrize(("checker", "kwargs"), [case[:2] for case in CASES])
def test_the_criterion_states_every_argument(checker, kwargs):
    sentence = rubric_columns(checker, kwargs)["criterion"]

    assert sentence.startswith(("The ", "Before "))
    for value in kwargs.values():
        for part in value if isinstance(value, list) else [value]:
            word = {"de": "German", "less than": "fewer than"}.get(part, str(part))
            assert word in sentence


def test_a_text_without_words_passes_for_any_language_as_in_ifeval():
    assert judge(make_check("language:response_language", {"language": "de"}), "123 !?").strict is True


def test_language_detection_is_deterministic():
    check = make_check("change_case:english_capital", {})
    names = "1. ABIGAIL\n2. ALEXANDER\n3. AMELIA\n4. ANDREW\n5. ANNA"

    assert len({judge(check, names).strict for _ in range(10)}) == 1


def test_json_nested_too_deeply_has_no_verdict():
    verdict = judge(make_check("detectable_format:json_format", {}), "[" * 200_000)

    assert (verdict.strict, verdict.loose) == (None, None)
    assert "RecursionError" in (verdict.problem or "")


def test_a_text_too_long_for_sentence_splitting_has_no_verdict():
    verdict = judge(make_check("length_constraints:number_sentences", SENTENCES), "One. " * 300_000)

    assert verdict.strict is None
    assert "1,500,000 characters" in (verdict.problem or "")


@pytest.mark.parametrize(
    "checker", [name for name in SHIPPED if name != "length_constraints:number_sentences"]
)
def test_hostile_texts_get_a_verdict(checker):
    check = make_check(checker, next(case[1] for case in CASES if case[0] == checker))

    for part in ("a", "\n", " ", "*", "[", "<", "\0", '"', "'A", "p.", "***"):
        verdict = judge(check, part * 30_000 + "x")  # quadratic time would take minutes

        if checker != "detectable_format:json_format":
            assert verdict.strict in (True, False), part
            assert verdict.problem is None, part


def test_arguments_that_look_like_patterns_are_taken_literally():
    check = make_check("keywords:existence", {"keywords": ["(a+)+$"]})

    assert judge(check, "a" * 50_000 + "!").strict is False
    assert judge(check, "It is (A+)+$ here").strict is True


def test_arguments_are_accepted_in_the_form_of_input_data():
    null_filled = json.loads('{"num_words": 2, "relation": "at least", "keywords": null, "language": null}')

    assert judge(make_check("length_constraints:number_words", null_filled), "two words").strict is True
