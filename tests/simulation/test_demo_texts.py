import json

import numpy as np
import pytest

from engine.errors import BadInputError
from tests.tools.demos.texts import Style, assemble, choose_pieces, read_texts, text_items

CRITERIA = [
    {
        "criterion_id": "thanks",
        "criterion": "Thanks the user.",
        "axis": "communication_quality",
        "points": 2,
        "met": ["Thank you.", "Many thanks."],
        "missed": [""],
    },
    {
        "criterion_id": "cure",
        "criterion": "Promises a cure.",
        "axis": "accuracy",
        "points": -8,
        "met": ["This will cure you."],
        "missed": ["This may help."],
    },
    {
        "criterion_id": "steps",
        "criterion": "Gives a numbered list of steps.",
        "axis": "instruction_following",
        "points": 4,
        "met": ["1. Rest.\n2. Drink."],
        "missed": ["Rest and drink."],
    },
]
CONVERSATIONS = [
    {
        "instance_id": "t-01",
        "theme": "tea",
        "messages": [{"role": "user", "content": "My cup is <b>cold</b>."}],
        "opening": "About your cup:",
        "closing": "That is all.",
        "criteria": ["thanks", "cure"],
    },
    {
        "instance_id": "t-02",
        "theme": "tea",
        "messages": [{"role": "user", "content": "And now?"}],
        "opening": "Next:",
        "closing": "Goodbye.",
        "criteria": ["steps", "cure"],
        "language": "en",
    },
]


def write(folder, criteria=CRITERIA, conversations=CONVERSATIONS):
    for name, rows in (("criteria", criteria), ("conversations", conversations)):
        (folder / name).mkdir()
        lines = [json.dumps(row) for row in rows]
        (folder / name / "tea.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.fixture
def talks(tmp_path):
    return read_texts(write(tmp_path))


def test_conversations_become_items_with_a_rubric_for_each_criterion(talks):
    items = text_items(talks)

    assert items.instances_table().to_pylist()[0] == {
        "instance_id": "t-01",
        "theme": "tea",
        "prompt": '[{"role": "user", "content": "My cup is <b>cold</b>."}]',
        "language": "en",
    }
    assert items.rubrics_table().to_pylist()[1] == {
        "instance_id": "t-01",
        "rubric_id": "cure",
        "length": 16,
        "points": -8.0,
        "axis": "accuracy",
        "criterion": "Promises a cure.",
    }
    assert items.instance.tolist() == [0, 0, 1, 1]


def test_each_criterion_gets_one_of_the_texts_that_meet_or_fail_it(talks):
    rng = np.random.default_rng(0)

    texts = {tuple(choose_pieces(talks[0], [True, False], rng)) for _ in range(50)}

    assert texts == {("Thank you.", "This may help."), ("Many thanks.", "This may help.")}


def test_a_plain_response_is_its_pieces_with_blank_lines_between(talks):
    text = assemble(talks[0], ["Thank you.", "This may help."], Style())

    assert text == "About your cup:\n\nThank you.\n\nThis may help.\n\nThat is all."


def test_an_omitted_piece_leaves_no_gap(talks):
    text = assemble(talks[0], ["", "This may help."], Style())

    assert text == "About your cup:\n\nThis may help.\n\nThat is all."


def test_a_style_adds_a_lead_a_heading_and_bullets_and_sorts_by_weight(talks):
    style = Style(lead="Here goes.", heading="Advice", bullets=True, order="weight")

    text = assemble(talks[0], ["Thank you.", "This may help."], style)

    assert text == (
        "About your cup:\n\nHere goes.\n\n## Advice\n\n- This may help.\n- Thank you.\n\nThat is all."
    )


def test_no_style_is_applied_if_the_layout_is_prescribed(talks):
    style = Style(lead="Here goes.", heading="Advice", bullets=True, order="weight")

    text = assemble(talks[1], ["Rest and drink.", "This may help."], style)

    assert text == "Next:\n\nRest and drink.\n\nThis may help.\n\nGoodbye."


def test_a_piece_of_several_lines_is_unchanged_among_bullets(talks):
    pieces = ["| a | b |\n| --- | --- |", "This may help."]

    text = assemble(talks[0], pieces, Style(bullets=True))

    assert text == "About your cup:\n\n| a | b |\n| --- | --- |\n\n- This may help.\n\nThat is all."


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"met": []}, "criterion 'thanks' needs texts in met"),
        ({"met": [""]}, "criterion 'thanks' needs texts in met"),
        ({"missed": []}, "criterion 'thanks' needs texts in met"),
        ({"missed": ["Thank you."]}, "no text in both"),
        ({"criterion_id": "cure"}, "criterion_id 'cure' occurs twice"),
    ],
)
def test_a_criterion_without_its_texts_is_refused_with_file_and_line(tmp_path, changes, message):
    write(tmp_path, criteria=[{**CRITERIA[0], **changes}, *CRITERIA[1:]])

    with pytest.raises(BadInputError, match=rf"criteria/tea\.jsonl, line \d: .*{message}"):
        read_texts(tmp_path)


def test_a_conversation_with_an_unknown_criterion_is_refused(tmp_path):
    write(tmp_path, conversations=[{**CONVERSATIONS[0], "criteria": ["thanks", "joke"]}])

    with pytest.raises(BadInputError, match=r"conversations/tea\.jsonl, line 1: criterion 'joke' is unknown"):
        read_texts(tmp_path)


def test_a_line_that_is_not_an_object_is_refused(tmp_path):
    write(tmp_path)
    (tmp_path / "criteria" / "tea.jsonl").write_text("[1, 2]\n", encoding="utf-8")

    with pytest.raises(BadInputError, match=r"criteria/tea\.jsonl, line 1: '\[1, 2\]' is not a JSON object"):
        read_texts(tmp_path)


def test_a_folder_without_conversations_is_refused(tmp_path):
    with pytest.raises(BadInputError, match="there are no conversations"):
        read_texts(tmp_path)
