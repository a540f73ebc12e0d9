"""Councils, benches and arenas: judgments in their published formats, and what is no verdict."""

from pathlib import Path
from typing import Any

import pytest
from importers.foreign_files import dump, judgments, lines, rows_of

from engine.errors import UsageError
from engine.importers.format_loading import row_format
from engine.importers.import_options import ImportOptions
from engine.importers.mapping_report import MappingReport
from engine.importers.pipeline import reading
from engine.store import Store
from engine.store.study_files import StudyFiles

DATA = Path(__file__).parents[3] / "shared" / "data"


def imported(form: str, path: Path, **options: Any) -> tuple[MappingReport, StudyFiles]:
    store = Store(path.parent / "store")
    with reading(row_format(form), path, ImportOptions(**options)) as read:
        read.write(store, "read")
    return read.report, store.open("read")


def real(tmp_path: Path, name: str) -> Path:
    if not (DATA / name).is_file():
        pytest.skip(f"the shared file {name} is not here")
    path = tmp_path / Path(name).name
    path.write_bytes((DATA / name).read_bytes())
    return path


# ---- councils


def council_row(choice: object, **more: Any) -> dict[str, Any]:
    row = {"judge_model": "gpt-4o", "first_completion_by": "gpt-4o", "second_completion_by": "qwen"}
    return {"emobench_id": 7, **row, "pairwise_choice": choice, "judging_response_string": "Hm."} | more


def test_a_councils_choice_refers_to_the_first_response_shown(tmp_path: Path) -> None:
    choices = ("A>>B", "A>B", "B>A", "B>>A", "A=B", None, "A or B")
    rows = [council_row(choice, emobench_id=n) for n, choice in enumerate(choices)]

    report, study = imported("council", lines(tmp_path / "lmc.jsonl", rows))

    assert judgments(study, "choice", "status") == [
        *[("generator", "ok")] * 2,
        *[("opponent", "ok")] * 2,
        ("tie", "ok"),
        *[(None, "unparsed")] * 2,
    ]
    assert set(judgments(study, "judge", "generator", "first")) == {("gpt-4o", "gpt-4o", "generator")}
    assert report.unused == ()


def test_a_councils_run_includes_the_completions(tmp_path: Path) -> None:
    run = tmp_path / "run_0"
    about = {"user_prompt": "Say hello."}
    lines(run / "completions.jsonl", [{**about, "model": "gpt-4o", "completion_text": "Hello!"}])
    row = council_row("B>A", **about, prompt_tokens=3, completion_tokens=1)
    del row["emobench_id"]
    lines(run / "judge_ratings.jsonl", [row])

    _, study = imported("council", run)

    assert rows_of(study.table("responses"), "generator", "text") == [("gpt-4o", "Hello!")]
    assert judgments(study, "choice", "prompt_tokens") == [("opponent", 3)]
    assert rows_of(study.table("instances"), "prompt") == [("Say hello.",)]


def test_the_published_council_has_the_counts_of_its_file(tmp_path: Path) -> None:
    report, study = imported("council", real(tmp_path, "llm-council/lmc_ei.jsonl"))

    # Counted with a plain loop over the file: 494 A>B, 57 A>>B, 430 B>A, 19 B>>A, of 20 judges.
    choices = [choice for (choice,) in judgments(study, "choice")]
    assert (choices.count("generator"), choices.count("opponent")) == (494 + 57, 430 + 19)
    assert (report.rows_stored, len({judge for (judge,) in judgments(study, "judge")})) == (1000, 20)


# ---- WildBench

WILD = {
    "session_id": "s1",
    "parsed_result": {"strengths": "Long.", "weaknesses": "Wrong.", "score": "8"},
    "model_test": "openai/gpt-3.5-turbo",
    "score": "8",
    "model_output": "Answer",
}


