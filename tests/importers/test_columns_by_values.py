"""Columns that no name shows: ids, texts and what is true, found by their values and proposed to be typed."""

import json
import random
import shlex
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from command_line import Spb

from engine.store import Store

MODELS = ("gpt-4o", "gpt-4o-mini", "claude-3-opus", "gemini-1.5-pro")
WORDS = ["adds", "removes", "retries", "caches", "parses", "queues", "locks", "logs", "tests", "config"]


def summary(question: int, author: str) -> str:
    return " ".join(random.Random(f"{question} {author}").choices(WORDS, k=12))


def of_question(number: int) -> dict[str, Any]:
    return {
        "pr": f"PR-{number}",
        "diff_title": f"Change the {number}th cache",
        "area": ["db", "ui"][number % 2],
    }


def reviews() -> list[dict[str, Any]]:
    """Return verdicts in words that are asked about, beside what a person decided, a text and a note."""
    chance = random.Random(1)
    words = ("approve", "request changes")
    rows = []
    for number in range(8):
        for author in MODELS:
            for check in ("factual", "concise"):
                truth = chance.choice(words)
                rows += [
                    of_question(number)
                    | {"author_llm": author, "summary": summary(number, author), "check": check}
                    | {"reviewer_llm": judge, "decision": chance.choice(words)}
                    | {"note": f"{check} {chance.choice(WORDS)}", "maintainer": truth}
                    for judge in MODELS
                ]
    return rows


def duels(n_questions: int = 8) -> list[dict[str, Any]]:
    """Return winners of pairs in both orders, beside what a person preferred."""
    chance = random.Random(1)
    rows = []
    for number in range(n_questions):
        better = {}
        for left, right in permutations(MODELS, 2):
            side = better.setdefault(frozenset((left, right)), chance.choice((left, right, "tie")))
            truth = {left: "left", right: "right"}.get(side, "tie")
            rows += [
                of_question(number)
                | {"reviewer": judge, "left_author": left, "right_author": right}
                | {"left_summary": summary(number, left), "right_summary": summary(number, right)}
                | {"better": chance.choice(("left", "right", "tie")), "maintainer_better": truth}
                for judge in MODELS
            ]
    return rows


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def test_the_command_after_a_question_has_all_that_the_table_has(spb_here: Spb, tmp_path: Path) -> None:
    path = written(tmp_path / "reviews.jsonl", reviews())

    refused = spb_here("import", path, "--study", "one", "--store", tmp_path / "s")
    line = refused.stderr.splitlines()[-1].replace("approve=?", "approve=yes").replace("=?", "=no")
    imported = spb_here(*shlex.split(line)[1:])

    assert refused.returncode == 2
    assert "this reads 'maintainer' as reference_met (what is true); correct what is wrong" in refused.stderr
    assert imported.returncode == 0, imported.stderr
    study = Store(tmp_path / "s").open("one")
    assert study.table("instances")["prompt"].to_pylist()[0].startswith("Change the ")
    assert set(study.table("instances")["category"].to_pylist()) == {"db", "ui"}
    assert set(study.table("responses")["text"].to_pylist()) == {
        summary(number, author) for number in range(8) for author in MODELS
    }
    assert study.table("references").num_rows == 8 * 4 * 2
    assert None not in study.judgments(("explanation",))["explanation"].to_pylist()
    assert "is not read" not in imported.stdout


def test_the_id_of_pairs_is_neither_a_text_of_an_answer_nor_what_is_true(
    spb_here: Spb, tmp_path: Path
) -> None:
    path = written(tmp_path / "duels.jsonl", duels())

    imported = spb_here("import", path, "--store", tmp_path / "s")

    assert imported.returncode == 0, imported.stderr
    study = Store(tmp_path / "s").open("duels")
    assert set(study.table("instances")["instance_id"].to_pylist()) == {f"PR-{n}" for n in range(8)}
    assert study.table("responses").num_rows == 8 * 4
    answer = " ".join(imported.stdout.split())
    assert answer.startswith(
        "'maintainer_better' has values like 'better', one for each pair, and is not read"
    )
    remedy = shlex.split(answer.partition("give ")[2].partition(" (--not")[0])
    again = spb_here("import", path, "--store", tmp_path / "s", "--replace", *remedy)
    assert again.returncode == 0, again.stderr
    assert Store(tmp_path / "s").open("duels").table("preferences").num_rows == 8 * 6


