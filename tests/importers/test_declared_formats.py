"""What a declaration can say: people, turns, conversations, columns of judges, folders, look-alikes."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import spb
from importers.foreign_files import judgments, lines, rows_of

from engine.errors import BadInputError, UsageError
from engine.importers import format_loading as formats
from engine.importers.declared.conversation_sources import MOST_TURNS
from engine.importers.declared.declaration_file import read_declaration
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.model_names.corrections import Corrections
from engine.importers.pipeline import reading
from engine.store import Store
from engine.store.study_files import StudyFiles


def read(
    folder: Path, text: str, path: Path, options: ImportOptions | None = None
) -> tuple[MappingReport, StudyFiles]:
    declared = folder / "mine.toml"
    declared.write_text(text, "utf-8")
    with reading(formats.own_format(declared), path, options) as source:
        source.write(Store(folder / "store"), "read")
    return source.report, Store(folder / "store").open("read")


PAIRS = """
people = ["human", "expert"]
[map]
instance_id = "id"
judge = "rater"
generator = "left"
opponent = "right"
choice = "won"
[set]
first = "a"
[value.choice]
L = "a"
R = "b"
"*" = "none"
"""
PAIR = {"id": 1, "left": "m1", "right": "m2", "won": "L"}


def test_verdicts_of_people_become_what_is_true_and_those_of_models_stay_judgments(tmp_path: Path) -> None:
    rows = [
        PAIR | {"rater": "gpt-4"},
        PAIR | {"rater": "expert_2", "won": "R"},
        PAIR | {"id": 2, "rater": "human_1", "won": "?"},
    ]

    report, study = read(tmp_path, PAIRS, lines(tmp_path / "votes.jsonl", rows))

    assert judgments(study, "judge", "first", "choice") == [("gpt-4", "generator", "generator")]
    assert rows_of(study.table("preferences"), "source", "outcome") == [("human:expert_2", -1)]
    assert list(report.left_out) == ["no verdict"]


def test_a_judge_named_by_the_user_is_no_person(tmp_path: Path) -> None:
    rows = lines(tmp_path / "votes.jsonl", [PAIR | {"rater": "human_1"}])

    _, study = read(tmp_path, PAIRS, rows, ImportOptions(judge="gpt-4"))

    assert judgments(study, "judge", "choice") == [("gpt-4", "generator")]
    assert not study.has("preferences")


def test_a_truth_value_that_a_person_gave_is_a_reference(tmp_path: Path) -> None:
    text = (
        'people = ["human"]\n[map]\ninstance_id = "id"\njudge = "rater"\ngenerator = "m"\nmet = "ok"\n'
        '[set]\nrubric_id = "right"\n'
    )
    rows = [{"id": 1, "rater": name, "m": "a", "ok": ok} for name, ok in (("human_1", "no"), ("j", "yes"))]

    _, study = read(tmp_path, text, lines(tmp_path / "rows.jsonl", rows))

    assert rows_of(study.table("references"), "source", "met") == [("human:human_1", False)]
    assert judgments(study, "judge", "met") == [("j", True)]


def test_a_verdict_over_both_orders_has_no_response_shown_first(tmp_path: Path) -> None:
    text = PAIRS.replace('first = "a"', 'first = "both"')

    _, study = read(tmp_path, text, lines(tmp_path / "pairs.jsonl", [PAIR | {"rater": "gpt-4"}]))

    assert judgments(study, "first", "choice") == [(None, "generator")]


def test_each_turn_of_a_question_is_a_question_with_the_turns_before_it(tmp_path: Path) -> None:
    text = (
        '[map]\ninstance_id = { turn = "@place", of = "id" }\nprompt = { turns = "parts" }\n'
        '[each]\nlist = "parts"\nfewest = 1\n'
    )
    rows = [
        {"id": 7, "parts": ["Name a fruit.", {"content": "Another."}]},
        {"id": 8, "parts": "x"},
        {"id": 9, "parts": ["x"] * (MOST_TURNS + 1)},
    ]

    declared = tmp_path / "mine.toml"
    declared.write_text(text, "utf-8")
    with reading(formats.own_format(declared), lines(tmp_path / "rows.jsonl", rows)) as source:
        instances = list(source.builder.rows["instances"].values())

    turns = [{"role": "user", "content": words} for words in ("Name a fruit.", "Another.")]
    assert instances == [
        {"instance_id": "7", "prompt": "Name a fruit."},
        {"instance_id": "7-turn-2", "prompt": json.dumps(turns)},
    ]
    assert list(source.report.left_out) == ["parts is not a list", "parts has more than 500 turns"]


def test_a_turn_that_is_no_number_leaves_its_row_out(tmp_path: Path) -> None:
    text = PAIRS.replace('instance_id = "id"', 'instance_id = { turn = "turn", of = "id" }')
    rows = [PAIR | {"rater": "j", "turn": turn} for turn in (1, 2, "2", 0, 1.5, None)] + [
        PAIR | {"rater": "k"}
    ]

    report, study = read(tmp_path, text, lines(tmp_path / "rows.jsonl", rows))

    assert judgments(study, "judge", "instance_id") == [
        ("j", "1"),
        ("j", "1-turn-2"),
        ("j", "1-turn-2"),
        ("k", "1"),
    ]
    assert {reason: out.count for reason, out in report.left_out.items()} == {
        "turn is not a whole number from 1": 3
    }


def test_a_conversation_gives_the_question_and_the_last_answer(tmp_path: Path) -> None:
    text = (
        '[map]\njudge = "j"\ngenerator = "m"\nmet = "ok"\nprompt = { messages = "talk", role = "user" }\n'
        'response = { reply = "talk" }\n[set]\nrubric_id = "r"\n'
    )
    talk = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": [{"text": "Ho."}]}]
    rows = [
        {"j": "j", "m": "a", "ok": 1, "talk": json.dumps(talk)},
        {"j": "j", "m": "b", "ok": 1, "talk": talk[:1]},
    ]

    _, study = read(tmp_path, text, lines(tmp_path / "rows.jsonl", rows))

    assert rows_of(study.table("instances"), "prompt") == [("Hi?",)]
    assert rows_of(study.table("responses"), "generator", "text") == [("a", "Ho.")]


JUDGES = """
[map]
instance_id = "q"
generator = "model"
[set]
rubric_id = "right"
[each]
others = ["q", "model"]
fewest = 1
otherwise = "nobody judged"
map = { judge = "@column", met = "value" }
[value.met]
True = "yes"
False = "no"
"*" = "none"
"""


def test_a_part_of_a_text_a_whole_conversation_and_families_are_declared(tmp_path: Path) -> None:
    declaration = """
    [map]
    instance_id = "id"
    judge = { match = "votes-(.+?)(?:-[0-9]{8})?[.]jsonl", in = "@file" }
    generator = "model"
    prompt = { conversation = "talk", skip = ["system"] }
    variant = { match = "style:(.*)", in = "tags" }
    met = "ok"
    [set]
    rubric_id = "kind"
    [families]
    zog = "Acme"
    """
    talk = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hi"}]
    row = {"id": 1, "model": "zog", "talk": talk, "tags": ["level:2", "style:short", "style:x"], "ok": True}
    path = lines(tmp_path / "votes-gpt-4-20260113.jsonl", [row, row | {"id": 2, "tags": []}])

    report, study = read(tmp_path, declaration, path)

    assert judgments(study, "judge", "variant") == [("gpt-4", "short"), ("gpt-4", "default")]
    assert json.loads(study.table("instances").to_pylist()[0]["prompt"]) == talk[1:]
    assert {row.model: (row.family, row.corrected) for row in report.models}["zog"] == ("Acme", True)


def test_a_models_file_prevails_over_declared_families(tmp_path: Path) -> None:
    declared = tmp_path / "mine.toml"
    declared.write_text(PAIRS + '[families]\nm1 = "Acme"\nm2 = "Acme"\n', "utf-8")
    path = lines(tmp_path / "votes.jsonl", [PAIR | {"rater": "gpt-4"}])

    with reading(
        formats.own_format(declared),
        path,
        corrections=Corrections({"m2": {"family": "Zeta"}}, {"m2": "m2"}),
    ) as source:
        families = {row.model: row.family for row in source.report.models}

    assert (families["m1"], families["m2"]) == ("Acme", "Zeta")


def test_a_file_whose_name_gives_no_judge_is_refused(tmp_path: Path) -> None:
    judge_by_name = PAIRS.replace('judge = "rater"', 'judge = { match = "by-(.+)[.]jsonl", in = "@file" }')

    with pytest.raises(UsageError, match=r"'votes.jsonl' does not say who judged; give --judge NAME"):
        read(tmp_path, judge_by_name, lines(tmp_path / "votes.jsonl", [PAIR]))


def test_every_column_besides_those_named_is_a_judge_and_its_empty_cells_are_missing_verdicts(
    tmp_path: Path,
) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("q,model,gpt-4,llama-2\n1,a,True,False\n2,a,,maybe\n3,a,,\n", "utf-8")

    report, study = read(tmp_path, JUDGES, path)

    assert judgments(study, "instance_id", "judge", "met", "status") == [
        ("1", "gpt-4", True, "ok"),
        ("1", "llama-2", False, "ok"),
        ("2", "llama-2", None, "unparsed"),
        ("2", "gpt-4", None, "unparsed"),
    ]
    assert list(report.left_out) == ["nobody judged"]
    assert report.unused == ()


def test_an_empty_cell_of_a_named_judges_column_is_a_missing_verdict(tmp_path: Path) -> None:
    text = (
        'judges = ["gpt-4", "llama-2"]\n[map]\ninstance_id = "q"\ngenerator = "model"\njudge = "judge"\n'
        'met = "verdict"\n[set]\nrubric_id = "right"\n'
    )
    path = tmp_path / "wide.csv"
    path.write_text("q,model,gpt-4,llama-2\n1,a,,no\n2,a,yes,\n", "utf-8")

    report, study = read(tmp_path, text, path)

    assert judgments(study, "instance_id", "judge", "met", "status") == [
        ("1", "gpt-4", None, "unparsed"),
        ("1", "llama-2", False, "ok"),
        ("2", "gpt-4", True, "ok"),
        ("2", "llama-2", None, "unparsed"),
    ]
    assert "empty cells of the judges' columns, counted as missing verdicts: 2" in report.notes


def test_a_name_that_stands_in_is_noted_unless_the_file_or_the_user_gives_one(tmp_path: Path) -> None:
    text = PAIRS.replace(
        '"right"\n',
        '["right", { text = { hard = "m8" }, by = "kind", note = "{text} is taken" }, '
        '{ text = "m9", note = "the other is not named" }]\n',
    )
    rows = [
        {"id": 1, "rater": "j", "left": "m1", "won": "L", "right": "m2"},
        {"id": 2, "rater": "j", "left": "m1", "won": "L", "kind": "hard"},
        {"id": 3, "rater": "j", "left": "m1", "won": "L", "kind": "easy"},
    ]

    report, study = read(tmp_path, text, lines(tmp_path / "rows.jsonl", rows))

    assert judgments(study, "opponent") == [("m2",), ("m8",), ("m9",)]
    assert report.notes == ("m8 is taken", "the other is not named")


def test_files_of_a_folder_are_read_in_the_order_of_names_and_some_are_not(tmp_path: Path) -> None:
    text = 'files = [".jsonl"]\norder = ["question", "answers"]\nskip = ["old"]\n' + PAIRS
    for place in ("a.jsonl", "answers/z.jsonl", "old/b.jsonl", "question.jsonl"):
        lines(tmp_path / "all" / place, [PAIR | {"id": place, "rater": "j"}])

    _, study = read(tmp_path, text, tmp_path / "all")

    assert judgments(study, "instance_id") == [("question.jsonl",), ("answers/z.jsonl",), ("a.jsonl",)]


@pytest.mark.parametrize(
    ("row", "is_other"),
    [
        ({"won": "L", "rater": "j"}, False),
        ({"won": "tied", "rater": "j"}, False),
        ({"won": "left", "rater": "j"}, True),
        ({"won": "L", "rater": "j", "won_again": None}, True),
        ({"won": "L"}, True),
    ],
)
def test_a_row_with_the_signs_can_be_unlike_the_format(
    tmp_path: Path, row: dict[str, Any], is_other: bool
) -> None:
    declared = tmp_path / "mine.toml"
    unlike = '[{ has = ["won_again"] }, { lacks = ["rater"] }, { outside = { won = ["l", "r", "tie*"] } }]'
    declared.write_text(f"unlike = {unlike}\n{PAIRS}", "utf-8")

    assert read_declaration(declared).is_other(row) is is_other


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[map]\njudge = { turn = "t" }', "map.judge.of is None; give a path"),
        ('[map]\njudge = { text = {}, by = "k" }', "map.judge.text is {}; give a text for each value"),
        ('[map]\njudge = { text = "x", note = 3 }', "map.judge.note is 3; give a text, such as"),
        ('[map]\nprompt = { messages = "m" }', "map.prompt.role is None; give a text, such as user"),
        ('[map]\nstatus = "s"\n[value.status]\nx = "fine"', "value.status.'x' is fine; choose from ok"),
        ('unlike = 3\n[map]\njudge = "j"', "unlike is 3; give a list of tables"),
        ('unlike = [{ is = ["x"] }]\n[map]\njudge = "j"', r"unknown entry unlike\[0\].is; choose from has"),
        ('[map]\njudge = "j"\n[each]\nlist = "v"\nothers = ["a"]', "or the columns that are no members"),
        ('people = "human"\n[map]\njudge = "j"', "people is human; give a list of texts"),
    ],
)
def test_a_wrong_entry_is_named_with_its_value_and_what_to_write(
    tmp_path: Path, text: str, message: str
) -> None:
    declared = tmp_path / "mine.toml"
    declared.write_text(text, "utf-8")

    with pytest.raises(BadInputError, match=message):
        read_declaration(declared)


def test_a_vote_in_a_row_that_is_left_out_is_nobodys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wide.csv"
    head = "model,question,references,HumanJudgement,GPT-4\n"
    path.write_text(f"{head}m,Who?,x,True,\nm,Who?,x,False,True\n", "utf-8")

    code = spb(monkeypatch, "import", path, "--as", "judging-the-judges", "--store", tmp_path, "--no-doctor")

    assert code == 0, capsys.readouterr().err
    assert rows_of(Store(tmp_path).open("wide").table("references"), "source", "met") == [("human", False)]
