"""What an import says on the page Data: by the labels of the form, with no flag of the command line."""

import json
import re
from pathlib import Path

import pytest

from engine.errors import SpbError
from engine.importers.format_loading import row_format, row_formats
from engine.importers.import_options import ImportOptions
from engine.importers.option_spelling import with_options
from engine.words.plain_names import on_page
from explorer.new_run.form_words import FormWords
from explorer.new_run.importing import ImportPreview, ImportRequest, first_look, preview_import, write
from explorer.new_run.uploaded_files import Upload

_FLAG = re.compile(r"--[a-z]|`spb |FIELD|NAME\b")

SCORES = {"instance_id": "q", "generator": "m", "score": "s", "judge": "j"}
PAIRS = {"instance_id": "q", "generator": "a", "opponent": "b", "judge": "j", "choice": "w", "first": "f"}


def request(text: str, form: str = "table", file: str = "t.csv", **options: object) -> ImportRequest:
    spelling = FormWords(options.get("map", {}))  # type: ignore[arg-type]
    given = ImportOptions(**options, no_guess=form == "table", spelling=spelling)  # type: ignore[arg-type]
    return ImportRequest(form, (Upload(file, file, text.encode()),), None, given, strict=False)


def refused(wanted: ImportRequest) -> str:
    """Return what the page says of a file that cannot be read, which has no flag."""
    with pytest.raises(SpbError) as raised:
        preview_import(wanted)
    return without_flags(on_page(raised.value.message))


def without_flags(text: str) -> str:
    assert not _FLAG.search(text), text
    return text


def reasons(preview: ImportPreview) -> list[str]:
    return [without_flags(reason) for reason in preview.report.left_out]


def test_a_table_without_a_judge_is_told_to_use_its_list_or_the_field() -> None:
    mapping = {name: field for name, field in SCORES.items() if name != "judge"}

    assert refused(request("q,m,s,other\n1,gpt-4o,1,x\n", map=mapping)) == (
        "no column is “Who judged”, the model that judged; unused columns: 'other'. Name it with “Who "
        "judged” in the list of its column, or “Judge of the whole file”."
    )
    assert refused(request("q,m,s\n1,gpt-4o,1\n", map=mapping)).endswith(
        "each column is read as something else. Name it with “Judge of the whole file”."
    )


def test_the_two_readings_of_letters_are_a_choice_in_words() -> None:
    table = "q,a,b,j,w,f\n1,gpt-4o,o3,x,A,o3\n2,gpt-4o,o3,x,B,gpt-4o\n"

    assert refused(request(table, map=PAIRS)) == (
        "'t.csv': 'w' holds 'A' (1), 'B' (1), and the table says which answer was shown first. Does a letter "
        "stand for the model (A is “Who wrote the answer”, in any order) or for the place (A was shown "
        "first)? Give “the answer of a” for 'a' and “the answer of b” for 'b', or “the answer shown first” "
        "for 'a' and “the answer shown second” for 'b'."
    )


def test_a_score_above_the_scale_names_the_field_of_the_highest_score(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 20)
    assert refused(request("q,m,s,j\n1,gpt-4o,5,x\n", map=SCORES)) == (
        "'t.csv': 's' goes up to 5, where 1 is perfect. On which scale are the scores? Give 5 as “Highest "
        "possible score”, which divides them, or a higher one."
    )
    many = "1,gpt-4o,1,x\n" * 20  # what is behind the sample is left out, with the reason
    preview = preview_import(request(f"q,m,s,j\n{many}2,gpt-4o,7,x\n", map=SCORES))
    assert reasons(preview) == ["“Score” is not from 0 to 1 (10 as “Highest possible score” divides it)"]


