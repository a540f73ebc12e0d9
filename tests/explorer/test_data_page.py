"""The page Data: dropped files, guessed formats, chosen columns and values."""

import json
from pathlib import Path

import pytest
from explorer_studies import Open
from importers.foreign_files import alpaca, judgments
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from engine.importers.format_loading import own_format
from engine.importers.pipeline import reading
from engine.importers.tables.column_candidates import FEW, MEANINGS
from engine.saved_slices import save_slice
from engine.store import Store
from engine.study import Study
from engine.views.registry import VIEWS
from explorer.new_run.column_labels import LABELS

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
CASES = Path(__file__).resolve().parents[1] / "importers" / "cases"


@pytest.fixture
def page(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.delenv("SPB_READ_ONLY", raising=False)
    (tmp_path / "store").mkdir()
    return open_page("data", tmp_path / "store")


def dropped(page: AppTest, *files: tuple[str, bytes]) -> None:
    page.file_uploader(key="import_file").set_value(
        [(name, content, "application/octet-stream") for name, content in files]
    ).run()
    assert not page.exception, [error.stack_trace for error in page.exception]


def press(page: AppTest, key: str) -> None:
    page.button(key=key).click().run()
    assert not page.exception, [error.stack_trace for error in page.exception]


def meaning(page: AppTest, number: int) -> Selectbox[str]:
    """Return the list of what the file's column is, counted from 0."""
    return next(box for box in page.selectbox if str(box.key).startswith(f"import_is_{number}_"))


def meanings(page: AppTest) -> list[str]:
    """Return what each column of the file is taken for, in the words of the lists."""
    boxes = [box for box in page.selectbox if str(box.key).startswith("import_is_")]
    return [LABELS.get(box.value, "not used") for box in boxes]


def contents_of(store: Path, study: str) -> str:
    return VIEWS["contents"].shown(Study.open(store / study), {}).sentences[0]


def texts(page: AppTest) -> str:
    return "\n".join(text.value for text in page.text)


def test_a_dropped_file_is_recognised_previewed_and_imported(page: AppTest, tmp_path: Path) -> None:
    dropped(page, ("annotations.json", json.dumps([*alpaca(1, 2, 1.5, None), 7]).encode()))

    assert "Looks like alpaca-eval: it has output_1" in texts(page)
    assert "5 rows read, 4 taken, 1 left out" in texts(page)
    assert "3 with a verdict (ties: 1), 1 unparsed" in texts(page)
    assert page.code[0].value == "spb import alpaca-eval annotations.json --study annotations"
    assert Store(tmp_path / "store").studies() == [], "the preview writes nothing"
    families = ("models.csv", b"model,family\ntext_davinci_003,Davinci\n", "text/csv")
    page.file_uploader(key="import_models_file").set_value([families]).run()
    press(page, "import_write")

    study = Store(tmp_path / "store").open("annotations")
    assert sorted(study.table("models")["family"].to_pylist()) == ["Davinci", "GPT", "GPT"]


def test_several_files_are_read_as_one_folder(page: AppTest) -> None:
    others = [row | {"generator_2": "claude-3-opus"} for row in alpaca(1, 2)]
    files = [json.dumps(rows).encode() for rows in (alpaca(1, 2), others)]
    dropped(page, ("annotations.json", files[0]), ("annotations.json", files[1]))

    assert "4 rows read, 4 taken" in texts(page)


def test_a_tables_columns_are_guessed_and_ambiguous_values_are_asked_about(
    page: AppTest, tmp_path: Path
) -> None:
    rows = "Rater;model_a;model_b;winner;question\nj;m1;m2;0;Q1\nj;m1;m2;1;Q2\n"
    dropped(page, ("battles.csv", rows.encode("utf-16")))

    assert meanings(page) == [
        *("Who judged", "Who wrote the answer", "Other answer's author", "Winner", "Question number"),
    ]
    assert "Values that still need a meaning: 2." in texts(page)
    page.selectbox(key="import_value_choice_0").select("a").run()
    page.selectbox(key="import_value_choice_1").select("b").run()
    press(page, "import_write")

    study = Store(tmp_path / "store").open("battles")
    assert judgments(study, "judge", "generator", "opponent", "choice") == [
        ("j", "m1", "m2", "generator"),
        ("j", "m1", "m2", "opponent"),
    ]


def test_a_wide_tables_judges_are_chosen_and_the_command_says_so(page: AppTest, tmp_path: Path) -> None:
    dropped(page, ("wide.csv", b"model,question,gpt-4o,claude\na,Q1,yes,no\nb,Q1,no,no\n"))

    for number in (2, 3):
        meaning(page, number).select("judges").run()
    assert page.code[0].value == (
        "spb import table wide.csv --map generator=model --map instance_id=question --set rubric_id=overall "
        "--judge-columns gpt-4o,claude --study wide"
    )
    press(page, "import_write")
    assert len(judgments(Store(tmp_path / "store").open("wide"), "judge")) == 4


def test_a_column_for_each_criterion_is_taken_as_such_and_asked_for_its_scale(
    page: AppTest, tmp_path: Path
) -> None:
    scores = [
        (n, a, j, 1 + (n + a + j) % 5, 1 + (2 * n + j) % 5) for n in range(4) for a in (0, 1) for j in (0, 1)
    ]
    lines = [f"Q{n},{MODELS[a]},{MODELS[j]},{one},{two}\n" for n, a, j, one, two in scores]
    dropped(page, ("wide.csv", ("question,model,judge,clear,kind\n" + "".join(lines)).encode()))

    assert meanings(page)[3:] == ["Verdicts on the criterion that it names"] * 2
    assert "type the top of the scale" in texts(page)
    page.number_input(key="import_scale").set_value(5).run()
    assert "--set scale=5 --criterion-columns clear,kind" in page.code[0].value
    press(page, "import_write")
    study = Store(tmp_path / "store").open("wide")
    assert len(judgments(study, "judge")) == 2 * len(lines)


def test_which_criteria_are_bad_to_meet_is_chosen(page: AppTest, tmp_path: Path) -> None:
    cells = [(n, a, j, n % 2, (n + a + j) % 2) for n in range(8) for a in (0, 1) for j in (0, 1)]
    lines = [f"Q{n},{MODELS[a]},{MODELS[j]},{one},{two}\n" for n, a, j, one, two in cells]
    dropped(page, ("wide.csv", ("question,model,judge,clear,invents\n" + "".join(lines)).encode()))
    for number in (3, 4):
        meaning(page, number).select("criteria").run()

    page.multiselect(key="import_bad_criteria").select("invents").run()
    assert "--value points:invents=-1" in page.code[0].value
    press(page, "import_write")

    rubrics = Store(tmp_path / "store").open("wide").table("rubrics").to_pylist()
    assert {row["rubric_id"]: row["points"] for row in rubrics} == {"clear": 1, "invents": -1}


def test_pass_and_fail_on_a_criterion_that_is_bad_to_meet_are_asked_about(
    page: AppTest, tmp_path: Path
) -> None:
    cells = [(k, points, model) for k, points in (("kind", 1), ("rude", -1)) for model in MODELS]
    rows = [
        f"Q,{k},{points},{model},gpt-4o,{'pass' if model == MODELS[0] else 'fail'}"
        for k, points, model in cells
    ]
    table = "\n".join(["question_id,criterion_id,points,model,judge,verdict", *rows])
    dropped(page, ("v.csv", table.encode()))

    assert "Values that still need a meaning: 2." in texts(page)
    page.selectbox(key="import_value_met_pass").select("good").run()
    page.selectbox(key="import_value_met_fail").select("bad").run()
    assert "--value met:pass=good,fail=bad" in page.code[0].value
    press(page, "import_write")

    stored = judgments(Store(tmp_path / "store").open("v"), "rubric_id", "generator", "met")
    assert {k for k, model, met in stored if model == MODELS[0] and met} == {"kind"}
    assert {k for k, model, met in stored if model == MODELS[1] and met} == {"rude"}


def test_columns_of_judges_and_of_criteria_in_one_table_are_refused(page: AppTest) -> None:
    dropped(page, ("wide.csv", b"model,question,gpt-4o,claude\na,Q1,yes,no\nb,Q1,no,no\n"))

    meaning(page, 2).select("judges").run()
    meaning(page, 3).select("criteria").run()

    assert "not both: choose one" in texts(page)


def test_columns_named_like_models_that_hold_verdicts_are_taken_for_judges(page: AppTest) -> None:
    table = b"question,rubric,model,note,gpt-4o,claude,llama-3\nQ,c,a,x,1,yes,fine\nQ,c,b,y,0,,bad\n"

    dropped(page, ("wide.csv", table))
    judges = "Verdicts of the judge that it names"
    assert meanings(page)[4:] == [judges, judges, "not used"], "llama-3 holds no verdicts"
    assert "--judge-columns gpt-4o,claude" in page.code[0].value


def test_columns_are_not_judges_if_the_table_names_a_judge(page: AppTest) -> None:
    dropped(page, ("long.csv", b"judge,question,model,gpt-4o,score\nJ,Q,gpt-4o,1,1\nJ,Q,b,0,0\n"))

    assert meanings(page)[3] == "not used", "the table names its judge"


def test_an_unknown_format_is_reported_without_a_traceback(page: AppTest) -> None:
    dropped(page, ("notes.json", b"42"))

    assert "matches no known format" in texts(page)


MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")


def test_a_table_with_the_truth_is_previewed_with_what_can_be_measured_of_some_judges(
    page: AppTest,
) -> None:
    """The truth is recognised by its column's name; a judge without failures of its own has no ratio."""
    rows = ["question,model,rater,criterion,verdict,truth"]
    for model in MODELS:
        for judge in MODELS:
            truth = "yes" if model == "gpt-4o" else "no"
            rows += [f"Q{place},{model},{judge},Polite?,yes,{truth}" for place in range(3)]
    dropped(page, ("rubric.csv", "\n".join(rows).encode()))
    assert meanings(page)[5] == "Correct verdict (person or program)"

    measures = next(frame.value for frame in page.dataframe if "answer" in frame.value)
    assert "partly" in set(measures["answer"])
    assert not any("--" in why for why in measures["why"])


def test_pairs_are_asked_which_response_was_shown_first(page: AppTest, tmp_path: Path) -> None:
    rows = "judge,model_a,model_b,winner,question\nj,m1,m2,A,Q1\nj,m2,m1,B,Q1\n"
    dropped(page, ("orders.csv", rows.encode()))

    page.selectbox(key="import_first_shown").select("generator").run()
    press(page, "import_write")

    study = Store(tmp_path / "store").open("orders")
    assert judgments(study, "generator", "first") == [("m1", "generator"), ("m2", "generator")]
    assert "further trials" not in texts(page)


def test_an_order_that_is_not_in_the_file_is_in_the_command_too(page: AppTest) -> None:
    rows = "judge,model_a,model_b,winner,question\nj,m1,m2,A,Q1\nj,m2,m1,B,Q1\n"
    dropped(page, ("orders.csv", rows.encode()))
    assert "--set first=generator" in page.code[0].value

    page.selectbox(key="import_first_shown").select("").run()

    assert "--set first=unknown" in page.code[0].value


def test_true_scores_without_a_criterion_ask_for_it(page: AppTest, tmp_path: Path) -> None:
    rows = [f"j,m1,Q{n},0.{n},0.5" for n in range(1, 5)]
    dropped(page, ("s.csv", "\n".join(["judge,model,question,score,human_score", *rows]).encode()))

    assert "--set rubric_id=overall" in page.code[0].value
    press(page, "import_write")
    assert Store(tmp_path / "store").open("s").table("references").num_rows == 4


def test_advice_for_a_terminal_is_said_as_the_form_has_it(page: AppTest) -> None:
    dropped(page, ("scores.csv", b"judge,model,question,how many\nj,m1,Q1,3\n"))
    assert "Which column is this? Verdict (passed?) or Score." in texts(page)
    assert "FIELD" not in texts(page)


def test_a_list_inside_an_object_is_previewed_and_the_command_says_so(page: AppTest, tmp_path: Path) -> None:
    content = (CASES / "wrapped-list-in-object" / "battle.json").read_bytes()
    dropped(page, ("battle.json", content))

    assert "Each member of results is a row." in texts(page)
    assert "Who wrote the answer" in meanings(page)
    assert "--rows results" in page.code[0].value
    press(page, "import_write")

    study = Store(tmp_path / "store").open("battle")
    assert [choice for (choice,) in judgments(study, "choice")] == [
        *("generator", "opponent", "tie", "generator", None),
    ]


def test_words_for_places_and_codes_are_read_on_the_page_as_by_the_command(
    page: AppTest, tmp_path: Path
) -> None:
    dropped(page, ("places.csv", (CASES / "positional-words-vs-first" / "pairs.csv").read_bytes()))
    press(page, "import_write")

    study = Store(tmp_path / "store").open("places")
    assert judgments(study, "choice") == [("generator",)] * 6


def test_winners_called_like_the_columns_of_models_are_read_on_the_page_as_by_the_command(
    page: AppTest, tmp_path: Path
) -> None:
    rows = [
        f"q{n},{MODELS[0]},{MODELS[1]},{MODELS[0]},left,{place}"
        for n in range(3)
        for place in ("left", "right")
    ]
    header = "question_id,left_model,right_model,judge,winner,shown_first"
    dropped(page, ("sides.csv", "\n".join([header, *rows]).encode()))
    press(page, "import_write")

    study = Store(tmp_path / "store").open("sides")
    assert judgments(study, "choice") == [("generator",)] * 6


def test_codes_are_all_asked_about_on_the_page(page: AppTest) -> None:
    dropped(page, ("half.csv", (CASES / "labels-half-tie" / "pairs.csv").read_bytes()))

    assert "Values that still need a meaning: 3." in texts(page)
    assert page.selectbox(key="import_value_choice_0.5").value == ""


def test_numbers_may_be_of_places_on_the_page_where_the_order_differs(page: AppTest, tmp_path: Path) -> None:
    rows = [f"q{n},gpt-4o,gpt-4o,o3,{swapped},{n % 2 + 1}" for n in range(4) for swapped in ("no", "yes")]
    dropped(page, ("t.csv", "\n".join(["question_id,judge,model_a,model_b,swapped,winner", *rows]).encode()))
    for value, place in (("1", "first"), ("2", "second")):
        page.selectbox(key=f"import_value_choice_{value}").set_value(place).run()
    press(page, "import_write")

    study = Store(tmp_path / "store").open("t")
    assert judgments(study, "first", "choice") == [
        *(("generator", "generator"), ("opponent", "opponent")),
        *(("generator", "opponent"), ("opponent", "generator")),
    ] * 2  # fmt: skip


def with_signs(column: str, good: str, bad: str) -> bytes:
    """Return verdicts on two criteria of four questions; a column says of each whether to meet it is good."""
    rows = [
        f"q{n},gpt-4o,gpt-4o,{criterion},{sign},yes"
        for n in range(4)
        for criterion, sign in (("Names the dose", good), ("Is rude", bad))
    ]
    return "\n".join([f"question_id,judge,model,criterion,{column},verdict", *rows]).encode()


def test_words_that_are_a_criterions_weight_are_asked_about_on_the_page(
    page: AppTest, tmp_path: Path
) -> None:
    dropped(page, ("t.csv", with_signs("points", "zorg", "blip")))

    assert "Values that still need a meaning: 2." in texts(page)
    for value, points in (("zorg", "1"), ("blip", "-1")):
        page.selectbox(key=f"import_value_points_{value}").set_value(points).run()
    press(page, "import_write")
    rubrics = Store(tmp_path / "store").open("t").table("rubrics").to_pylist()
    assert {(row["criterion"], row["points"]) for row in rubrics} == {("Names the dose", 1), ("Is rude", -1)}


def test_a_column_that_may_say_which_criteria_are_bad_is_asked_about_before_the_import(
    page: AppTest, tmp_path: Path
) -> None:
    dropped(page, ("t.csv", with_signs("kind", "good", "bad")))

    assert "'kind' may say which criteria are bad to meet" in texts(page)
    assert LABELS["axis"] not in meanings(page)
    assert "import_write" not in {button.key for button in page.button}
    page.toggle(key="import_all_meanings").set_value(True).run()
    page.selectbox(key="import_signs_kind").set_value("points").run()
    assert LABELS["points"] in meanings(page), "its list says so too"
    press(page, "import_write")
    rubrics = Store(tmp_path / "store").open("t").table("rubrics").to_pylist()
    assert {(row["criterion"], row["points"]) for row in rubrics} == {("Names the dose", 1), ("Is rude", -1)}


def test_a_column_that_says_something_else_than_which_criteria_are_bad_is_left_out(page: AppTest) -> None:
    dropped(page, ("t.csv", with_signs("kind", "good", "bad")))

    page.selectbox(key="import_signs_kind").set_value("else").run()

    assert "--not kind" in page.code[0].value
    assert "import_write" in {button.key for button in page.button}


def test_a_column_that_is_not_used_is_left_out_although_it_is_called_like_ours(
    page: AppTest, tmp_path: Path
) -> None:
    rows = [f"q{n},{n % 2},gpt-4o,gpt-4o,yes" for n in range(8)]
    dropped(page, ("t.csv", "\n".join(["question_id,Theme,judge,model,verdict", *rows]).encode()))
    assert meanings(page)[1] == "Topic"

    meaning(page, 1).select("").run()

    assert "--not Theme" in page.code[0].value
    press(page, "import_write")
    instances = Store(tmp_path / "store").open("t").table("instances").to_pylist()
    assert {row["theme"] for row in instances} <= {None, ""}


def test_what_is_chosen_for_a_column_called_like_ours_replaces_the_guess(
    page: AppTest, tmp_path: Path
) -> None:
    rows = [f"q{n},gpt-4o,gpt-4o,yes,The answer to {n}." for n in range(4)]
    dropped(page, ("t.csv", "\n".join(["question_id,judge,model,verdict,explanation", *rows]).encode()))
    assert meanings(page)[4] == "Judge's reason"

    page.toggle(key="import_all_meanings").set_value(True).run()
    meaning(page, 4).select("response").run()
    press(page, "import_write")

    study = Store(tmp_path / "store").open("t")
    assert study.table("responses")["text"].to_pylist() == [f"The answer to {n}." for n in range(4)]
    assert set(judgments(study, "explanation")) == {(None,)}


def test_a_column_that_would_be_read_in_place_of_one_that_is_not_used_is_left_out_too(page: AppTest) -> None:
    rows = [f"q{n},{'xy'[n % 2]},{'uv'[n // 4]},{'st'[n // 2 % 2]},gpt-4o,gpt-4o,yes" for n in range(8)]
    head = "question_id,ward,shift,floor,judge,model,verdict"
    dropped(page, ("t.csv", "\n".join([head, *rows]).encode()))
    assert meanings(page)[1:4] == ["Kind of task", "Segment, a division of your own", "not used"]
    assert "--not" not in page.code[0].value

    meaning(page, 1).select("").run()

    assert "--not ward --not floor" in page.code[0].value, "else ours for ward would be read from floor"


def test_what_was_chosen_for_a_file_stays_when_the_study_is_called_otherwise(page: AppTest) -> None:
    content = b"item,who,verdict,mark,judge\n1,gpt-4o,ja,7,o3\n1,o3,nein,7,o3\n"

    def choose(ja: str) -> None:
        meaning(page, 1).select("generator").run()
        meaning(page, 2).select("met").run()
        meaning(page, 3).select("").run()
        page.selectbox(key="import_value_met_ja").select(ja).run()
        page.selectbox(key="import_value_met_nein").select("no").run()

    def name(study: str) -> None:
        next(field for field in page.text_input if field.label == "Study").set_value(study).run()
        page.run()
        assert not page.exception

    dropped(page, ("mine.csv", content))
    choose("yes")
    page.text_input(key="import_rubric").set_value("polite").run()
    chosen, command = meanings(page), page.code[0].value.removesuffix("mine")

    name("other")
    assert meanings(page) == chosen
    assert page.code[0].value == f"{command}other"

    press(page, "import_write")
    page.switch_page("app_pages/data.py").run()
    dropped(page, ("mine.csv", content.replace(b"\n1,", b"\n2,")))
    choose("none")
    name("other")
    assert "was in this study" in texts(page)
    command = page.code[0].value.removesuffix("other")
    assert "rubric_id=polite" in command, "as before"
    assert "met:ja=none,nein=no" in command, "as chosen by hand"
    name("third")
    assert "was in this study" not in texts(page)
    assert page.code[0].value == f"{command}third"


def test_a_workbook_that_cannot_be_read_is_refused_in_the_words_of_the_page(page: AppTest) -> None:
    dropped(page, ("t.xlsx", b"none"))

    assert "it is not a readable workbook" in texts(page)
    assert "FIELD" not in texts(page)


def test_what_contradicts_the_study_is_said_before_the_import(page: AppTest) -> None:
    head, row = "question_id,theme,judge,model,verdict", "q1,{},gpt-4o,{},yes"
    dropped(page, ("t.csv", "\n".join([head, row.format("home", "o3")]).encode()))
    press(page, "import_write")
    page.switch_page("app_pages/data.py").run()

    dropped(page, ("t.csv", "\n".join([head, row.format("motor", "gpt-4o")]).encode()))

    assert "theme is 'motor', but the study has the same instance_id with 'home'" in texts(page)
    assert page.button(key="import_write").disabled
    meaning(page, 1).select("").run()
    assert "but the study has" not in texts(page)
    assert not page.button(key="import_write").disabled


def test_what_was_added_with_a_caution_is_not_refused_after_it(page: AppTest) -> None:
    head, row = "question_id,judge,model,criterion,verdict", "{},{},{},{},yes"
    for question, model, criterion in (("1", "gpt-4o", "polite"), ("1.0", "o3", "polite")):
        page.switch_page("app_pages/data.py").run()
        content = "\n".join([head, row.format(question, model, model, criterion)])
        dropped(page, ("t.csv", content.encode()))
        press(page, "import_write")

    assert "The study 't' was imported." in texts(page)
    assert page.text_input(key="import_run").value == ""
    assert not page.button(key="import_write").disabled


def test_a_flag_of_swapped_responses_needs_no_answer_on_the_page(page: AppTest) -> None:
    path = CASES.parent / "tables" / "camel-swapped.csv"
    dropped(page, ("swapped.csv", path.read_bytes()))

    assert "Which answer was shown first" in meanings(page)
    assert "--value first:false=generator,true=opponent" in page.code[0].value
    assert "8 rows read, 8 taken" in texts(page)


def marked(column: str, words: tuple[str, str]) -> bytes:
    """Return verdicts of three judges, of which one differs on each answer, beside what a test decided."""
    rows = [
        f"q{n},{author},{judge},{words[(n + (place == n % 3)) % 2]},{('failed', 'passed')[n % 2]}"
        for n in range(6)
        for author in MODELS
        for place, judge in enumerate(MODELS)
    ]
    return "\n".join([f"question_id,author,judge,{column},unit_test", *rows]).encode()


def test_a_verdict_beside_a_test_is_read_on_the_page_as_by_the_command(page: AppTest, tmp_path: Path) -> None:
    dropped(page, ("marks.csv", marked("mark", ("NOT OK", "OK"))))

    assert meanings(page)[3:] == [LABELS["met"], LABELS["reference_met"]]
    assert page.selectbox(key="import_source").value == "program"
    press(page, "import_write")
    study = Store(tmp_path / "store").open("marks")
    assert set(study.table("references")["source"].to_pylist()) == {"program"}
    assert sum(study.judgments(("met",))["met"].to_pylist()) == 27


def test_columns_of_the_users_own_are_stored_from_the_page_as_by_the_command(
    page: AppTest, tmp_path: Path
) -> None:
    levels, words = ("hard", "easy"), ("no", "yes")
    rows = [
        f"q{question},{author},{judge},{criterion},{levels[question % 2]},{kind},{words[question % 3 > 0]}"
        for question in range(12)
        for author in MODELS
        for judge in MODELS
        for criterion, kind in (("cites a source", "form"), ("is right", "content"))
    ]
    head = "question_id,author,judge,criterion,difficulty,aspect,verdict"
    dropped(page, ("t.csv", "\n".join([head, *rows]).encode()))

    assert meanings(page)[4:6] == [LABELS["category"], LABELS["axis"]]
    press(page, "import_write")
    study = Store(tmp_path / "store").open("t")
    assert set(study.table("instances")["category"].to_pylist()) == {"easy", "hard"}
    assert set(study.table("rubrics")["axis"].to_pylist()) == {"form", "content"}


def test_the_source_of_a_truth_can_be_changed_on_the_page(page: AppTest) -> None:
    dropped(page, ("marks.csv", marked("mark", ("NOT OK", "OK"))))

    page.selectbox(key="import_source").select("human").run()

    assert "--set reference_source=human" in page.code[0].value


def test_a_column_called_bad_is_asked_about_on_the_page(page: AppTest) -> None:
    dropped(page, ("bad.csv", marked("violation", ("0", "1"))))

    assert meanings(page)[3] == LABELS["met"]
    assert "Values that still need a meaning: 2." in texts(page)
    page.selectbox(key="import_value_met_1").select("no").run()
    page.selectbox(key="import_value_met_0").select("yes").run()
    assert "--value met:1=no,0=yes" in page.code[0].value
    assert "54 with a verdict" in texts(page)


def test_which_way_round_scores_of_something_bad_are_is_chosen_on_the_page(page: AppTest) -> None:
    dropped(page, ("bad.csv", marked("toxicity", ("0.25", "0.75"))))
    meaning(page, 3).select("score").run()
    meaning(page, 4).select("").run()

    [box] = [box for box in page.selectbox if str(box.key).startswith("import_points")]
    assert not box.value
    assert "“bad” as “What a high score is”" in texts(page)
    box.select("-1").run()

    assert "--set points=-1 --set rubric_id=toxicity" in page.code[0].value
    assert "54 with a verdict" in texts(page)


def test_a_preview_without_a_verdict_says_so(page: AppTest) -> None:
    dropped(page, ("none.csv", b"judge,model_a,model_b,winner,question_id\no3,o3,gpt-4o,error,1\n"))
    assert "no verdict could be read" in texts(page)


OWN = "item,who,checker,rule,ok,truth\n1,gpt-4o,gpt-4o,Polite?,yes,no\n1,gemma-2-9b,gpt-4o,Polite?,no,no\n"


def test_the_first_five_rows_are_shown_as_they_are_in_the_file(page: AppTest) -> None:
    lines = [f"gpt-4o,m{number},Q{number},{number}" for number in range(7)]
    dropped(page, ("scores.csv", "\n".join(["judge,model,question,score", *lines]).encode()))

    shown = page.dataframe[0].value
    assert list(shown.columns) == ["judge", "model", "question", "score"]
    assert list(shown["model"]) == ["m0", "m1", "m2", "m3", "m4"]


def test_each_column_has_six_meanings_and_all_of_them_when_wanted(page: AppTest) -> None:
    dropped(page, ("own.csv", OWN.encode()))
    meaning(page, 1).select("generator").run()
    meaning(page, 2).select("judge").run()
    assert len(meaning(page, 0).options) == FEW + 1

    page.toggle(key="import_all_meanings").set_value(True).run()

    assert len(meaning(page, 2).options) == len(MEANINGS) + 1
    assert meaning(page, 2).value == "judge", "what was chosen stays"


def test_what_no_column_says_is_named_in_the_words_of_the_lists(page: AppTest) -> None:
    dropped(page, ("own.csv", OWN.encode()))
    assert "Which column is this? Who judged (or type the judge above)." in texts(page)
    assert not [button for button in page.button if button.key == "import_write"]

    meaning(page, 1).select("generator").run()
    page.text_input(key="import_judge").set_value("gpt-4o").run()

    assert "Which column" not in texts(page)
    assert "2 rows read, 2 taken" in texts(page)


def test_each_list_has_the_meanings_that_are_asked_for(page: AppTest) -> None:
    rows = [
        f"A{n},m{n % 3},j{n % 2},{('solid', 'not something I can assess')[n % 5 == 0]}" for n in range(30)
    ]
    dropped(page, ("t.csv", "\n".join(["answer_no,author,rater,rating", *rows]).encode()))

    assert "Which column is this? Verdict (passed?) or Score. If several" in texts(page)
    wanted = {LABELS[name] for name in ("met", "score", "criteria")}
    for number in range(4):
        assert wanted <= {*meaning(page, number).options}
    meaning(page, 0).select("").run()
    assert "Which column is this? Question number or Question's text." in texts(page)
    assert {"Question number", "Question's text"} <= {*meaning(page, 3).options}
    meaning(page, 2).select("").run()
    assert "“Verdicts of the judge that it names” or “Verdicts on the criterion" in texts(page)
    assert LABELS["judges"] in meaning(page, 3).options
    meaning(page, 3).select("judges").run()
    assert LABELS["judges"] in meaning(page, 1).options, "there may be another one"


def test_words_among_scores_are_given_numbers_or_another_meaning(page: AppTest, tmp_path: Path) -> None:
    table = b"judge,model,question,score\no3,o3,1,solid\no3,gpt-4o,1,weak\no3,gpt-4o,2,unsure\n"
    dropped(page, ("t.csv", table))
    meaning(page, 3).select("score").run()

    assert "'score' holds words, which are no scores." in texts(page)
    assert "choose “Verdict (passed?)” in its list" in texts(page)
    assert LABELS["met"] in meaning(page, 3).options
    assert "Values that still need a meaning: 3." in texts(page)
    for word, number in (("solid", "1"), ("weak", "0.25"), ("unsure", "none")):
        page.text_input(key=f"import_value_score_{word}").set_value(number).run()
    press(page, "import_write")

    rows = judgments(Store(tmp_path / "store").open("t"), "instance_id", "status", "score")
    assert set(rows) == {("1", "ok", 1.0), ("1", "ok", 0.25), ("2", "unparsed", None)}


def test_several_columns_of_scores_are_told_of_the_meaning_for_each(page: AppTest) -> None:
    dropped(page, ("t.csv", b"judge,model,question,tone,style\no3,o3,1,1,0.5\no3,gpt-4o,1,0.25,1\n"))
    for number in (3, 4):
        meaning(page, number).select("score").run()

    assert "are all “Score”: choose one of them, or “Verdicts on the criterion that it names” for" in texts(
        page
    )
    assert LABELS["criteria"] in meaning(page, 4).options


def test_who_decided_is_asked_where_the_preview_names_it(page: AppTest) -> None:
    dropped(page, ("marks.csv", marked("mark", ("no", "yes")).replace(b"unit_test", b"correct")))

    box = page.selectbox(key="import_source")
    assert (box.label, box.value) == ("Who decided what is true", "")
    assert "give “people” as “Who decided what is true”" in texts(page)
    assert "reference_source" not in page.code[0].value
    box.select("human").run()
    assert "Who decided what is true" not in texts(page), "it is said"
    assert "--set reference_source=human" in page.code[0].value


def test_a_column_with_the_scale_of_each_row_is_in_the_lists(page: AppTest, tmp_path: Path) -> None:
    dropped(page, ("t.csv", b"judge,model,question,score,scale\no3,o3,1,4,5\no3,gpt-4o,1,3,10\n"))

    assert meanings(page)[3:] == ["Score", "Highest possible score in the row"]
    press(page, "import_write")
    # 4 / 5 and 3 / 10
    assert Store(tmp_path / "store").open("t").judgments(("score",))["score"].to_pylist() == [0.8, 0.3]


def test_scores_from_1_are_said_to_count_as_parts_of_the_highest(page: AppTest) -> None:
    dropped(page, ("t.csv", b"judge,model,question,score\no3,o3,1,7\no3,gpt-4o,1,1\n"))

    # 1 / 7 = 0.143
    assert "1 of 7 is 14 of 100." in texts(page)
    page.number_input(key="import_scale").set_value(10.0).run()
    assert "1 of 10 is 10 of 100." in texts(page)


def test_criteria_that_questions_share_are_counted_once_too(page: AppTest, tmp_path: Path) -> None:
    rows = [f"q{n // 2},m,o3,{('Is right', 'Is kind')[n % 2]},yes" for n in range(6)]
    dropped(page, ("t.csv", "\n".join(["question_id,model,judge,criterion,met", *rows]).encode()))

    assert "3 questions, 6 criteria (2 different ones)" in texts(page)
    press(page, "import_write")
    assert "3 questions, 6 criteria (2 different ones)" in contents_of(tmp_path / "store", "t")


def test_one_criterion_of_all_questions_is_one_before_and_after_the_import(
    page: AppTest, tmp_path: Path
) -> None:
    rows = [f"q{n},m,o3,yes" for n in range(3)]
    dropped(page, ("t.csv", "\n".join(["question_id,model,judge,met", *rows]).encode()))

    assert "3 questions, 1 criterion," in texts(page)
    press(page, "import_write")
    assert "3 questions, 1 criterion," in contents_of(tmp_path / "store", "t")


def test_the_preview_counts_criteria_questions_and_rows_without_a_judge(page: AppTest) -> None:
    rows = [
        "o3,o3,q1,is right,yes,no",
        "o3,m,q1,is right,no,no",
        ",m,q2,is right,yes,yes",
        ",m,q3,is right,,no",
    ]
    dropped(page, ("t.csv", "\n".join(["judge,author,question_id,criterion,verdict,truth", *rows]).encode()))

    assert "3 questions, 1 criterion, 4 reference labels, 2 judgments." in texts(page)
    assert "2 rows name no judge: their truths are stored, the verdict in 1 of them is left out." in texts(
        page
    )


def test_two_columns_with_one_meaning_are_not_imported(page: AppTest) -> None:
    dropped(page, ("own.csv", OWN.encode()))
    meaning(page, 2).select("judge").run()

    meaning(page, 1).select("judge").run()

    assert "'who' and 'checker' are all “Who judged”: choose one of them." in texts(page)
    assert not [button for button in page.button if button.key == "import_write"]


def test_an_existing_study_is_added_to_or_replaced_on_purpose(page: AppTest, tmp_path: Path) -> None:
    content = b"judge,model,question,score\no3,o3,Q1,1\no3,gpt-4o,Q1,0\n"
    dropped(page, ("scores.csv", content))
    assert not [box for box in page.selectbox if box.key == "import_mode"]
    press(page, "import_write")

    page.switch_page("app_pages/data.py").run()
    dropped(page, ("scores.csv", content.replace(b"Q1", b"Q2")))
    assert page.selectbox(key="import_mode").value == "append"
    press(page, "import_write")

    questions = judgments(Store(tmp_path / "store").open("scores"), "instance_id")
    assert sorted(questions) == [("Q1",), ("Q1",), ("Q2",), ("Q2",)]


def test_what_is_replaced_is_said_before(page: AppTest, tmp_path: Path) -> None:
    content = b"judge,model,question,score\no3,o3,Q1,1\no3,gpt-4o,Q1,0\n"
    dropped(page, ("scores.csv", content))
    press(page, "import_write")
    save_slice(Store(tmp_path / "store").open("scores"), "mine", {"theme": "tone"})
    page.switch_page("app_pages/data.py").run()
    dropped(page, ("scores.csv", content + b"o3,o3,Q2,1\n"))
    assert "Replaces" not in texts(page)

    page.selectbox(key="import_mode").select("replace").run()

    assert "Replaces the 2 judgments of 'scores' by the 3 of this file." in texts(page)
    assert "Lost with them: saved slices." in texts(page)


def test_a_study_without_a_name_is_called_like_its_file(page: AppTest, tmp_path: Path) -> None:
    dropped(page, ("scores.csv", b"judge,model,question,score\no3,o3,Q1,1\no3,gpt-4o,Q1,0\n"))
    name = next(field for field in page.text_input if field.label == "Study")

    name.set_value(" ").run()
    assert next(each for each in page.text_input if each.label == "Study").placeholder == "scores, if empty"
    press(page, "import_write")

    assert Store(tmp_path / "store").studies() == ["scores"]
    assert "There is no study" not in texts(page)


def test_an_imported_study_opens_on_its_judges(page: AppTest) -> None:
    dropped(page, ("scores.csv", b"judge,model,question,score\no3,o3,Q1,1\no3,gpt-4o,Q1,0\n"))

    press(page, "import_write")

    assert [header.value for header in page.header] == ["Judges"]


def test_markup_in_names_and_values_of_a_file_stays_text(page: AppTest) -> None:
    table = "judge,model_a,model_b,**[w](http://a.b)**,question\nj,m1,m2,![x](http://a.b/c.png),Q\n"
    dropped(page, ("marked.csv", table.encode()))
    meaning(page, 3).select("choice").run()

    labels = [box.label for box in page.selectbox]
    assert [label for label in labels if "what does" in label], "the value is asked about"
    assert not [label for label in labels if "](" in label]
    assert "**[w](http://a.b)**" in texts(page)


def test_the_mapping_of_a_table_is_kept_as_a_format_that_reads_the_next_one(
    page: AppTest, tmp_path: Path
) -> None:
    dropped(page, ("wide.csv", b"model,question,gpt-4o,claude\na,Q1,ja,nein\nb,Q1,nein,nein\n"))
    for number in (2, 3):
        meaning(page, number).select("judges").run()
    for box in [box for box in page.selectbox if str(box.key).startswith("import_value_met_")]:
        page.selectbox(key=box.key).select("yes" if str(box.key).endswith("_ja") else "no").run()
    request = page.session_state["_import_looked"][1]

    format_toml = tmp_path / "kept.toml"
    format_toml.write_text(request.mapping, "utf-8")
    further = tmp_path / "further.csv"
    further.write_text("model,question,gpt-4o,claude\na,Q2,nein,ja\n", "utf-8")
    with reading(own_format(format_toml), further) as read:
        read.write(Store(tmp_path / "store"), "further")

    assert any(button.label == "Keep this mapping" for button in page.get("download_button"))
    study = Store(tmp_path / "store").open("further")
    assert judgments(study, "judge", "generator", "met") == [("gpt-4o", "a", False), ("claude", "a", True)]


def test_a_table_with_the_columns_of_an_earlier_one_begins_with_its_choices(
    page: AppTest, tmp_path: Path
) -> None:
    dropped(page, ("mine.csv", b"item,who,verdict,mark\n1,gpt-4o,ja,7\n1,o3,nein,7\n"))
    meaning(page, 1).select("generator").run()
    meaning(page, 2).select("met").run()
    meaning(page, 3).select("").run()
    page.text_input(key="import_judge").set_value("gpt-4o").run()
    page.text_input(key="import_rubric").set_value("polite").run()
    page.selectbox(key="import_value_met_ja").select("yes").run()
    page.selectbox(key="import_value_met_nein").select("no").run()
    press(page, "import_write")
    page.switch_page("app_pages/data.py").run()

    dropped(page, ("mine.csv", b"item,who,verdict,mark\n2,gpt-4o,nein,7\n2,o3,ja,7\n"))

    assert "Read as 'mine.csv' was in this study. Change what differs." in texts(page)
    assert meanings(page) == ["Question number", "Who wrote the answer", "Verdict (passed?)", "not used"]
    press(page, "import_write")
    study = Store(tmp_path / "store").open("mine")
    columns = ("instance_id", "judge", "rubric_id", "generator", "met")
    assert set(judgments(study, *columns)) == {
        ("1", "gpt-4o", "polite", "gpt-4o", True),
        ("1", "gpt-4o", "polite", "o3", False),
        ("2", "gpt-4o", "polite", "gpt-4o", False),
        ("2", "gpt-4o", "polite", "o3", True),
    }


def test_the_top_of_a_scale_is_asked_for_whatever_the_scores_reach(page: AppTest, tmp_path: Path) -> None:
    dropped(page, ("t.csv", b"judge,model,question,score\no3,o3,1,4\no3,gpt-4o,1,2\n"))

    assert "Highest possible score: type the top of the scale of the scores." in texts(page)
    assert "import_write" not in {button.key for button in page.button}
    page.number_input(key="import_scale").set_value(5.0).run()
    press(page, "import_write")
    assert Store(tmp_path / "store").open("t").judgments(("score",))["score"].to_pylist() == [0.8, 0.4]


def test_the_study_that_a_table_is_added_to_says_how_it_is_read(page: AppTest, tmp_path: Path) -> None:
    dropped(page, ("first.csv", b"judge,model,question,score\no3,o3,1,7\no3,gpt-4o,1,2\n"))
    page.number_input(key="import_scale").set_value(10.0).run()
    press(page, "import_write")
    page.switch_page("app_pages/data.py").run()
    dropped(page, ("second.csv", b"judge,model,question,score\no3,o3,2,1\no3,gpt-4o,2,1\n"))
    assert "--set scale" not in page.code[0].value, "no study of this name has such a table"

    name = next(field for field in page.text_input if field.label == "Study")
    name.set_value("first").run()
    page.run()

    assert not page.exception
    assert "Read as 'first.csv' was in this study. Change what differs." in texts(page)
    assert "--set scale=10 --study first" in page.code[0].value.replace(" --no-guess", "")
    page.selectbox(key="import_mode").select("replace").run()
    assert "was in this study" not in texts(page), "what is replaced says nothing"
    page.selectbox(key="import_mode").select("append").run()
    press(page, "import_write")
    scores = judgments(Store(tmp_path / "store").open("first"), "instance_id", "score")
    assert set(scores) == {("1", 0.7), ("1", 0.2), ("2", 0.1)}


def test_the_author_of_all_answers_of_a_table_can_be_typed(page: AppTest, tmp_path: Path) -> None:
    dropped(page, ("one.csv", b"judge,question,score\no3,1,1\ngpt-4o,1,0\n"))
    assert "Who wrote the answer (or type the author of all answers above)." in texts(page)

    page.text_input(key="import_generator").set_value("o3").run()
    press(page, "import_write")

    assert set(judgments(Store(tmp_path / "store").open("one"), "generator")) == {("o3",)}


def test_the_same_verdicts_are_added_as_another_run_that_is_named(page: AppTest, tmp_path: Path) -> None:
    content = b"judge,model,question,score\no3,o3,1,1\no3,gpt-4o,1,0\n"
    dropped(page, ("scores.csv", content))
    press(page, "import_write")
    page.switch_page("app_pages/data.py").run()
    dropped(page, ("scores.csv", content))
    assert "name the new run: “Run” (More)" in texts(page)

    page.text_input(key="import_run").set_value("tuesday").run()
    assert "--run tuesday" in page.code[0].value
    press(page, "import_write")

    assert ("tuesday",) in judgments(Store(tmp_path / "store").open("scores"), "run_id")
