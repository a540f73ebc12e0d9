"""Two columns of the same models, neither called a judge's or an author's: what the others tell of them."""

from pathlib import Path

import pytest
from importers.foreign_files import imported, judgments, lines

from engine.errors import BadInputError, UsageError
from engine.importers.import_options import ImportOptions
from engine.importers.tables.asking.questions import OpenQuestionsError

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")


def tasting() -> list[dict[str, object]]:
    """Return verdicts with an answer's text, a test's finding and a number of the row."""
    return [
        {
            "dish": f"d{dish}",
            "cook": cook,
            "recipe": f"Take {dish} eggs and stir them for {k} minutes, then serve",
            "check": check,
            "taster": taster,
            "ruling": ("fulfilled", "violated")[(dish + i * (k + 1) + len(check)) % 2],
            "kitchen": ("fulfilled", "violated")[(dish + k) % 3 == 0],
            "row_hash": 100_003 + 7919 * (dish * 18 + k * 6 + i * 2 + len(check) % 2),
        }
        for dish in range(12)
        for k, cook in enumerate(MODELS)
        for check in ("safe", "plain")
        for i, taster in enumerate(MODELS)
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_the_author_is_the_column_by_which_answers_and_truths_differ(tmp_path: Path, *, turned: bool) -> None:
    rows = tasting()
    if turned:  # the columns in another order
        rows = [{"taster": row["taster"], **row} for row in rows]

    report, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert judgments(study, "judge", "generator", "instance_id", "met") == [
        (r["taster"], r["cook"], r["dish"], r["ruling"] == "fulfilled") for r in rows
    ]
    (note,) = [each for each in report.notes if "other way round" in each]
    assert "--map judge=cook,generator=taster if it is the other way round" in note


def test_scores_beside_true_ones_tell_the_author_too(tmp_path: Path) -> None:
    rows = [
        {
            "dish": r["dish"],
            "cook": r["cook"],
            "taster": r["taster"],
            "stars": 1 + n % 5,
            "chef_stars": 1 + (int(str(r["dish"])[1:]) + 2 * MODELS.index(r["cook"])) % 5,
        }
        for n, r in enumerate(each for each in tasting() if each["check"] == "safe")
    ]

    _, study = imported("table", lines(tmp_path / "t.jsonl", rows), ImportOptions(set={"scale": "5"}))

    assert judgments(study, "judge", "generator") == [(row["taster"], row["cook"]) for row in rows]


@pytest.mark.parametrize(
    "rows",
    [
        [{k: v for k, v in r.items() if k not in ("recipe", "kitchen")} for r in tasting()],
        [{**r, "mood": f"{r['dish']} in mood {MODELS.index(r['taster'])}"} for r in tasting()],
        [
            {k: v for k, v in r.items() if k not in ("recipe", "kitchen", "row_hash")}
            | {"ruling": ("fulfilled", "violated")[(n // 6) % 2]}
            for n, r in enumerate(tasting())
        ],
    ],
    ids=["nothing tells", "both are told", "a verdict of one alone"],
)
def test_what_the_data_do_not_tell_is_left_open_in_the_command(tmp_path: Path, rows: list[dict]) -> None:
    with pytest.raises(UsageError) as error:
        imported("table", lines(tmp_path / "t.jsonl", rows))

    likely = error.value.likely
    assert (likely.map["judge"], likely.map["generator"]) == ("?", "?")
    assert "row_hash" not in likely.map.values()
    assert int(likely.set.get("scale", 0)) <= 1000


@pytest.mark.parametrize(("step", "scale"), [(0.5, "5"), (0.1, "5"), (0.25, "4.5 or --set scale=5")])
def test_stars_in_halves_or_tenths_below_five_are_out_of_five(
    tmp_path: Path, step: float, scale: str
) -> None:
    scores = [round(4.5 - n * step, 2) for n in range(8)]
    rows = [{"judge": "gpt-4o", "model": "o3", "question": f"q{n}", "score": s} for n, s in enumerate(scores)]

    with pytest.raises(UsageError, match=f"--set scale={scale}, which divides them"):
        imported("table", lines(tmp_path / "t.jsonl", rows))


def test_a_name_that_a_header_has_twice_is_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("judge,judge,model\na,b,c\n", "utf-8")

    with pytest.raises(BadInputError, match="'judge' twice; rename one of the two columns, or leave it out"):
        imported("table", tmp_path / "t.csv")


def test_no_scale_above_a_thousand_is_proposed(tmp_path: Path) -> None:
    rows = [
        {"judge": "gpt-4o", "model": m, "question": f"q{n}", "score": 4000 * n}
        for n in range(9)
        for m in MODELS
    ]

    with pytest.raises(UsageError, match=r"no usual scale.*--map score=FIELD; else give --set scale=NUMBER"):
        imported("table", lines(tmp_path / "t.jsonl", rows))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("fulfilled", "violated"),
        ("satisfied", "unsatisfied"),
        ("upheld", "not upheld"),
        ("not violated", "violated"),
    ],
)
def test_plain_pairs_of_words_are_verdicts(tmp_path: Path, good: str, bad: str) -> None:
    row = {"judge": "gpt-4o", "model": "o3", "question": "q", "criterion": "safe"}
    rows = [row | {"ruling": good}, row | {"question": "r", "ruling": bad}]

    _, study = imported("table", lines(tmp_path / "t.jsonl", rows))

    assert judgments(study, "met") == [(True,), (False,)]


def test_a_column_called_like_ours_is_what_was_meant(tmp_path: Path) -> None:
    row = {"category": "easy", "judge": "gpt-4o", "generator": "o3", "instance_id": "q", "met": "yes"}

    with pytest.raises(UsageError, match="names 'rater', which no row has; did you mean 'judge'"):
        imported("table", lines(tmp_path / "t.jsonl", [row]), ImportOptions(map={"judge": "rater"}))


def test_a_judge_read_from_no_models_beside_a_column_judge_is_said(tmp_path: Path) -> None:
    row = {"category": "easy", "judge": "gpt-4o", "generator": "o3", "instance_id": "q", "met": "yes"}

    path = lines(tmp_path / "t.jsonl", [row])
    report, _ = imported("table", path, ImportOptions(map={"judge": "category"}, set={"rubric_id": "k"}))

    assert (
        "judge is read from 'category', which names no known model, and not from 'judge', which does "
        "(--map judge=judge reads that)" in report.cautions
    )


@pytest.mark.parametrize("flag", ["a_shown_first", "is_a_first", "model_a_first"])
def test_a_flag_of_one_side_says_which_answer_was_shown_first(tmp_path: Path, flag: str) -> None:
    row = {"question_id": "q", "model_a": "gpt-4o", "model_b": "o3", "judge": "o3", "winner": "o3"}

    path = lines(tmp_path / "t.jsonl", [row | {flag: True}, row | {flag: False}])
    _, study = imported("table", path)

    assert judgments(study, "first", "choice") == [("generator", "opponent"), ("opponent", "opponent")]


def answers(author: str, **judge: str) -> list[dict[str, object]]:
    """Return verdicts on answers whose author is in the column `author`, with the columns of `judge`."""
    return [
        {"sku": f"s{n}", author: model, "check": check, **judge, "verdict": ("yes", "no")[(n + k) % 2]}
        for n in range(10)
        for k, model in enumerate(MODELS)
        for check in ("safe", "plain")
    ]


def test_an_author_by_its_name_is_not_given_away_as_the_judge(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", answers("mt_system"))

    with pytest.raises(OpenQuestionsError, match="no column is judge") as refused:
        imported("table", path)
    _, study = imported("table", path, ImportOptions(judge="o3"))

    assert refused.value.likely is not None
    assert refused.value.likely.judge == "?"
    assert refused.value.likely.map["generator"] == "mt_system"
    assert {row[0] for row in judgments(study, "generator")} == set(MODELS)


def test_one_column_of_models_of_another_name_is_neither(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", answers("who"))

    with pytest.raises(OpenQuestionsError) as refused:
        imported("table", path)

    assert refused.value.likely is not None
    assert {refused.value.likely.map[name] for name in ("judge", "generator")} == {"?"}


@pytest.mark.parametrize("judge", ["gpt-4o", "openai/gpt-4o"])
def test_beside_a_judge_the_only_column_of_models_is_the_authors(tmp_path: Path, judge: str) -> None:
    named = lines(tmp_path / "named.jsonl", answers("mt_system", evaluator=judge))
    other = lines(tmp_path / "other.jsonl", answers("who", evaluator=judge))

    report, _ = imported("table", named)
    with pytest.raises(UsageError, match="generator, the model that answered, may be 'who'"):
        imported("table", other)

    assert "mt_system" not in report.unused


def test_a_command_proposes_no_id_that_its_question_does_not_list(tmp_path: Path) -> None:
    rows = answers("model", evaluator="o3")
    for n, row in enumerate(rows):
        del row["sku"]
        row |= {"hue": ("de", "fr")[n % 2], "shop": ("a", "b")[n % 4 > 1], "price": 10 + n / 4}

    with pytest.raises(OpenQuestionsError, match="may be 'hue' or 'shop'") as refused:
        imported("table", lines(tmp_path / "t.jsonl", rows))

    assert refused.value.likely is not None
    assert refused.value.likely.map["instance_id"] == "?"


def test_what_people_say_is_no_id(tmp_path: Path) -> None:
    rows = answers("model", evaluator="o3")
    for n, row in enumerate(rows):
        del row["sku"]
        row |= {
            "hue": ("de", "fr")[n % 2],
            "shop": ("a", "b")[n % 4 > 1],
            "linguist_verdict": ("ok", "error")[n % 2],
        }

    with pytest.raises(UsageError, match=r"may be 'hue' or 'shop'[.]"):
        imported("table", lines(tmp_path / "t.jsonl", rows))