def test_of_pairs_of_one_question_its_id_is_asked_for_and_proposed(spb_here: Spb, tmp_path: Path) -> None:
    path = written(tmp_path / "one.jsonl", duels(n_questions=1))

    refused = spb_here("import", path, "--store", tmp_path / "s")
    imported = spb_here(*shlex.split(refused.stderr.splitlines()[-1])[1:])

    assert refused.returncode == 2
    assert "no column is instance_id" in refused.stderr
    assert "this reads 'pr' as instance_id and 'maintainer_better' as preference" in refused.stderr
    assert imported.returncode == 0, imported.stderr
    assert Store(tmp_path / "s").open("one").table("instances")["instance_id"].to_pylist() == ["PR-0"]


@pytest.mark.parametrize("left_out", [(), ("summary", "maintainer")])
def test_author_llm_and_reviewer_llm_are_known_whatever_else_the_table_has(
    spb_here: Spb, tmp_path: Path, left_out: tuple[str, ...]
) -> None:
    rows = [{name: each[name] for name in each if name not in left_out} for each in reviews()]

    refused = spb_here("import", written(tmp_path / "t.jsonl", rows), "--store", tmp_path / "s")

    command = refused.stderr.splitlines()[-1]
    assert "--map generator=author_llm --map judge=reviewer_llm " in command


@pytest.mark.parametrize("column", ["note", "human_summary", "reason"])
def test_texts_about_an_answer_are_not_taken_for_it(spb_here: Spb, tmp_path: Path, column: str) -> None:
    rows = [{column if name == "summary" else name: each[name] for name in each} for each in reviews()]

    refused = spb_here("import", written(tmp_path / "t.jsonl", rows), "--store", tmp_path / "s")

    assert "--map response" not in refused.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("rows", "column"),
    [(reviews, "summary"), (reviews, "diff_title"), (duels, "left_summary"), (duels, "right_summary")],
)
def test_one_row_with_another_text_does_not_keep_a_column_of_texts_out(
    spb_here: Spb, tmp_path: Path, rows: Callable[[], list[dict[str, Any]]], column: str
) -> None:
    table = rows()
    table[-1][column] = "This text stands in one row of its answer alone."
    decided = ("--value", "met:approve=yes,request changes=no") if rows is reviews else ()
    path = written(tmp_path / "t.jsonl", table)

    imported = spb_here("import", path, "--store", tmp_path / "s", "--map", "instance_id=pr", *decided)

    assert imported.returncode == 0, imported.stderr
    study = Store(tmp_path / "s").open("t")
    assert set(study.table("responses")["text"].to_pylist()) == {
        summary(number, author) for number in range(8) for author in MODELS
    }
    assert study.table("instances")["prompt"].null_count == 0
    thing = "prompt of this question" if column == "diff_title" else "text of this model's answer"
    assert f"left out, another {thing} is in an earlier row: 1 row, such as" in imported.stderr
    assert f"t.jsonl, row {len(table)} (This text stands in one row" in imported.stderr


def test_an_id_that_only_one_order_of_a_pair_has_is_doubted_before_more_is_judged(
    spb_here: Spb, tmp_path: Path
) -> None:
    path = written(tmp_path / "duels.jsonl", duels())
    words = ("import", path, "--store", tmp_path / "s")

    of_texts = spb_here(*words, "--map", "instance_id=left_summary")
    right = spb_here(*words, "--replace", "--map", "instance_id=pr")

    answer = " ".join(of_texts.stdout.split())
    assert answer.startswith(
        "by 'left_summary' as the question's id no pair is there in both orders, and by "
    )
    assert (
        "by 'pr' each is: if that names the question, give --map instance_id=pr; nothing more is to be judged"
        in answer
    )
    assert "no pair is there in both orders" not in " ".join(right.stdout.split())


def interviews(n_questions: int = 24) -> list[dict[str, Any]]:
    """Return three scores of each answer to numbered questions, each of which is of one of four roles."""
    chance = random.Random(1)
    return [
        {"transcript": number, "job_role": f"role {number % 4}", "written_by": author, "rater": judge}
        | {name: chance.randint(1, 7) for name in ("clarity", "empathy", "usefulness")}
        for number in range(1, n_questions + 1)
        for author in MODELS
        for judge in MODELS
    ]