def test_wildbench_scores_are_tenths_and_the_folder_names_the_judge(tmp_path: Path) -> None:
    folder = tmp_path / "score.v2" / "eval=gpt-4o-2024-05-13"
    rows = [WILD, {**WILD, "session_id": "s2", "score": "11"}, {**WILD, "session_id": "s3", "score": None}]
    dump(folder / "gpt-3.5.json", rows)

    _, study = imported("wildbench", tmp_path / "score.v2")

    assert judgments(study, "judge", "score", "status") == [
        ("gpt-4o-2024-05-13", pytest.approx(0.8), "ok"),
        ("gpt-4o-2024-05-13", None, "unparsed"),
        ("gpt-4o-2024-05-13", None, "unparsed"),
    ]
    assert judgments(study, "explanation")[0] == ("Long.\n\nWrong.",)


def test_a_wildbench_score_may_be_in_its_parsed_result(tmp_path: Path) -> None:
    row = {"model_test": "m", "parsed_result": {"score": "7"}}
    rows = [
        {**row, "session_id": "a", "model_output": "1"},
        {**row, "session_id": "b", "model_output": "2", "score": 3},
        {**row, "session_id": "c", "model_output": "3", "score": 99},
    ]

    _, study = imported("wildbench", dump(tmp_path / "scores.json", rows), judge="gpt-4o")

    assert judgments(study, "status", "score") == [("ok", 0.7), ("ok", 0.3), ("unparsed", None)]


def test_wildbench_winners_are_letters_or_names(tmp_path: Path) -> None:
    pair = {"model_A": "a", "model_B": "b", "model_outputs": {"a": "x", "b": "y"}}
    rows = [
        {**pair, "session_id": "1", "parsed_result": {"choice": "A++", "reason": "r"}, "winner": "a"},
        {**pair, "session_id": "2", "parsed_result": {"choice": "B+"}, "winner": "b"},
        {**pair, "session_id": "3", "parsed_result": {"choice": "A=B"}, "winner": "tie"},
        {**pair, "session_id": "4", "parsed_result": {}, "winner": "b"},
        {**pair, "session_id": "5", "parsed_result": {}, "winner": None},
    ]

    _, study = imported("wildbench", dump(tmp_path / "pairs.json", rows), judge="gpt-4o")

    assert [c for (c,) in judgments(study, "choice")] == ["generator", "opponent", "tie", "opponent", None]
    assert judgments(study, "first", "explanation")[0] == ("generator", "r")


def test_a_wildbench_row_with_a_broken_winner_is_left_out_even_if_it_has_a_choice(tmp_path: Path) -> None:
    row = {"model_A": "a", "model_B": "b", "parsed_result": {"choice": "A+"}}
    rows = [{**row, "session_id": "1", "winner": "a"}, {**row, "session_id": "2", "winner": ["a", "b"]}]

    report, study = imported("wildbench", dump(tmp_path / "pairs.json", rows), judge="gpt-4o")

    assert judgments(study, "instance_id", "choice") == [("1", "generator")]
    assert report.left_out["winner is not text"].examples == ["pairs.json, row 2 (['a', 'b'])"]


def test_wildbench_without_a_judge_asks_for_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="give --judge NAME"):
        imported("wildbench", dump(tmp_path / "x.json", [WILD]))


def test_all_published_wildbench_rows_are_read(tmp_path: Path) -> None:
    name = "wildbench/gpt-3.5-turbo-0125.judged-by-gpt-4o-2024-05-13.first60.json"
    report, study = imported("wildbench", real(tmp_path, name), judge="gpt-4o-2024-05-13")

    # Counted in the file: 31 eights, 13 sevens, 7 sixes, 5 nines, 2 threes, 2 fours.
    scores = [round(10 * score) for (score,) in judgments(study, "score")]
    assert [scores.count(n) for n in (8, 7, 6, 9, 3, 4)] == [31, 13, 7, 5, 2, 2]
    assert report.rows_stored == 60


# ---- Judging the Judges


