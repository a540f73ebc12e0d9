"""A frame of judgments becomes a study in memory, with the same checks as a file."""

import ast
import itertools
import re
from inspect import signature
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from importers.foreign_files import imported, judgments

import engine
from engine.errors import BadInputError, UsageError
from engine.importers.frames import FrameColumns
from engine.importers.import_options import ImportOptions
from engine.importers.tables.asking.questions import OpenQuestionsError
from engine.importers.tables.table import _EXPECTED
from engine.importers.tables.table_columns import COLUMNS

MET = {"judge": "rater", "generator": "model", "met": "verdict", "instance_id": "question", "rubric_id": "k"}
TRUE: Any = MET | {"reference_met": "truth", "set": {"reference_source": "human"}}
MODELS = ("gpt-4o", "claude-3-haiku")


def verdicts() -> pd.DataFrame:
    """Each model judges both on 4 questions, and says yes to its own only: 4 of 4 against 0 of 4."""
    return pd.DataFrame(
        {"rater": judge, "model": model, "question": n, "k": "r", "verdict": judge == model, "truth": False}
        for judge in MODELS
        for model in MODELS
        for n in range(4)
    )


class OnlyInterchange:
    """A frame that supports only the interchange protocol."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def __dataframe__(self, *args: Any, **options: Any) -> Any:
        return pa.Table.from_pandas(self._frame).__dataframe__(*args, **options)


@pytest.mark.parametrize(
    "library",
    [lambda f: f, pl.from_pandas, pa.Table.from_pandas, OnlyInterchange, lambda f: f.convert_dtypes()],
    ids=["pandas", "polars", "arrow", "interchange", "pandas-nullable"],
)
def test_a_frame_of_any_library_gives_the_same_measures_as_its_file(tmp_path: Path, library: Any) -> None:
    frame = verdicts()
    frame.to_csv(tmp_path / "frame.csv", index=False)
    _, stored = imported("table", tmp_path / "frame.csv", ImportOptions(map=MET | {"reference_met": "truth"}))

    study = engine.from_frame(library(frame), **TRUE)

    rows = study.result("overestimation", resamples=0).rows
    assert rows == engine.Study(stored).result("overestimation", resamples=0).rows
    assert {(row["relation"], row["over"], row["n"]) for row in rows} == {("self", 4, 4), ("other", 0, 4)}


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    study = engine.from_frame(verdicts(), **TRUE)
    study.findings(resamples=50)

    assert list(tmp_path.iterdir()) == []
    assert study.info.parts is not None
    assert study.files.table("models").num_rows == 2


def test_pairs_and_scores_are_also_accepted() -> None:
    pairs = pd.DataFrame(
        {"first": ["a", "b"], "choice": ["model_a", "tie"], "instance_id": ["1", "2"]}
    ).assign(judge="gpt-4o", generator="gpt-4o", opponent="claude-3-haiku")
    scores = pd.DataFrame(
        {"judge": "gpt-4o", "generator": MODELS, "score": [5, float("nan")], "prompt": "Hi"}
    )

    paired = engine.from_frame(pairs)
    with pytest.warns(UserWarning, match=r"have no verdict .*: gpt-4o \(50\.0% of 2, mostly unparsed\)"):
        scored = engine.from_frame(scores, scale=5)

    assert judgments(paired.files, "paradigm", "first", "choice", "status") == [
        ("pairwise", "generator", "generator", "ok"),
        ("pairwise", "opponent", "tie", "ok"),
    ]
    assert sorted(judgments(scored.files, "paradigm", "score", "status"), key=str) == [
        ("direct_assessment", 1.0, "ok"),
        ("direct_assessment", None, "unparsed"),
    ]


def test_a_wide_frame_has_a_column_for_each_judge_and_may_have_names_in_its_index() -> None:
    frame = pd.DataFrame({"q": [1, 2], "model": "gpt-4o", "gpt-4o": [True, True], "o3": [False, None]})

    with pytest.warns(UserWarning, match="no verdict and are not counted: o3"):
        study = engine.from_frame(
            frame.set_index("q"),
            judges=["gpt-4o", "o3"], generator="model", instance_id="q", set={"rubric_id": "correct"},
        )  # fmt: skip

    assert sorted(judgments(study.files, "judge", "instance_id", "met"), key=str) == [
        ("gpt-4o", "1", True),
        ("gpt-4o", "2", True),
        ("o3", "1", False),
        ("o3", "2", None),
    ]


@pytest.mark.parametrize(
    ("change", "arguments", "error", "says"),
    [
        ({}, {"met": "nothing"}, UsageError, ["'nothing'", "'rater'", "set={'met': 'nothing'}"]),
        ({"verdict": "perhaps"}, {}, BadInputError, ["'perhaps' (16)", "value={'met': {'perhaps': '?'}}"]),
        ({"k": None}, {}, BadInputError, ["frame, row 1", "no rubric_id, which single_rubric needs"]),
        ({"question": None}, {"strict": True}, BadInputError, ["frame, row 1"]),
        ({}, {"set": {"metre": 1}}, UsageError, ["'metre'", "rubric_id"]),
    ],
)
def test_an_unusable_frame_is_refused_in_terms_of_the_arguments(
    change: dict[str, Any], arguments: dict[str, Any], error: type[Exception], says: list[str]
) -> None:
    frame = verdicts().assign(**change)

    with pytest.raises(error) as raised:
        engine.from_frame(frame, **MET | arguments)
    assert all(part in str(raised.value) for part in says), raised.value
    assert "--" not in str(raised.value)


def test_a_missing_scale_is_asked_for() -> None:
    frame = pd.DataFrame({"judge": "gpt-4o", "generator": MODELS, "score": [5, 3], "prompt": "Hi"})

    with pytest.raises(BadInputError, match=r"goes up to 5.*Give scale=5, which.*scale=5\)"):
        engine.from_frame(frame)


@pytest.mark.parametrize(("second", "whose"), [("model_b", "'model_a'"), ("rival", "the first model named")])
def test_pairs_without_an_order_are_answered_with_the_option_for_it(second: str, whose: str) -> None:
    first = "model_a" if second == "model_b" else "model"
    row = {"judge": "gpt-4o", first: "gpt-4o", second: "o3", "choice": "a"}
    frame = pd.DataFrame([row | {"question_id": f"q{n}"} for n in range(4)])

    words = rf"if the answer of {whose} was always shown first, give set=\{{'first': 'generator'\}}"
    with pytest.warns(UserWarning, match=words):
        engine.from_frame(frame)


def test_a_scale_that_is_no_number_is_quoted_once() -> None:
    frame = pd.DataFrame({"judge": "gpt-4o", "generator": MODELS, "score": [5, 3], "prompt": "Hi"})

    with pytest.raises(UsageError) as raised:
        engine.from_frame(frame, set={"scale": "five"})

    assert str(raised.value) == "scale='five' is not a number above 0; give one such as 10"


def test_left_out_rows_repeated_judgments_and_uncertain_families_give_warnings() -> None:
    frame = verdicts()
    frame.loc[0, "model"] = None
    frame = pd.concat([frame, frame.tail(2)]).replace("claude-3-haiku", "zog-1")

    with pytest.warns(UserWarning, match="from_frame") as caught:
        engine.from_frame(frame, **MET)

    message = str(caught[0].message)
    assert "no generator: 1 of 18 rows left out (frame, row 1)" in message
    assert "2 judgments repeat" in message
    assert "zog-1" in message


def test_a_family_can_be_given() -> None:
    frame = verdicts().replace("claude-3-haiku", "zog-1")

    study = engine.from_frame(frame, **MET, families={"zog-1": "GPT"})

    assert set(study.files.table("models")["family"].to_pylist()) == {"GPT"}


def test_a_family_for_a_model_that_is_not_in_the_frame_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="families names models that are not in the frame: gpt-4O"):
        engine.from_frame(verdicts(), **MET, families={"gpt-4O": "Other"})


@pytest.mark.parametrize("family", ["gpt", "G-P T"])
def test_a_family_that_is_spelt_otherwise_than_a_known_one_is_that_one_and_said(family: str) -> None:
    frame = verdicts().replace("claude-3-haiku", "zog-1")

    with pytest.warns(UserWarning, match=f"families are spelt as others that are known: '{family}' is 'GPT'"):
        study = engine.from_frame(frame, **MET, families={"zog-1": family})

    assert study.families() == {"gpt-4o": "GPT", "zog-1": "GPT"}


def test_blanks_around_a_family_are_no_part_of_it() -> None:
    study = engine.from_frame(verdicts(), **MET, families={"gpt-4o": " Zog "})

    assert study.families()["gpt-4o"] == "Zog"
    with pytest.raises(UsageError, match=r"families\['gpt-4o'\] is ' '.*give a family"):
        engine.from_frame(verdicts(), **MET, families={"gpt-4o": " "})


def test_a_non_frame_and_an_empty_frame_are_refused() -> None:
    with pytest.raises(UsageError, match=r"pandas or Polars frame.*'list'"):
        engine.from_frame([{"judge": "gpt-4o"}])
    with pytest.raises(BadInputError, match="it is empty"):
        engine.from_frame(verdicts().iloc[:0], **MET)
    twice = verdicts().rename(columns={"truth": "model"})
    with pytest.raises(BadInputError, match="two columns 'model'"):
        engine.from_frame(twice, **MET)


def test_its_arguments_are_the_columns_of_the_table_format() -> None:
    assert list(get_type_hints(FrameColumns)) == list(COLUMNS)


@pytest.mark.parametrize(
    ("columns", "arguments", "says"),
    [
        (
            {"check": "c", "passed": "yes"},
            {},
            "Name it with set={'generator': 'NAME'} if one model wrote all",
        ),
        ({"left": "gpt-4o", "right": "o3"}, {}, "was taken for another with choice='FIELD'"),
        ({"generator": "o3", "met": "yes", "instance_id": "q"}, {"guess": False}, "or criterion='FIELD'"),
        (
            {"model": "o3", "out": "by far"},
            {"met": "out"},
            "{'by far': '?'}} with yes, no, none (no verdict) or refused in place of each ?",
        ),
    ],
)
def test_questions_about_a_frame_name_arguments(
    columns: dict[str, str], arguments: dict[str, Any], says: str
) -> None:
    frame = pd.DataFrame({"judge": ["gpt-4o", "o3"], "question": ["q", "q"]} | columns)

    with pytest.raises(OpenQuestionsError) as raised:
        engine.from_frame(frame, **arguments)

    assert says in str(raised.value)


def test_questions_on_a_verdict_without_a_judge_name_arguments() -> None:
    frame = pd.DataFrame(
        {"model": ["o3", "gpt-4o"], "question": "q", "check": "c", "passed": "yes", "truth": "no"}
    )

    with pytest.raises(OpenQuestionsError) as raised:
        engine.from_frame(frame)

    says = (
        "Name it with set={'judge': 'NAME'}; if no model judged, and only what is true ('truth') is to be "
        "imported, leave the verdicts in 'passed' out: drop passed from the frame."
    )
    assert says in str(raised.value)


def test_a_verdict_that_is_left_out_for_lack_of_a_judge_is_warned_of() -> None:
    frame = pd.DataFrame(
        {"judge": ["o3", None], "generator": "o3", "instance_id": "q", "criterion": "c", "met": "yes"}
        | {"reference_met": "no"}
    )

    with pytest.warns(
        UserWarning, match="1 row names no judge: its truth is stored, its verdict is left out"
    ):
        study = engine.from_frame(frame)

    assert study.files.table("references").num_rows == 1


def test_guessed_columns_are_named_as_arguments() -> None:
    frame = pd.DataFrame({"judge": MODELS, "model name": "o3", "question": "q", "check": "c", "ok": "yes"})

    with pytest.warns(UserWarning, match="columns: generator='model name', met='ok'"):
        engine.from_frame(frame)


IMPORTERS = Path(engine.__file__).parent / "importers"
READERS = [
    path.relative_to(IMPORTERS).as_posix()
    for path in (
        *sorted((IMPORTERS / "tables").rglob("*.py")),
        IMPORTERS / "reading" / "rows.py",
        IMPORTERS / "reading" / "shapes.py",
    )
]
"""The modules of `engine.importers` whose texts a reader of a frame may see."""


@pytest.mark.parametrize("module", READERS)
def test_no_text_of_the_table_reader_names_a_flag(module: str) -> None:
    tree = ast.parse((IMPORTERS / module).read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}

    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings
    ]

    # what a table in a file is expected to be: a frame has its own words
    assert [text for text in texts if re.search(r"--[a-z]", text) and text not in _EXPECTED] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"value": "met:yes=yes"},
            "value is 'met:yes=yes', of type 'str'; give a dict for each",
        ),
        ({"value": {"met": "yes=yes"}}, r"value\['met'\] is 'yes=yes', of type 'str'; give a dict for each"),
        (
            {"value": {"met": {"yes": ["no"]}}},
            r"value\['met'\]\['yes'\] is \['no'\].*give a word, such",
        ),
        ({"value": {1: {"yes": "no"}}}, "value is 1, of type 'int'"),
        ({"value": {"met": {1: "yes", "1": "no"}}}, r"value\['met'\] gives '1' two meanings; keep one"),
        (
            {"set": "judge=gpt-4o"},
            r"set is 'judge=gpt-4o', of type 'str'; give a dict, such as set=\{'j",
        ),
        ({"set": {"judge": ["a"]}}, r"set\['judge'\] is \['a'\], of type 'list'; give a text or a number"),
        ({"set": {1: "a"}}, "set is 1, of type 'int'"),
        ({"families": "g=Llama"}, "families is 'g=Llama', of type 'str'; give a dict of models and families"),
        ({"families": {"g": None}}, r"families\['g'\] is None, of type 'NoneType'; give a family, such as"),
        ({"judges": 3}, "judges is 3, of type 'int'; give a list of columns"),
        ({"judges": {"a": "b"}}, r"judges is \{'a': 'b'\}, of type 'dict'"),
        ({"judges": ["a", 1]}, "judges is 1, of type 'int'"),
        ({"judge": ["a"]}, r"judge is \['a'\], of type 'list'; give the name of a column.*judge='COLUMN'"),
        ({"judge": 3}, "judge is 3, of type 'int'"),
        ({"scale": None}, "scale is None, of type 'NoneType'; give a number, such as scale=10, or the name"),
        ({"scale": True}, "scale is True, of type 'bool'; give a number, such as scale=10, or the name"),
        ({"judges": verdicts()}, "judges is a DataFrame, of type 'DataFrame'; give a list of columns"),
        ({"rows": 1}, "rows is 1, of type 'int'; give the column of lists, such as rows='judgments'"),
        ({"strict": "yes"}, "strict is 'yes'; give True or False"),
        ({"guess": "no"}, "guess is 'no'; give True or False"),
        ({"name": 3}, "name is 3, of type 'int'; give a text, such as name='mine'"),
    ],
)
def test_an_argument_of_another_kind_is_answered_by_what_it_takes(
    arguments: dict[str, Any], words: str
) -> None:
    frame = pd.DataFrame({"judge": ["j"], "generator": ["g"], "prompt": ["Hi"], "met": ["yes"]})

    with pytest.raises(UsageError, match=words):
        engine.from_frame(frame, **arguments)


def test_numbers_of_numpy_are_numbers() -> None:
    scores = pd.DataFrame(
        {"judge": "gpt-4o", "generator": MODELS, 0: [5, 10], "prompt": "Hi", "criterion": "c", "ok": [0, 1]}
    )

    study = engine.from_frame(
        scores, score=np.int64(0), scale=scores[0].max(), points=np.float32(2), reference_met="ok",
        set={"reference_source": "human", "language": np.int64(3)},
        value={"reference_met": {np.int64(0): np.bool_(False), np.int64(1): np.bool_(True)}},
        guess=np.bool_(False),
    )  # fmt: skip

    assert sorted(judgments(study.files, "score")) == [(0.5,), (1.0,)]
    assert study.files.table("rubrics")["points"].to_pylist() == [2.0]
    assert study.files.table("references")["met"].to_pylist() == [False, True]


def test_a_meaning_of_a_value_that_there_is_not_is_warned_of() -> None:
    frame = in_words("yes", "no")

    for given, why in (
        ({"met": {"yess": "yes", "no": "no"}}, r"\{'yess': 'yes'\}\} is without effect: 'met' holds no such"),
        ({"choice": {"x": "a"}}, "is without effect: no column is read as choice"),
    ):
        with pytest.warns(UserWarning, match=why):
            engine.from_frame(frame, value=given)
    engine.from_frame(frame, value={"met": {"true": "yes", "no": "no"}})


def test_a_verdict_beside_the_one_that_a_row_has_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="'points' is not read as score in 16 rows, where 'verdict' has met"):
        study = engine.from_frame(verdicts().assign(points=0.5), **MET, score="points")

    assert set(judgments(study.files, "met", "score")) == {(True, None), (False, None)}


@pytest.mark.parametrize(("who", "says"), [({}, "annotator='FIELD' names people"), ({"set": {
    "reference_source": "program"}}, "the same source")])  # fmt: skip
def test_truths_that_contradict_each_other_are_bad_rows_for_strict(who: dict[str, Any], says: str) -> None:
    frame = verdicts()
    frame.loc[0, "truth"] = True

    with pytest.raises(BadInputError, match=f"row 9: what is true contradicts an earlier row.*{says}"):
        engine.from_frame(frame, **MET, **who, reference_met="truth", strict=True)


def test_what_is_neither_text_nor_a_number_is_refused_with_how_to_make_it_text() -> None:
    months = pd.period_range("2026-01", periods=16, freq="M")

    with pytest.raises(BadInputError, match=r"is not text but of the type Period \(astype\(str\) makes it"):
        engine.from_frame(verdicts().assign(question=months), **MET)


def test_bytes_of_text_are_text() -> None:
    frame = in_words("yes", "no")

    study = engine.from_frame(
        frame.assign(judge=frame["judge"].str.encode("utf-8"), met=frame["met"].str.encode("utf-8"))
    )

    assert judgments(study.files, "judge", "met") == judgments(engine.from_frame(frame).files, "judge", "met")


def test_meanings_may_be_given_by_the_name_of_the_frames_column() -> None:
    frame = in_words("ja", "nein").rename(columns={"met": "verdict"})
    words = {"ja": "yes", "nein": "no"}

    study = engine.from_frame(frame, met="verdict", value={"verdict": words})
    with pytest.raises(UsageError, match="are of one column, 'verdict'; give all in one"):
        engine.from_frame(frame, met="verdict", value={"verdict": words, "met": {"ja": "no"}})
    with pytest.raises(OpenQuestionsError, match="unknown column of value 'verdict'; it is called met here"):
        engine.from_frame(frame, value={"verdict": words})

    assert study.files.judgments(["met"])["met"].to_pylist() == [True, False] * 2


def test_meanings_may_be_python_values() -> None:
    frame = pd.DataFrame(
        {
            "judge": "o3",
            "generator": "o3",
            "prompt": list("abc"),
            "rubric_id": "r",
            "met": ["ok", "bad", "-"],
        }
    )

    with pytest.warns(UserWarning, match="many judgments have no verdict"):
        study = engine.from_frame(frame, value={"met": {"ok": True, "bad": False, "-": None}})

    assert study.files.judgments(["met"])["met"].to_pylist() == [True, False, None]


def test_the_whole_call_repeats_all_that_was_given() -> None:
    given: dict[str, Any] = {
        "set": {"rubric_id": "r"}, "judges": ["a", "b"], "families": {"a": "Alpha"}, "strict": True,
        "name": "mine", "rows": "list", "guess": False,
    }  # fmt: skip
    rows = [{"model": "a", "q": n, "a": "yes", "b": "perhaps"} for n in range(4)]

    with pytest.raises(OpenQuestionsError) as raised:
        engine.from_frame(pd.DataFrame({"list": [rows]}), generator="model", instance_id="q", **given)

    call = str(raised.value).partition("All together")[2]
    assert [name for name, each in given.items() if f"{name}={each!r}" not in call] == []
    arguments = {name for name, each in signature(engine.from_frame).parameters.items() if each.kind == 3}
    assert arguments - given.keys() == {"value", "criteria"}, "one is asked for, and one excludes judges"


@pytest.mark.parametrize("library", [lambda frame: frame, pl.from_pandas], ids=["pandas", "polars"])
def test_a_call_without_a_column_is_one_that_runs(library: Any) -> None:
    frame = library(verdicts().assign(k=["r", "s"] * 8, wt=[-1, 2] * 8))

    with pytest.raises(OpenQuestionsError) as raised:
        engine.from_frame(frame, **TRUE)

    call = re.search(r"if it is something else: (engine\.from_frame\(frame\.drop.*)", str(raised.value))
    assert call is not None
    study = eval(call[1], {"engine": engine, "frame": frame})  # noqa: S307 - what people would paste
    assert len(study.judgments()) == 16


@pytest.mark.parametrize("is_wide", [True, False])
def test_truths_alone_beside_what_judges_may_have_found_are_asked_about(*, is_wide: bool) -> None:
    frame = verdicts()
    if is_wide:
        frame = pd.DataFrame(
            {"model": model, "question": n, "k": "r", "truth": False} | dict.fromkeys(MODELS, True)
            for model in MODELS
            for n in range(4)
        )
    given = {name: TRUE[name] for name in ("generator", "instance_id", "rubric_id", "reference_met", "set")}

    with pytest.raises(OpenQuestionsError, match="only what is true is read of each row") as raised:
        engine.from_frame(frame, **given)

    names = {"engine": engine, "frame": frame}
    calls = [
        each.partition(";")[0] for each in re.findall(r"engine\.from_frame\(.*?\)(?=;|$)", str(raised.value))
    ]
    judged, true = (eval(call, names) for call in calls)  # noqa: S307 - what people would paste
    assert (len(judged.judgments()), len(true.judgments())) == (16, 0)


def test_repeats_that_are_scored_otherwise_are_counted() -> None:
    frame = verdicts().assign(score=3)
    repeats = pd.concat([frame, frame.assign(score=[3, 9] * 8)])

    with pytest.warns(
        UserWarning, match="16 judgments repeated.*; 8 repeated judgments have scores that dif"
    ):
        engine.from_frame(
            repeats, judge="rater", generator="model", instance_id="question", score="score", scale=10
        )


def test_a_pair_without_an_opponent_is_left_out_as_that() -> None:
    rows = [
        {"judge": "o3", "question": n, "left_model": one, "right_model": other, "winner": "left"}
        for n in range(4)
        for one, other in (MODELS, MODELS[::-1], ("gpt-4o", None))
    ]

    with pytest.warns(UserWarning, match="no opponent, and none is in 'right_model': 4 of 12 rows left out"):
        engine.from_frame(
            pd.DataFrame(rows), generator="left_model", opponent="right_model", choice="winner", judge="judge"
        )


def test_a_proposal_knows_the_words_beside_those_that_it_explains() -> None:
    frame = verdicts().replace({"verdict": {True: "sí", False: "no"}})

    with pytest.raises(OpenQuestionsError, match=r"reads 'sí' as yes.*value=\{'met': \{'sí': 'yes'\}\}\)$"):
        engine.from_frame(frame, **TRUE)


def test_a_large_number_is_written_short_and_read_by_that() -> None:
    frame = verdicts().assign(verdict=[1.0, 1e308] * 8)

    with pytest.raises(OpenQuestionsError, match=r"\{'1': '\?', '1e\+308': '\?'\}"):
        engine.from_frame(frame, **TRUE)
    study = engine.from_frame(frame, value={"met": {"1": "yes", "1e+308": "no"}}, **TRUE)
    assert list(study.judgments().met) == [True, False] * 8


@pytest.mark.parametrize("verdict", ["met", "score", "choice"])
def test_a_value_can_mean_that_the_judge_refused(verdict: str) -> None:
    frame = verdicts().rename(columns={"verdict": verdict}).assign(opponent="o3", first="generator")
    frame = frame if verdict == "choice" else frame.drop(columns=["opponent", "first", "truth"])
    frame[verdict] = ["Sorry, no"] + [{"met": "yes", "score": 1, "choice": "a"}[verdict]] * 15
    columns: Any = {"judge": "rater", "generator": "model", "instance_id": "question"}
    columns |= {"rubric_id": "k"} if verdict == "met" else {}

    with pytest.warns(UserWarning, match="mostly refused"):
        study = engine.from_frame(frame, value={verdict: {"Sorry, no": "refused"}}, **columns)

    assert study.judgments().status.value_counts().to_dict() == {"ok": 15, "refused": 1}


def test_a_truth_of_nobody_is_stored_as_peoples_with_a_warning() -> None:
    frame = verdicts().assign(who="Ana").rename(columns={"truth": "gold"})
    named = frame.rename(columns={"gold": "human_label"})

    with pytest.warns(
        UserWarning, match=r"'gold' says what is true, and nothing says who decided it.*source"
    ):
        study = engine.from_frame(frame, **MET, reference_met="gold")
    engine.from_frame(frame, **MET, reference_met="gold", annotator="who")
    engine.from_frame(named, **MET, reference_met="human_label")

    assert set(study.files.table("references")["source"].to_pylist()) == {"human"}


def labelled(*people: str) -> pd.DataFrame:
    labels = [(model, n, person, (n + at) % 3 == 0) for model in MODELS for n in range(4)
              for at, person in enumerate(people)]  # fmt: skip
    return pd.DataFrame(labels, columns=["model", "question", "annotator", "label"])


def test_a_judgment_merged_with_the_labels_of_several_people_is_one_judgment() -> None:
    frame = verdicts().drop(columns="truth").merge(labelled("Ana", "Ben", "Cleo"))

    study = engine.from_frame(frame, **MET, reference_met="label")

    assert len(study.judgments()) == len(verdicts())
    sources = study.files.table("references")["source"].to_pylist()
    assert {source: sources.count(source) for source in sources} == {
        "human:Ana": 8, "human:Ben": 8, "human:Cleo": 8,
    }  # fmt: skip


def test_repeats_of_a_judgment_that_was_merged_with_labels_stay_its_trials() -> None:
    twice = pd.concat([verdicts(), verdicts()]).drop(columns="truth").merge(labelled("Ana", "Ben", "Cleo"))

    with pytest.warns(UserWarning, match=r"16 judgments repeated.*labels of several people are one judgment"):
        study = engine.from_frame(twice, **MET, reference_met="label")

    assert len(study.judgments()) == 2 * len(verdicts())


def test_verdicts_and_labels_in_one_object_are_no_further_labels() -> None:
    cells = [{"judge": met, "human": n > 1} for n, met in enumerate((True, False, True, False))]
    frame = pd.DataFrame({"judge": "gpt-4o", "model": "o3", "q": "q1", "k": "r", "of": cells})

    with pytest.warns(UserWarning, match="3 judgments repeated, counted as further trials"):
        study = engine.from_frame(frame, generator="model", instance_id="q", rubric_id="k", met="of.judge",
                                  reference_met="of.human")  # fmt: skip

    assert len(study.judgments()) == 4


def in_words(*words: str) -> pd.DataFrame:
    """Two models judge each other with one word for each question."""
    return pd.DataFrame(
        {"judge": judge, "generator": model, "instance_id": f"q{n}", "rubric_id": "r", "met": word}
        for judge, model in (MODELS, MODELS[::-1]) for n, word in enumerate(words)
    )  # fmt: skip


def test_the_whole_call_has_what_is_open_beside_what_was_answered_for_the_user() -> None:
    frame = pd.DataFrame({"model": "a", "q": range(4), "a": "yes", "b": "perhaps"})

    with pytest.raises(OpenQuestionsError) as raised:
        engine.from_frame(frame, generator="model", instance_id="q", judges=["a", "b"])

    call = str(raised.value).partition("All together")[2]
    assert "set={'rubric_id': 'overall'}" in call
    assert "value={'met': {'perhaps': '?'}}" in call


def test_spellings_that_differ_by_case_are_asked_about_and_read_each_by_its_own_meaning() -> None:
    frame = in_words("X", "x", "x")

    with pytest.raises(OpenQuestionsError, match=r"Give value=\{'met': \{'X': '\?', 'x': '\?'\}\}"):
        engine.from_frame(frame)
    study = engine.from_frame(frame, value={"met": {"X": "yes", "x": "no"}})

    assert study.files.judgments(["met"])["met"].to_pylist() == [True, False, False] * 2


def test_a_spelling_between_two_of_different_meanings_is_asked_about() -> None:
    meanings = {"met": {"Pass": "yes", "PASS": "no"}}

    with pytest.warns(UserWarning, match="'PASS': 'no'}} is without effect: 'met' holds no such value"):
        exact = engine.from_frame(in_words("Pass", "fail"), value=meanings)
    with pytest.raises(OpenQuestionsError, match="gives other spellings of it different meanings") as raised:
        engine.from_frame(in_words("pass", "fail"), value=meanings)

    assert exact.files.judgments(["met"])["met"].to_pylist() == [True, False] * 2
    assert str(raised.value).endswith("value={'met': {'Pass': 'yes', 'PASS': 'no', 'pass': '?'}})")


def test_a_later_spelling_between_two_of_different_meanings_leaves_its_row_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 20)
    frame = in_words(*["Pass"] * 20, "pass")

    with pytest.warns(UserWarning, match="met is another spelling of 'Pass' and 'PASS'.*2 of 42 rows"):
        engine.from_frame(frame, value={"met": {"Pass": "yes", "PASS": "no"}})


@pytest.mark.parametrize(
    ("frame", "problem"),
    [
        (verdicts()["verdict"], "this is 'Series', one column: give the whole frame, or its to_frame()"),
        (pd.DataFrame, "this is the class 'DataFrame', not a frame of it"),
        (pl.DataFrame({"judge": ["a"]}).lazy(), "this is 'LazyFrame'; give its collect()"),
        (5, "this is 'int'"),
    ],
)
def test_what_is_no_frame_is_refused_with_what_to_give(frame: object, problem: str) -> None:
    with pytest.raises(UsageError) as raised:
        engine.from_frame(frame)

    assert str(raised.value).endswith(problem)


def test_a_column_that_we_call_otherwise_is_not_taken_for_one_the_wrong_way_round() -> None:
    frame = verdicts().assign(prompt="Hi")

    with pytest.raises(UsageError, match="unknown column 'question'; it is called prompt here"):
        engine.from_frame(frame.drop(columns="question"), question="prompt")
    with pytest.raises(UsageError, match="the name of our column comes first: judge='rater'"):
        engine.from_frame(frame, rater="judge")


def test_a_warning_stands_at_the_line_that_calls_the_package() -> None:
    frame = pd.concat([verdicts(), verdicts().tail(2)])

    for call in (engine.from_frame, engine.audit):
        with pytest.warns(UserWarning, match="2 judgments repeated") as caught:
            call(frame, **MET)
        assert {each.filename for each in caught if "repeated" in str(each.message)} == {__file__}


def test_the_help_lists_the_columns_with_their_meanings() -> None:
    lines = str(engine.from_frame.__doc__).partition("Columns:\n")[2].splitlines()

    assert [line.strip() for line in lines if line.strip()] == [
        f"{name}: {meaning}" for name, meaning in COLUMNS.items()
    ]


def on_criteria(**names: str) -> pd.DataFrame:
    """Return verdicts on 3 criteria of 2 qualities; columns may have other names."""
    frame = pd.DataFrame(
        {"judge": judge, "model": model, "question": f"q{n}", "crit": f"c{n_criterion}"}
        | {"crit_text": f"It does what {n_criterion} says", "dimension": ("tone", "facts")[n_criterion > 0]}
        | {"passed": judge == model}
        for judge in MODELS
        for model in MODELS
        for n in range(4)
        for n_criterion in range(3)
    )
    return frame.rename(columns=names)


def test_what_is_called_a_criterion_comes_before_the_quality_that_it_is_about() -> None:
    frame = on_criteria()

    with pytest.warns(UserWarning, match="criterion='crit_text'"):
        engine.from_frame(frame)
    with pytest.warns(UserWarning, match="rubric_id='crit'"):
        engine.from_frame(frame.drop(columns="crit_text"))


def test_the_finer_of_two_columns_is_the_criterion_whatever_it_is_called() -> None:
    frame = on_criteria(crit="item", crit_text="wording")

    with pytest.raises(OpenQuestionsError, match="differ in 'item' and in 'wording': if that names the crit"):
        engine.from_frame(frame)
    with pytest.warns(UserWarning, match="same 'dimension' and differ in 'item', so 'item' is taken"):
        study = engine.from_frame(frame.drop(columns="wording"))
    assert set(study.judgments().rubric_id) == {"c0", "c1", "c2"}


def test_an_id_that_leaves_a_judge_several_verdicts_which_another_id_tells_apart_is_asked_about() -> None:
    frame = pd.DataFrame(
        {"judge": judge, "model": model, "pos_id": f"p{n}", "item": f"c{n_criterion}"}
        | {"dimension": ("tone", "facts")[n_criterion > 0], "passed": judge == model}
        for judge in MODELS
        for model in MODELS
        for n in range(13)
        for n_criterion in range(3)
    )

    with pytest.raises(OpenQuestionsError, match="question's id, may be 'item' or 'pos_id'") as raised:
        engine.from_frame(frame)

    assert "instance_id='pos_id'" in str(raised.value)


def test_nights_of_one_quality_for_each_question_are_no_criteria() -> None:
    frame = on_criteria(crit="shift").drop(columns=["crit_text"]).assign(dimension="tone")

    with pytest.raises(OpenQuestionsError, match="if that names the run, such as the night, give run_id='sh"):
        engine.from_frame(frame)


@pytest.mark.parametrize(("first", "second"), [("left_model", "right_model"), ("model_a", "model_b")])
def test_the_side_in_a_columns_name_says_which_was_shown_first_whoever_is_the_generator(
    first: str, second: str
) -> None:
    rows = [
        {"judge": "o3", "question": n, first: one, second: other, "winner": one}
        for n in range(4)
        for one, other in (MODELS, MODELS[::-1])
    ]

    with pytest.warns(UserWarning, match=f"'{first}' is taken to be the answer shown first"):
        study = engine.from_frame(pd.DataFrame(rows), generator=second, opponent=first)

    assert set(study.judgments()["first"]) == {"opponent"}


def stories(n: int = 20) -> pd.DataFrame:
    """Verdicts of two judges on two writers by three rules; stories are of three beats."""
    return pd.DataFrame(
        {"story": f"S{q}", "beat": ("court", "sport", "school")[q % 3], "writer": writer, "grader": grader}
        | {"rule": rule, "verdict": "yes" if (q + len(rule) + len(writer)) % 3 else "no"}
        for q, writer, grader, rule in itertools.product(
            range(n), ("gpt-4o", "claude-3-opus"), ("gpt-4o", "claude-3-opus"), ("lead", "place", "style")
        )
    )


def test_one_criterion_is_not_offered_where_a_judge_has_several_verdicts_by_any_question() -> None:
    with pytest.raises(UsageError, match="Whichever of these it is, a judge has several verdicts") as refused:
        engine.from_frame(stories())

    *_, call = str(refused.value).split("All together")
    assert "criterion=" in call
    assert "overall" not in call


def test_a_few_rows_that_are_there_twice_do_not_make_criteria_one() -> None:
    frame = pd.concat([stories(), stories().head(4)])

    with pytest.raises(UsageError, match="which differ in 'rule': if that names the criterion, give crit"):
        engine.from_frame(frame, instance_id="story")