def test_a_number_by_which_no_judge_judges_twice_is_the_question_beside_its_group(
    spb_here: Spb, tmp_path: Path
) -> None:
    path = written(tmp_path / "t.jsonl", interviews())

    refused = spb_here("import", path, "--store", tmp_path / "s")
    imported = spb_here("import", path, "--store", tmp_path / "s", "--set", "scale=7")

    assert (
        f"  spb import {path} --map generator=written_by --map judge=rater --map instance_id=transcript "
        f"--set scale=7 --criterion-columns clarity,empathy,usefulness --store {tmp_path / 's'}"
    ) in refused.stderr.splitlines()
    assert imported.returncode == 0, imported.stderr
    assert "only by 'transcript' no judge has two verdicts on one answer and criterion" in imported.stderr
    files = Store(tmp_path / "s").open("t")
    assert files.table("instances").num_rows == 24
    assert set(files.table("instances", ["category"])["category"].to_pylist()) == {
        f"role {number}" for number in range(4)
    }


@pytest.mark.parametrize("more", [{}, {"words": 60}, {"tokens": 2}, {"no_gap": 24}])
def test_ids_and_counts_are_not_proposed_as_scores(
    spb_here: Spb, tmp_path: Path, more: dict[str, int]
) -> None:
    rows = [
        {name: each[name] for name in ("transcript", "written_by", "rater")}
        | {name: 1 + number % top for name, top in more.items()}
        for number, each in enumerate(interviews())
    ]

    refused = spb_here("import", written(tmp_path / "t.jsonl", rows), "--store", tmp_path / "s")

    assert refused.returncode == 2
    assert "as score" not in refused.stderr
    assert "score=" not in refused.stderr.splitlines()[-1]


def test_a_column_called_like_verdicts_and_what_has_its_words_are_no_questions(
    spb_here: Spb, tmp_path: Path
) -> None:
    rows = [
        {"answer_no": "A001", "author": MODELS[0], "judge": judge, "aspect": aspect, "words": 83}
        | {"rating": ("solid", "weak")[n % 2], "coach": ("weak", "solid")[n % 2]}
        for judge in MODELS[:2]
        for n, aspect in enumerate(("tone", "specific", "actionable"))
    ]

    refused = spb_here("import", written(tmp_path / "t.jsonl", rows), "--store", tmp_path / "s")

    command = refused.stderr.splitlines()[-1]
    assert "may be 'rating'" not in refused.stderr
    assert "--map instance_id=answer_no --map 'met=?'" in command
    assert "words" not in command


def notes_on_wines() -> list[dict[str, Any]]:
    """Return verdicts of two judges with a remark each; two wines of ten have the same brief."""
    return [
        {"wine": f"W-{n}", "brief": f"Write a note for wine {min(n, 8)}, in at most 80 words."}
        | {"written_by": author, "note": summary(n, author), "graded_by": judge, "verdict": "yes"}
        | {"remark": f"{author} {n} {judge}", "criterion": "short"}
        for n in range(10)
        for author in MODELS
        for judge in MODELS[:2]
    ]


def test_a_text_that_is_the_same_whoever_judged_is_the_answer_and_no_reason(
    tmp_path: Path, spb_here: Spb
) -> None:
    path = written(tmp_path / "t.jsonl", notes_on_wines())

    assert spb_here("import", path, "--study", "s", "--store", tmp_path).returncode == 0

    study = Store(tmp_path).open("s")
    answers = {(row["generator"], row["text"]) for row in study.table("responses").to_pylist()}
    assert answers == {(author, summary(n, author)) for n in range(10) for author in MODELS}
    reasons = set(study.judgments(("explanation",))["explanation"].to_pylist())
    assert reasons == {row["remark"] for row in notes_on_wines()}


def test_texts_of_questions_some_of_which_are_asked_twice_are_read(tmp_path: Path, spb_here: Spb) -> None:
    path = written(tmp_path / "t.jsonl", notes_on_wines())

    assert spb_here("import", path, "--study", "s", "--store", tmp_path).returncode == 0

    prompts = {
        row["instance_id"]: row["prompt"] for row in Store(tmp_path).open("s").table("instances").to_pylist()
    }
    assert prompts["W-8"] == prompts["W-9"] == "Write a note for wine 8, in at most 80 words."