def test_columns_of_judges_become_judges_and_those_of_programs_references(tmp_path: Path) -> None:
    path = tmp_path / "TriviaQA.csv"
    path.write_text(
        "model,response,question,references,benchmark,GPT-4,Llama-7B,EM,Contains,JudgeLM,HumanJudgement\n"
        'gpt-4t,Q: A:,Who?,"Ann\nAnne",t,True,False,False,True,True,True\n'
        "gpt-4t,Q: A:,What?,A hat,t,True,,False,False,True,False\n"
        "gpt-4t,Q: A:,Where?,There,t,,,,,,False\n",
        "utf-8",
    )

    report, study = imported("judging-the-judges", path)

    assert sorted(judgments(study, "judge", "met", "status"), key=str) == [
        ("JudgeLM", True, "ok"),
        ("JudgeLM", True, "ok"),
        ("gpt-4t", True, "ok"),
        ("gpt-4t", True, "ok"),
        ("llama2-7b-chat", False, "ok"),
        ("llama2-7b-chat", None, "unparsed"),
    ]
    assert sorted(rows_of(study.table("references"), "source", "met")) == [
        *[("human", False), ("human", True)],
        *[("program", False)] * 2,
        *[("program:loose", False), ("program:loose", True)],
    ]
    assert list(report.left_out) == ["no judge gave a verdict"]


def test_the_published_judges_have_the_counts_of_their_file(tmp_path: Path) -> None:
    name = "umass-llm-eval/TriviaQA_Judges_w_HumanJudgement_V1.csv"
    report, study = imported("judging-the-judges", real(tmp_path, name))

    # Counted with a plain loop: 3,600 answers, 5 without any judge; 9 judges, 130 empty cells of Llama-70B.
    assert (report.rows_read, report.rows_stored) == (3600, 3595)
    assert list(report.left_out) == ["no judge gave a verdict"]
    assert report.statuses == {"ok": 9 * 3595 - 130, "unparsed": 130}
    own = {judge for judge, model in judgments(study, "judge", "generator") if judge == model}
    assert own == {"mistral-7b-chat", "llama2-7b-chat", "llama2-13b-chat", "llama2-70b-chat", "gpt-4t"}


# ---- BiGGen


def entry(**more: Any) -> dict[str, Any]:
    rubric = {"criteria": "Is it a plan?"} | {f"score{n}_description": f"d{n}" for n in range(1, 6)}
    return {
        "capability": "planning",
        "task": "travel_plan",
        "system_prompt": "You plan.",
        "input": "Plan.",
        "reference_answer": "Go.",
        "score_rubric": rubric,
        "response": "Went.",
        "response_model_name": "qwen",
        "feedback": "Fine.",
        "score": 5,
        "eval_model_name": "prometheus-7b-v2.0",
    } | more


def test_biggen_entries_are_keyed_by_id_and_trials_are_kept(tmp_path: Path) -> None:
    content = {"p_0": entry(), "p_1": entry(score=[4, 3, -1]), "p_2": "none"}

    report, study = imported("biggen", dump(tmp_path / "e.json", content))

    assert judgments(study, "instance_id", "score", "status", "trial") == [
        ("p_0", 5.0, "ok", 0),
        ("p_1", 4.0, "ok", 0),
        ("p_1", 3.0, "ok", 1),
        ("p_1", None, "unparsed", 2),
    ]
    assert list(report.left_out) == ["it is not an object"]
    assert '"text": "d5"' in rows_of(study.table("rubrics"), "options")[0][0]


def test_missing_biggen_names_are_asked_for(tmp_path: Path) -> None:
    content = {"p_0": entry(eval_model_name=None), "p_1": entry()}

    report, study = imported("biggen", dump(tmp_path / "e.json", content))
    assert list(report.left_out) == ["no eval_model_name: give --judge"]

    other = dump(tmp_path / "more" / "e.json", content)
    _, study = imported("biggen", other, judge="gpt-4o", generator="g")
    assert set(judgments(study, "judge", "generator")) == {("gpt-4o", "g")}


# ---- RewardBench and JudgeBench