def test_values_without_a_meaning_are_asked_about_in_the_words_of_the_lists() -> None:
    words = {"instance_id": "q", "generator": "m", "met": "s", "judge": "j"}
    rows = "q,m,s,j\n1,gpt-4o,good,x\n2,gpt-4o,bad,x\n"

    question = refused(request(rows, map=words, set={"rubric_id": "overall"}))

    assert question.endswith("Give such as “passed” for 'good' and “failed” for 'bad'.")


def test_verdicts_without_a_criterion_name_the_fields_of_the_form() -> None:
    words = {"instance_id": "q", "generator": "m", "met": "s", "judge": "j"}

    assert refused(request("q,m,s,j\n1,gpt-4o,yes,x\n2,gpt-4o,no,x\n", map=words)).endswith(
        "give “Criterion number” in the list of its column or “Criterion's text” in the list of its column, "
        "or 'overall' as “Criterion of every verdict” if there is only one."
    )


def test_a_file_whose_judge_is_not_named_asks_for_the_judge_of_the_file() -> None:
    wildbench = json.dumps([{"session_id": "1", "parsed_result": {"score": "8"}, "model_test": "gpt-4o"}])
    pair = {"pair_id": "1", "judge_name": "vanilla", "question": "q", "response_model": "gpt-4o"}
    answers = {"response_A": "a", "response_B": "b", "label": "A>B", "judgments": [{"decision": "A>B"}] * 2}

    assert refused(request(wildbench, "wildbench", "f.json")) == (
        "'f.json' does not say who judged, and no folder over it is named eval=JUDGE; give “Judge of the "
        "whole file”"
    )
    assert refused(request(json.dumps(pair | answers), "judgebench", "f.jsonl")).startswith(
        "'f.jsonl': it has no row of the format (the judge is not named: give “Judge of the whole file”: "
    )


def test_ids_that_differ_by_a_fraction_name_the_switch(tmp_path: Path) -> None:
    table = "q,m,s,j\n1,gpt-4o,1,x\n1.0,o3,0,x\n"

    notes = preview_import(request(table, map=SCORES)).report.notes
    write(request(table, map=SCORES), str(tmp_path), "mine", "new")

    (caution,) = [without_flags(on_page(note)) for note in notes if "several ids" in note]
    assert caution.endswith("if they are the same, give “Read a question's id 1.0 as 1” (More)")
    with pytest.raises(SpbError) as repeated:
        write(request(table, map=SCORES), str(tmp_path), "mine", "append")
    assert without_flags(on_page(repeated.value.message)).endswith("name the new run: “Run” (More)")


def test_notes_and_what_is_missing_have_no_flag() -> None:
    mapping = {"instance_id": "q", "generator": "m", "met": "s", "judge": "j", "reference_met": "t"}
    table = "q,m,s,j,t,my_topic\n1,gpt-4o,yes,x,no,a\n2,o3,no,x,yes,b\n"

    preview = preview_import(request(table, map=mapping, set={"rubric_id": "overall"}))

    topic, source, apart = [without_flags(on_page(note)) for note in preview.report.notes]
    assert source.endswith("such as “a program or a test” as “Who decided what is true”")
    assert topic == (
        "'my_topic' is not stored; if it is the question's topic, give “Topic” in the list of 'my_topic'"
    )
    assert apart.startswith("no two authors share a question")
    assert [without_flags(on_page(sentence)) for sentence in preview.diagnosis.relations()]
    committee = "the study has no committee; choose its members on the page Paradigms and committee"
    assert committee in {on_page(each.why) for each in preview.diagnosis.measures}


def test_a_file_of_no_known_format_is_given_one_in_the_list() -> None:
    look = first_look((Upload("notes.json", "notes", b"42"),))

    assert look.problem == "'notes.json' matches no known format; if it has one, choose it as “Format”"
    assert "with a judgment in each row" in without_flags(on_page(row_format("table").expected))


@pytest.mark.parametrize("form", row_formats())
def test_no_note_on_a_field_names_a_flag(form: str) -> None:
    for field in row_format(form).fields:
        without_flags(on_page(with_options(field.note, FormWords())))
