"""Files of questions: every form read alike, and what is wrong with one named with its place and remedy."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import SpbError
from engine.importers.own_questions.question_checks import Questions
from engine.importers.own_questions.question_columns import QuestionColumnError
from engine.importers.own_questions.question_file import read_questions, text_questions

PROMPTS = ["Why is the sky blue?", "What is 2 + 2; and why?", "=1+1 is what?", "Wie heißt „Öl“?"]


def as_csv(path: Path) -> None:
    quoted = (f'"{prompt}"' for prompt in PROMPTS)
    path.write_text("Question\n" + "\n".join(quoted) + "\n", "utf-8")


def as_workbook(path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="the extra for workbooks is not installed")
    book = openpyxl.Workbook()
    for prompt in ["prompt", *PROMPTS]:
        cell = book.active.cell(row=book.active.max_row + (prompt != "prompt"), column=1)
        cell.value, cell.data_type = prompt, "s"  # a text that begins with = is no formula
    book.save(path)


def as_jsonl(path: Path) -> None:
    path.write_text("".join(json.dumps({"input": prompt}) + "\n" for prompt in PROMPTS), "utf-8")


def as_text(path: Path) -> None:
    path.write_bytes("\r\n\r\n".join(["\ufeff" + PROMPTS[0], *PROMPTS[1:]]).encode())


def as_packed_text(path: Path) -> None:
    path.write_bytes(gzip.compress("\n".join(PROMPTS).encode()))


FORMS: dict[str, Callable[[Path], None]] = {
    "q.csv": as_csv,
    "q.xlsx": as_workbook,
    "q.jsonl": as_jsonl,
    "q.txt": as_text,
    "q.txt.gz": as_packed_text,
}


def prompts(questions: Questions) -> list[str]:
    return [row["prompt"] for row in questions.instances]


@pytest.mark.parametrize("name", FORMS)
def test_the_same_questions_are_read_from_every_form_with_the_same_ids(name: str, tmp_path: Path) -> None:
    FORMS[name](tmp_path / name)

    questions = read_questions(tmp_path / name)

    assert prompts(questions) == PROMPTS
    assert questions.instances == text_questions("\n".join(PROMPTS)).instances
    assert questions.notes == ()


def test_columns_are_found_by_name_and_others_are_named_as_unread(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text(
        "Nr;User Query;Domain;Gold Answer;Criterion 2;Criterion 1;answer\n"
        "7;Why?;maths;Because;Is long;Is true;No\n",
        "utf-8",
    )

    questions = read_questions(path)

    (row,) = questions.instances
    assert (row["prompt"], row["category"], row["reference_answer"]) == ("Why?", "maths", "Because")
    assert [each["criterion"] for each in questions.rubrics] == ["Is true", "Is long"]
    assert questions.unread == ("Nr", "answer")
    assert any("semicolons" in note for note in questions.notes)


def test_criteria_are_lines_of_a_cell_or_a_list_with_points(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    rows = [
        {"prompt": "One?", "rubrics": "- Says one\n\n* Is kind; and short\nSays one"},
        {"prompt": "Two?", "rubrics": [{"criterion": "Says two", "points": -3}, "Is kind"]},
        {"prompt": "Three?", "rubrics": '["Says three"]'},
        {"prompt": "Four?"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")

    questions = read_questions(path)

    ids = [row["instance_id"] for row in questions.instances]
    expected = [
        (ids[0], "Says one", None),
        (ids[0], "Is kind; and short", None),
        (ids[1], "Says two", -3.0),
        (ids[1], "Is kind", None),
        (ids[2], "Says three", None),
    ]
    criteria = [(row["instance_id"], row["criterion"], row.get("points")) for row in questions.rubrics]
    assert criteria == expected


def test_questions_written_as_lines_of_json_are_read_as_the_same_questions(tmp_path: Path) -> None:
    first = tmp_path / "q.csv"
    first.write_text(
        'id,question,criteria,reference\na,"Why, oh why?","Is true\nIs kind",Because\nb,How?,,\n', "utf-8"
    )
    questions = read_questions(first)
    second = tmp_path / "again.jsonl"
    second.write_text(questions.to_jsonl(), "utf-8")

    again = read_questions(second)

    assert (again.instances, again.rubrics) == (questions.instances, questions.rubrics)


def test_a_conversation_is_a_question(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    turns = [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Why?"}]
    path.write_text(json.dumps({"messages": turns}) + "\n", "utf-8")

    assert json.loads(read_questions(path).instances[0]["prompt"]) == turns


def test_blank_and_repeated_questions_are_left_out_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("question,category\nWhy?,a\n,b\nWhy? ,a\nHow?,a\n", "utf-8")

    questions = read_questions(path)

    assert prompts(questions) == ["Why?", "How?"]
    assert questions.notes == (
        "1 row without a question is left out (row 2)",
        "1 row with a question that stands above too is left out (row 3)",
    )


def test_a_question_of_a_million_letters_is_taken_with_a_word_on_its_length(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("question\nWhy?\n" + "x" * 1_000_000 + "\n", "utf-8")

    questions = read_questions(path)

    assert [len(prompt) for prompt in prompts(questions)] == [4, 1_000_000]
    assert questions.notes == (
        "1 question of more than 100,000 characters is more than many models take (row 2)",
    )


def test_latin_1_is_read_and_said(tmp_path: Path) -> None:
    path = tmp_path / "q.txt"
    path.write_bytes("Wie heißt das Öl im Münchner Süden?\nWarum größer?\n".encode("latin-1"))

    questions = read_questions(path)

    assert prompts(questions)[0] == "Wie heißt das Öl im Münchner Süden?"
    assert questions.notes == ("q.txt is not UTF-8; reading it as cp1252",)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("q.csv", b"", "it has no header; expected questions as CSV"),
        ("q.csv", b"question\n", "has no questions; write one on each row"),
        ("q.csv", b"question,category\n,a\n", "no column with values is called prompt or question"),
        ("q.txt", b" \n\n", "has no questions"),
        ("q.jsonl", b"", "has no questions"),
        ("q.jsonl", b'{"prompt": "Why?"}\nWhy?\n', "row 2 (Why?): the line is not JSON"),
        ("q.jsonl", b'{"prompt": {"text": "Why?"}}\n', "row 1: 'prompt' is not text"),
        ("q.jsonl", b'{"prompt": ["Why?"]}\n', "is a list, and not one of chat messages"),
        ("q.jsonl", b'{"prompt": "Why?", "criteria": 3}\n', "'criteria' is neither a text nor a list"),
        ("q.jsonl", b'{"prompt": "Why?", "criteria": [{"points": 3}]}\n', "a criterion without a text"),
        ("q.jsonl", b'{"prompt": "\\ud800"}\n', "prompt holds bytes that are not UTF-8"),
        (
            "q.csv",
            b"question\nWhy, oh why?\n",
            "row 1 (2): not 1 cells, as the header has; put a question that holds a comma",
        ),
        ("q.csv", b'question\n"Why?\nHow?\n', "has a quote that does not end"),
        ("q.csv", b"question\nWhy\0?\n", "row 1: prompt holds a NUL character: 'Why\\x00?'"),
        ("q.csv", b"id,question\na,Why?\na,How?\n", "row 2: its id 'a' is that of row 1 too"),
        (
            "q.csv",
            b"question,reference\nWhy?,a\nWhy?,b\n",
            "row 2: it repeats the question of row 1 with another reference_answer; keep one",
        ),
        (
            "q.csv",
            b"grader,candidate,question,decision,gold\nj,m,Why?,pass,pass\nj,n,Why?,pass,fail\n",
            "is a table of judgments, by its columns, and not of questions; read it with `spb import ",
        ),
        (
            "q.csv",
            b"referee_model,judge,model_a,model_b,text,winner\nx,j,m,n,Why?,m\nx,j,n,m,How?,m\n",
            "is a table of judgments, by its columns",
        ),
        ("q.csv", b"question,prompt\nWhy?,How?\n", "'question' or 'prompt' may hold the questions"),
        ("q.csv", b"What is 2+2?\nWhy?\n", "if that is a question itself, write question as the first line"),
        ("q.csv", b"question,question\nWhy?,How?\n", "its header has 'question' twice"),
        ("q.csv", b"question,criteria,criterion,rubric\nWhy?,a,b,c\n", ""),
        ("q.csv", b"question,reference,gold\nWhy?,a,b\n", "'reference' or 'gold' may hold an answer known"),
        ("q.xlsx", b"PK\x03\x04 no workbook", "it is not a readable workbook"),
        ("q.xls", b"\xd0\xcf\x11\xe0", "the ending '.xls' does not show its format; expected questions"),
        ("q.pdf", b"%PDF", "the ending '.pdf' does not show its format"),
    ],
)
def test_what_is_wrong_is_named(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    if not words:  # nothing is wrong: the first name decides
        assert [row["criterion"] for row in read_questions(path).rubrics] == ["a"]
        return

    with pytest.raises(SpbError) as refused:
        read_questions(path)

    assert refused.value.exit_code == 2
    assert words in str(refused.value)


def test_questions_with_who_wrote_and_rated_them_are_questions(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("question,author,reviewer,score\nWhy?,ann,ben,3\nHow?,ann,cem,4\n")

    assert prompts(read_questions(path)) == ["Why?", "How?"]


def test_a_column_of_questions_that_no_name_tells_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("Nr,Frage\n1,Warum ist der Himmel blau?\n", "utf-8")

    with pytest.raises(QuestionColumnError, match="its columns are 'Nr' and 'Frage'") as refused:
        read_questions(path)

    assert refused.value.likely == "Frage"
    assert prompts(read_questions(path, {"prompt": "frage"})) == ["Warum ist der Himmel blau?"]


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"prompt": "Antwort"}, "unknown column of 'q.csv', for prompt, 'Antwort'; choose from: Nr, Frage"),
        ({"question": "Frage"}, "unknown column of questions 'question'; choose from: prompt, criteria"),
    ],
)
def test_a_wrong_name_lists_the_right_ones(names: dict[str, str], words: str, tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("Nr,Frage\n1,Warum?\n", "utf-8")

    with pytest.raises(SpbError) as refused:
        read_questions(path, names)

    assert words in str(refused.value)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path, words in (
        (tmp_path, "is a folder; give a file with questions as CSV"),
        (tmp_path / "none.csv", "there is no file or folder"),
        (Path("/dev/zero"), "is not a file"),
    ):
        with pytest.raises(SpbError) as refused:
            read_questions(path)
        assert words in str(refused.value)