def test_rewardbench_results_choose_between_chosen_and_rejected(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    content = {
        "model": "openai/gpt-4o",
        "model_type": "Generative RM",
        "results": [1, 0, 0.5, 1],
        "id": [1, 2, 3, 4],
        "subset": ["easy"] * 4,
        "text_chosen": [talk] * 4,
        "text_rejected": ["No"] * 4,
        "chosen_model": ["gpt-4o", "gpt-4o", "a", "same"],
        "rejected_model": ["b", "b", "b", "same"],
    }

    report, study = imported("rewardbench", dump(tmp_path / "s.json", content))

    assert judgments(study, "generator", "opponent", "choice", "status") == [
        ("gpt-4o", "b", "generator", "ok"),
        ("gpt-4o", "b", "opponent", "ok"),
        ("a", "b", None, "unparsed"),
        ("same (chosen)", "same (rejected)", "generator", "ok"),
    ]
    assert set(rows_of(study.table("preferences"), "outcome")) == {(1,)}
    assert rows_of(study.table("instances"), "prompt")[0] == ("Hi",)
    assert len(report.notes) == 2
    assert "'openai/gpt-4o' (judges) and 'gpt-4o' (answers) may be one model" in report.notes[1]


def test_judgebench_has_two_orders_and_failed_calls(tmp_path: Path) -> None:
    def judgment(decision: str) -> dict[str, Any]:
        return {"judgment": {"judge_model": "o1-mini", "response": "r"}, "decision": decision}

    pair = {
        "source": "law",
        "question": "Q",
        "response_model": "gpt-4o",
        "response_A": "x",
        "response_B": "y",
        "label": "A>B",
        "judge_name": "arena_hard",
    }
    rows = [
        {**pair, "pair_id": "1", "judgments": [judgment("A>B"), judgment("A>B")]},
        {**pair, "pair_id": "2", "judgments": [None, judgment("A=B")]},
        {**pair, "pair_id": "3", "judgments": [judgment("?")], "label": "B>A"},
    ]
    name = "dataset=judgebench,response_model=gpt-4o,judge_name=arena_hard,judge_model=o1-mini.jsonl"

    _, study = imported("judgebench", lines(tmp_path / name, rows))

    assert judgments(study, "instance_id", "first", "choice", "status") == [
        ("1", "generator", "generator", "ok"),
        ("1", "opponent", "opponent", "ok"),
        ("2", "generator", None, "error"),
        ("2", "opponent", "tie", "ok"),
        ("3", "generator", None, "unparsed"),
    ]
    assert {judge for (judge,) in judgments(study, "judge")} == {"o1-mini"}
    assert rows_of(study.table("preferences"), "outcome") == [(1,), (1,), (-1,)]


# ---- Chatbot Arena


def vote(winner: str, **more: Any) -> dict[str, Any]:
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "x"}]
    return {
        "question_id": "q1",
        "model_a": "gpt-4o",
        "model_b": "qwen",
        "winner": winner,
        "judge": "arena_user_1",
        "conversation_a": talk,
        "conversation_b": [*talk[:1], {"role": "assistant", "content": [{"type": "text", "text": "y"}]}],
        "language": "English",
    } | more


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_arena_votes_are_human_preferences_with_both_responses(tmp_path: Path, form: str) -> None:
    votes = [
        vote("model_a"),
        vote("tie (bothbad)", question_id="q2"),
        vote("model_b", question_id="q3"),
    ]
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        votes = [one | {"conversation_b": one["conversation_a"]} for one in votes]
        pq.write_table(pa.Table.from_pylist(votes), path := tmp_path / "votes.parquet")
    else:
        path = lines(tmp_path / "votes.jsonl", votes)

    report, study = imported("chatbot-arena", path)

    assert rows_of(study.table("preferences"), "source", "outcome") == [
        ("human:arena_user_1", 1),
        ("human:arena_user_1", 0),
        ("human:arena_user_1", -1),
    ]
    assert rows_of(study.table("instances"), "prompt")[0] == ("Hi",)
    texts = {text for (text,) in rows_of(study.table("responses"), "text")}
    assert texts == ({"x"} if form == "parquet" else {"x", "y"})
    assert report.judgments == 0


def test_an_arena_with_a_model_as_judge_has_judgments(tmp_path: Path) -> None:
    rows = [vote(winner, judge="gpt-4o") for winner in ("model_b", "nobody", None)]

    report, study = imported("chatbot-arena", lines(tmp_path / "votes.jsonl", rows))

    assert judgments(study, "judge", "choice", "status") == [
        ("gpt-4o", "opponent", "ok"),
        ("gpt-4o", None, "unparsed"),
        ("gpt-4o", None, "unparsed"),
    ]
    assert report.left_out == {}
