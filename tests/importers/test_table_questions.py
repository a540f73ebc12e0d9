"""Real-world tables: what is mapped, what is asked, and what is stopped before it gives a wrong number."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import dump, judgments, lines, rows_of

from engine.errors import BadInputError, UsageError
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.pipeline import reading
from engine.importers.reading.columns import listed_columns
from engine.importers.reading.value_maps import value_maps
from engine.importers.tables.asking.questions import SampledColumn, met_questions
from engine.importers.tables.table import FORMAT
from engine.store import Store
from engine.store.study_files import StudyFiles


def imported(path: Path, options: ImportOptions | None = None) -> tuple[MappingReport, StudyFiles]:
    store = Store(path.parent / "store")
    with reading(FORMAT, path, options or ImportOptions()) as read:
        read.write(store, "read")
    return read.report, store.open("read")


def options(
    *values: str, judges: str | None = None, scale: str | None = None, **columns: str
) -> ImportOptions:
    return ImportOptions(
        map=columns,
        set={"scale": scale} if scale else {},
        value=value_maps(values),
        judges=listed_columns("--judge-columns", judges) if judges else (),
    )


def pair(winner: object, **more: Any) -> dict[str, Any]:
    return {"judge": "j", "generator": "g", "opponent": "o", "prompt": "Hi", "choice": winner} | more


def score(value: object, **more: Any) -> dict[str, Any]:
    return {"judge": "j", "generator": "g", "instance_id": str(more), "score": value} | more


@pytest.mark.parametrize(
    ("winners", "proposal"),
    [
        ([0, 1, 0], "0=?,1=?"),
        (["0", "1"], "0=?,1=?"),
        ([1.0, 0.0], "1=?,0=?"),
        ([-1, 0, 1], "-1=?,0=?,1=?"),
        ([1, 2, 0], "1=?,2=?,0=?"),
        ([1, 2], "1=?,2=?"),
        ([0, 0.5, 1], "0=?,0.5=?,1=?"),
        ([-2, -1, 0, 1, 2], "-2=?,-1=?,0=?,1=?,2=?"),
        (["0", "error", "1"], "0=?,1=?"),
        (["a", "2"], "2=?"),
    ],
)
def test_winners_by_number_are_asked_about_together(
    tmp_path: Path, winners: list[Any], proposal: str
) -> None:
    path = lines(tmp_path / "t.jsonl", [pair(one, prompt=str(n)) for n, one in enumerate(winners)])

    with pytest.raises(BadInputError, match="tools differ in which number is") as error:
        imported(path)

    assert str(error.value).endswith(f"--value 'choice:{proposal}'")
    assert all(
        repr(f"{winner:g}" if isinstance(winner, float) else str(winner)) in str(error.value)
        for winner in winners
    )


def test_the_question_mark_of_the_proposed_command_is_no_meaning() -> None:
    with pytest.raises(UsageError, match=r"leaves '0' open; write its meaning in place of the \?"):
        options("choice:0=?,1=a")


def test_a_label_may_hold_an_equals_sign_or_in_quotes_a_comma() -> None:
    texts = ["choice:A>B=a,A=B=tie,B>>A=b", 'met:"yes, sure"=yes,no=no']

    assert value_maps(texts) == {
        "choice": {"a>b": "a", "a=b": "tie", "b>>a": "b"},
        "met": {"yes, sure": "yes", "no": "no"},
    }


@pytest.mark.parametrize("label", ["A>B", "A>>B", "[[A>B]]", "[[A]]", "Response A"])
def test_the_labels_of_arena_hard_are_known_words(tmp_path: Path, label: str) -> None:
    rows = [pair(label, prompt="1"), pair("A=B", prompt="2"), pair("B>>A", prompt="3")]

    _, study = imported(lines(tmp_path / "t.jsonl", rows))

    assert judgments(study, "choice") == [("generator",), ("tie",), ("opponent",)]


def test_a_value_map_answers_the_question(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [pair(one, prompt=str(n)) for n, one in enumerate((0, 1, "1.0"))])

    _, study = imported(path, options("choice:0=first,1=second"))

    assert judgments(study, "choice") == [("generator",), ("opponent",), ("opponent",)]


@pytest.mark.parametrize(
    ("winners", "choices"),
    [
        (["g", "o", "tie"], ["generator", "opponent", "tie"]),
        (["A", "-1", "n/a"], ["generator", None, None]),
    ],
)
def test_unambiguous_winners_are_accepted(
    tmp_path: Path, winners: list[Any], choices: list[str | None]
) -> None:
    path = lines(tmp_path / "t.jsonl", [pair(one, prompt=str(n)) for n, one in enumerate(winners)])

    _, study = imported(path)

    assert [choice for (choice,) in judgments(study, "choice")] == choices


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([pair("neither")], "'choice' holds 'neither' .1.; these name neither model"),
        ([score(n, a=n) for n in (1, 4, 5)], "goes up to 5, where 1 is perfect.*--set scale=5"),
        ([score("good")], "these are not numbers"),
        ([score("80%"), score("75%", n=1)], "which are not plain numbers; write 80% as 0.8"),
        ([score("4/5"), score(4, n=1)], "which are not plain numbers"),
        (
            [pair("A", prompt="1"), pair("neither", prompt="2")],
            "holds 'A' .1., 'neither' .1.; 'neither' names",
        ),
        ([score("0,5")], "'score' holds '0,5' .1., which are not numbers; write them with a decimal point"),
        ([score("1,000.5")], "without marks between thousands"),
        (
            [{**score(None), "met": "4", "rubric_id": "r"}],
            "these are neither true nor false.*--value .met:4=[?]. with yes, no, none",
        ),
    ],
)
def test_unexpected_values_stop_the_import_with_a_question(
    tmp_path: Path, rows: list[Any], words: str
) -> None:
    path = lines(tmp_path / "t.jsonl", rows)

    with pytest.raises(BadInputError, match=words):
        imported(path)


def test_a_likert_score_with_its_scale_keeps_all_rows(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [score(n, a=n) for n in (1, 3, 5)])

    report, study = imported(path, options(scale="5"))

    assert [value for (value,) in judgments(study, "score")] == pytest.approx([0.2, 0.6, 1.0])
    assert report.rows_read == report.rows_stored


def test_an_unknown_value_after_the_first_rows_is_a_bad_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 2)
    path = lines(tmp_path / "t.jsonl", [pair(one, prompt=str(n)) for n, one in enumerate("AB?!")])

    report, _ = imported(path)

    assert report.statuses == {"ok": 2, "unparsed": 1}
    assert list(report.left_out) == ["choice names neither side (--value choice:VALUE=a says which)"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (score("abc"), "score is not a number"),
        (score(float("inf")), "score is not a number"),
        (pair(None, p_generator=7), "p_generator is not from 0 to 1"),
        (pair(None, p_generator="high"), "p_generator is not a number"),
        (pair("A", first="middle"), "first names neither answer (--value first:VALUE=a says which)"),
        (pair("A", first="tie"), "first names neither answer (--value first:VALUE=a says which)"),
        (
            {**score(None), "met": "yes", "rubric_id": "r", "reference_met": "perhaps"},
            "reference_met is neither true nor false (--value reference_met:VALUE=yes says which)",
        ),
        ({**score(None), "met": "yes"}, "no rubric_id, which single_rubric needs"),
        ({**score(0.5), "paradigm": "single_rubric", "rubric_id": "r"}, "no met, which single_rubric needs"),
        ({**score(0.5), "paradigm": "pairwise"}, "no opponent, which pairwise needs"),
        ({**score(0.5), "paradigm": "familiarity"}, "score is above 0, which no mean log-probability is"),
        ({**score(5), "scale": 0}, "scale is not a number above 0"),
        (
            {**score(0.5), "rubric_id": "r", "reference_score": 1, "reference_source": "gold:1"},
            "reference_source is not a plain name, human:<id> or committee:<name>",
        ),
    ],
)
def test_a_value_that_fits_no_judgment_is_a_bad_row_and_no_missing_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, row: dict[str, Any], reason: str
) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 2)
    good = [{**pair("A"), "prompt": "1"}, {**score(None), "met": "yes", "rubric_id": "r"}]
    path = lines(tmp_path / "t.jsonl", [*good, row])

    report, study = imported(path)

    assert report.statuses == {"ok": 2}
    assert list(report.left_out) == [reason]
    assert len(judgments(study, "judge")) == 2


def test_missing_references_and_preferences_leave_their_rows_verdicts(tmp_path: Path) -> None:
    rows = [
        *(pair("A", prompt=str(n), preference=one) for n, one in enumerate(("n/a", "-1", "B"))),
        *(
            {**score(0.5, n=n), "rubric_id": "r", "reference_score": one, "scale": 1}
            for n, one in enumerate(("", "error", -1, 0.25))
        ),
    ]

    report, study = imported(lines(tmp_path / "t.jsonl", rows))

    assert report.statuses == {"ok": 7}
    assert rows_of(study.table("preferences"), "outcome") == [(-1,)]
    assert [row for row in rows_of(study.table("references"), "score") if row != (None,)] == [(0.25,)]


def test_true_scores_without_a_criterion_are_on_one_and_noted(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [score(0.5, reference_score=0.75)])

    report, study = imported(path)

    assert rows_of(study.table("references"), "rubric_id", "score") == [("overall", 0.75)]
    assert any("all scores are on one, 'overall'" in note for note in report.notes)


def test_references_of_whole_answers_are_noted_and_not_silently_dropped(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [score(0.5, reference_score=0.75)])

    report, study = imported(path, ImportOptions(set={"paradigm": "direct_assessment"}))

    assert not study.has("references")
    remedy = "not stored in rows without one; to store them, give --set rubric_id=overall"
    assert any(note.endswith(remedy) for note in report.notes)


def test_a_column_that_is_empty_in_the_first_rows_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 2)
    path = tmp_path / "t.csv"
    path.write_text(
        "judge,generator,instance_id,rubric_id,met,status\n"
        "j,g,1,r,yes,\nj,g,2,r,no,\nj,g,3,r,,refused\nj,g,4,r,,error\n",
        "utf-8",
    )

    report, _ = imported(path)

    assert report.statuses == {"ok": 2, "refused": 1, "error": 1}
    assert report.unused == ()


def test_a_scale_can_be_in_a_column(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [{**score(5, n=1), "scale": 10}, {**score(3, n=2), "scale": "4"}])

    _, study = imported(path)

    assert judgments(study, "score") == [(0.5,), (0.75,)]


def test_a_winner_may_be_a_model_in_another_case(tmp_path: Path) -> None:
    models = {"generator": "GPT-4o", "opponent": "Claude"}
    rows = [pair(one, prompt=one, **models) for one in ("gpt-4o", "CLAUDE", "Claude", "tie")]

    _, study = imported(lines(tmp_path / "t.jsonl", rows))

    assert judgments(study, "choice") == [("generator",), ("opponent",), ("opponent",), ("tie",)]


def test_padded_and_capitalised_headers_are_matched_and_absent_ones_reported(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(" Judge ;GENERATOR;Question ID;Met;K\nj;g;1;yes;r\n", "utf-8")

    _, study = imported(path, options(rubric_id="k"))
    assert judgments(study, "judge", "generator", "instance_id", "met") == [("j", "g", "1", True)]

    with pytest.raises(
        UsageError, match="--map judge= names 'rater', which no row has; did you mean 'Judge'; the fields are"
    ):
        imported(path, options(judge="rater"))


def test_paths_reach_into_objects(tmp_path: Path) -> None:
    row = {"q": {"id": "1"}, "scores": {"judge": "j", "verdicts": [{"ok": True}]}, "generator": "g", "k": "r"}
    path = dump(tmp_path / "t.json", [row])

    report, study = imported(
        path, options(judge="scores.judge", met="scores.verdicts[0].ok", instance_id="q.id", rubric_id="k")
    )

    assert judgments(study, "judge", "instance_id", "met") == [("j", "1", True)]
    assert report.unused == ()


def test_a_judge_without_any_cell_has_no_missing_verdicts(tmp_path: Path) -> None:
    rows = [
        {"model": model, "question": question, "gpt-4o": verdict, "Claude 3": None}
        for model, question, verdict in (("a", "Q1", True), ("b", "Q1", None), ("b", "Q2", False))
    ]
    path = dump(tmp_path / "t.json", rows)
    mapping = {"generator": "model", "prompt": "question"}
    wide = ImportOptions(map=mapping, set={"rubric_id": "correct"}, judges=("gpt-4o", "Claude 3"))

    report, study = imported(path, wide)

    assert report.statuses == {"ok": 2, "unparsed": 1}
    assert "empty cells of the judges' columns, counted as missing verdicts: 1" in report.notes
    assert "empty cells of the judges' columns, which give no judgment: 3" in report.notes
    assert {judge for (judge,) in judgments(study, "judge")} == {"gpt-4o"}


def test_a_wide_table_has_a_judgment_for_each_judge(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "model,question,gpt-4o,Claude 3,truth\na,Q1,TRUE,FALSE,yes\nb,Q1,FALSE,,no\nb,Q2,error,TRUE,no\n",
        "utf-8",
    )
    mapping = {"generator": "model", "prompt": "question", "reference_met": "truth"}
    wide = ImportOptions(map=mapping, set={"rubric_id": "correct"}, judges=("gpt-4o", "claude_3"))

    report, study = imported(path, wide)

    assert "empty cells of the judges' columns, counted as missing verdicts: 1" in report.notes
    assert judgments(study, "judge", "generator", "met", "status") == [
        ("gpt-4o", "a", True, "ok"),
        ("Claude 3", "a", False, "ok"),
        ("gpt-4o", "b", False, "ok"),
        ("Claude 3", "b", None, "unparsed"),
        ("gpt-4o", "b", None, "unparsed"),
        ("Claude 3", "b", True, "ok"),
    ]
    assert sorted(rows_of(study.table("references"), "generator", "met")) == [
        ("a", True),
        ("b", False),
        ("b", False),
    ]


def test_a_wide_table_of_words_needs_a_value_map(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", [{"generator": "g", "instance_id": "1", "j1": "ja", "rubric_id": "r"}])

    with pytest.raises(BadInputError, match=r"'j1' holds 'ja' \(1\)"):
        imported(path, options(judges="j1"))

    _, study = imported(path, options("met:ja=yes", judges="j1"))
    assert judgments(study, "judge", "met") == [("j1", True)]


def test_a_saved_data_set_is_read_from_its_arrow_files(tmp_path: Path) -> None:
    import pyarrow as pa

    folder = tmp_path / "set" / "train"
    folder.mkdir(parents=True)
    dump(folder / "state.json", {"_data_files": [{"filename": "data-00000-of-00001.arrow"}]})
    dump(folder / "dataset_info.json", {"features": {}})
    table = pa.Table.from_pylist([pair("A")])
    path = folder / "data-00000-of-00001.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)

    _, study = imported(tmp_path / "set")

    assert judgments(study, "choice") == [("generator",)]


@pytest.mark.parametrize(
    ("column", "values", "words"),
    [
        (
            "criterion_topic",
            ("Tone", "Length"),
            "if it is the quality that the criterion is about, give --map axis=",
        ),
        ("question_topic", ("Law", "Law"), "if it is the question's topic, give --map theme="),
        ("guideline_points", (2, 1), "if it is the criterion's weight, give --map points="),
        ("grader_comment", ("Too long.", "Fine."), "if it is the judge's reason, give --map explanation="),
    ],
)
def test_a_column_near_one_of_ours_is_named_with_what_would_read_it(
    tmp_path: Path, column: str, values: tuple[Any, ...], words: str
) -> None:
    rows = [
        {
            "judge": "j",
            "generator": "g",
            "instance_id": "q",
            "criterion": f"c{n}",
            "met": "yes",
            column: value,
        }
        for n, value in enumerate(values)
    ]
    (tmp_path / "read").mkdir()

    report, _ = imported(lines(tmp_path / "t.jsonl", rows))
    field = words.rpartition("--map ")[2].removesuffix("=")
    mapped, _ = imported(lines(tmp_path / "read" / "t.jsonl", rows), ImportOptions(map={field: column}))

    assert f"{column!r} is not stored; {words}{column}" in report.notes
    assert report.unused == (column,)
    assert mapped.unused == ()
    assert not any("is not stored" in note for note in mapped.notes)


@pytest.mark.parametrize("column", ["latency", "answer_length", "topic_count_total"])
def test_a_column_unlike_ours_has_no_hint(tmp_path: Path, column: str) -> None:
    row = {"judge": "j", "generator": "g", "instance_id": "q", "criterion": "c", "met": "yes", column: 3}

    report, _ = imported(lines(tmp_path / "t.jsonl", [row]))

    assert not any("is not stored" in note for note in report.notes)


@pytest.mark.parametrize(
    ("values", "example"),
    [
        (("good", "meh"), "'met:good=?,meh=?'"),
        (("so", "lala"), "'met:so=?,lala=?'"),
        (("bad", "poor"), "'met:bad=?,poor=?'"),
        (("yes", "meh"), "'met:meh=?'"),
        (("1", "7"), "'met:1=?,7=?'"),
        (("infra", "backend"), "'met:infra=?,backend=?'"),
        (("approve", "maybe", "request changes"), "'met:approve=?,maybe=?,request changes=?'"),
        (("good", "bad"), "met:good=yes,bad=no"),
        (("convincing", "not convincing"), "'met:convincing=yes,not convincing=no'"),
        (("unsupported", "supported"), "met:unsupported=no,supported=yes"),
        (("yes", "rejected"), "met:rejected=no"),
        (("ok", "error"), "'met:ok=?,error=?'"),
        (("no error", "error"), "'met:no error=?,error=?'"),
        (("good", "no errors"), "'met:good=?,no errors=?'"),
        (("yes", "n/a"), "'met:n/a=?'"),
        (("ok", "error", "i cannot assess this"), "'met:ok=?,error=?,i cannot assess this=none'"),
        (("yes", "no", "not applicable"), "'met:not applicable=none'"),
        (("able", "unable"), "met:able=yes,unable=no"),
        (("ja", "nein"), "met:ja=yes,nein=no"),
        (("oui", "non"), "met:oui=yes,non=no"),
        (("sí", "no"), "'met:sí=yes'"),
        (("yes", "no", "i am sorry to say nothing"), "'met:i am sorry to say nothing=none'"),
    ],
)
def test_an_example_says_nothing_that_words_do_not_say(values: tuple[str, ...], example: str) -> None:
    column = SampledColumn("t.csv", "met", "verdict", Counter(values))

    text = met_questions(column)[0].text

    assert text.endswith(
        f"Give --value {example} with yes, no, none (no verdict) or refused in place of each ?"
        if "?" in example
        else f"Give such as --value {example}"
    )


@pytest.mark.parametrize(
    ("values", "answer"),
    [
        ({"0": 60, "1": 40, "7": 1}, {"7": "none"}),
        ({"0": 59, "1": 40, "7": 1}, {"0": "?", "1": "?", "7": "?"}),
        ({"0": 120, "1": 80, "7": 1, "-2": 1}, {"7": "none", "-2": "none"}),
        ({"0": 100, "1": 99, "7": 1, "-2": 1}, {"0": "?", "1": "?", "7": "?", "-2": "?"}),
        ({"0": 500, "1": 500, "0.5": 1}, {"0": "?", "1": "?", "0.5": "?"}),
        ({"0": 500, "1": 500, "0.5": 1, "7": 1}, {"0": "?", "1": "?", "0.5": "?", "7": "?"}),
        ({"yes": 60, "no": 40, "perhaps": 1, "7": 1}, {"perhaps": "?", "7": "none"}),
        ({"yes": 500, "bad": 500, "7": 1}, {"bad": "?", "7": "none"}),
    ],
)
def test_one_stray_number_in_100_verdicts_is_asked_about_alone(
    values: dict[str, int], answer: dict[str, str]
) -> None:
    (question,) = met_questions(SampledColumn("t.csv", "met", "verdict", Counter(values)))

    assert question.answer.value == {"met": answer}


@pytest.mark.parametrize("values", [{"yes": 5, "no": 5, "error": 5}, {"good": 5, "bad": 5, "error": 5}])
def test_a_word_for_no_verdict_is_none_beside_yes_and_no(values: dict[str, int]) -> None:
    questions = met_questions(SampledColumn("t.csv", "met", "verdict", Counter(values)))

    assert all("error" not in each.answer.value["met"] for each in questions)


def test_a_rare_word_for_no_verdict_is_none_beside_yes_alone() -> None:
    assert met_questions(SampledColumn("t.csv", "met", "verdict", Counter(yes=40, error=1))) == []


@pytest.mark.parametrize(("error", "verdicts"), [("no", [True, False]), ("none", [True, None])])
def test_a_word_for_no_verdict_is_read_as_the_user_says(
    tmp_path: Path, error: str, verdicts: list[bool | None]
) -> None:
    rows = [{**score(None, n=word), "met": word, "rubric_id": "r"} for word in ("ok", "error")]
    path = lines(tmp_path / "t.jsonl", rows)

    with pytest.raises(UsageError, match=r"met:error=[?]"):
        imported(path, options("met:ok=yes"))
    _, files = imported(path, options(f"met:ok=yes,error={error}"))

    assert judgments(files, "met") == [(met,) for met in verdicts]


def test_a_file_of_a_folder_that_is_no_text_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "bin.csv").write_bytes(bytes(range(32)) * 8)
    lines(folder / "t.jsonl", [score(1)])

    with pytest.raises(BadInputError, match=r"'bin.csv' is not a text file, although its name says so"):
        imported(folder)
