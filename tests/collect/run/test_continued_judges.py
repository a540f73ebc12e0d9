"""Base models as judges: from a configuration over text completions to verdicts with probabilities."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from collect.run.small import config, write_folder
from command_line import Spb
from loopback import continuing

from engine.collect.client.continuations import continued_prompt, continued_reply
from engine.collect.configuration.read_config import parse_config
from engine.collect.run.start import run
from engine.errors import UsageError
from engine.store import Store
from engine.store.writer import validate_study

PRICE = "price = {input_per_million = 1.0, output_per_million = 1.0}\n"


def base(url: str) -> str:
    return f"api_base = '{url}'\nprotocol = 'completion'\n{PRICE}"


def own_first(_model: str, prompt: str) -> Mapping[str, float]:
    """Prefer a's answer wherever it is shown, and otherwise go on with prose."""
    shown_first = prompt.index("a answers") < prompt.index("b answers")
    return (
        {" A": 0.03, " B": 0.01, " The": 0.9}
        if shown_first
        else {" A": 0.01, "B": 0.02, " B": 0.02, "\n": 0.9}
    )


def of_pairs(folder: Path, url: str, **more: object) -> Any:
    models = {"a": base(url), "b": base(url)}
    return config(folder, **{**models, "paradigms": ["pairwise"], "variants": ["forced"], **more})


def test_the_likelier_letter_is_the_verdict_and_both_probabilities_are_kept(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "data", instances=2)

    with continuing(own_first) as server:
        report = run(of_pairs(folder, server.url), store)

    assert (report.ok, report.calls, server.calls) == (8, 8, 8)  # 2 instances, 2 orders, 2 judges
    assert set(server.paths) == {"/v1/completions"}
    validate_study(store.open("s"))
    rows = store.open("s").table("judgments").to_pylist()
    assert {row["choice"] for row in rows if row["generator"] == "a"} == {"generator"}
    shown = {
        (row["first"], round(row["p_generator"], 4), round(row["p_mass"], 4))
        for row in rows
        if row["generator"] == "a"
    }
    # .03 of .03 + .01 where a is A; .02 + .02 of .05 where it is B, in two tokens.
    assert shown == {("generator", 0.75, 0.04), ("opponent", 0.8, 0.05)}
    assert all(row["raw"] in "AB" for row in rows)
    run_row = store.open("s").table("runs").to_pylist()[0]
    assert run_row["logprobs"] is True


def test_a_prompt_ends_before_the_verdict_and_asks_for_probabilities_alone(
    tmp_path: Path, store: Store
) -> None:
    folder = write_folder(tmp_path / "data", instances=1)
    params = "params = {temperature = 0.7, max_tokens = 400, extra_body = {top_k = 1}}\n"

    with continuing() as server:
        run(
            config(
                folder,
                a=base(server.url) + params,
                b=base(server.url),
                paradigms=["pairwise"],
                variants=["forced_tie"],
                judges=["a"],
            ),
            store,
        )

    body = server.bodies[0]
    assert body["prompt"].endswith("\n\nAnswer:")
    assert "a answers i00000." in body["prompt"]
    assert {name: body[name] for name in body if name != "prompt"} == {
        "model": "a",
        "max_tokens": 2,
        "temperature": 0,
        "logprobs": 20,
        "top_k": 1,
    }


def test_a_server_with_fewer_alternatives_is_asked_for_fewer(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=1)

    with continuing(most=5) as server:
        report = run(of_pairs(folder, server.url, judges=["a"], run="concurrency = 1"), store)

    assert report.ok == 2
    assert [body["logprobs"] for body in server.bodies] == [20, 5, 5]


def test_no_probabilities_are_no_verdict_and_the_judge_is_given_up(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=8)

    with continuing(silent=True) as server:
        report = run(of_pairs(folder, server.url, judges=["a"], run="concurrency = 1"), store)

    rows = store.open("s").table("judgments").to_pylist()
    assert report.ok == 0
    assert [row["status"] for row in rows].count("unparsed") == 3
    assert all(row["choice"] is None for row in rows)
    assert server.calls == 3
    assert "without their probabilities" in report.given_up["a"]


@pytest.mark.parametrize(
    ("tokens", "text", "listed"),
    [
        ({" A": -1.0, " B": -1.0}, "", {"A", "B"}),  # equally likely: no verdict
        ({" the": -0.1, " a": -1.0}, "", set()),  # no option, and a small letter is a word
        ({"▁B": -0.5, "T": -0.1}, "B", {"B"}),  # no tie was offered
        ({" B": "x", " A": None, "A": -3}, "A", {"A"}),
    ],
)
def test_what_names_no_likelier_option_is_no_verdict(
    tokens: dict[str, Any], text: str, listed: set[str]
) -> None:
    choice = {"text": " A", "logprobs": {"tokens": [" A"], "top_logprobs": [tokens]}}

    reply = continued_reply({"choices": [choice]}, ("A", "B"), None, 0.1)

    assert reply.text == text
    assert {name for name, _ in reply.first_token or ()} == listed


def test_a_blank_before_the_letter_is_passed_over_and_a_word_is_not() -> None:
    for first, text in ((" ", "B"), (" I", "")):
        tops = [{first: -0.1}, {"B": -0.2, "A": -2.0}]
        choice = {"text": first + "B", "logprobs": {"tokens": [first, "B"], "top_logprobs": tops}}

        assert continued_reply({"choices": [choice]}, ("A", "B"), None, 0.1).text == text


def test_the_form_of_chats_is_read_too() -> None:
    alternatives = [{"token": " A", "logprob": -2.0}, {"token": " B", "logprob": -1.0}]
    logprobs = {"content": [{"token": " B", "logprob": -1.0, "top_logprobs": alternatives}]}

    assert (
        continued_reply({"choices": [{"text": " B", "logprobs": logprobs}]}, ("A", "B"), None, 0).text == "B"
    )


def test_a_template_that_ends_in_a_colon_is_left_as_it_is() -> None:
    messages = [{"role": "user", "content": "A or B?\nThe better one: "}]

    assert continued_prompt(messages) == "A or B?\nThe better one:"


def test_a_template_of_ones_own_gives_letters_with_probabilities(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=1)
    words = "--- user ---\n{{prompt}}\nA: {{response_a}}\nB: {{response_b}}\nBetter:\n"
    (tmp_path / "few.txt").write_text(words, "utf-8")

    with continuing(own_first) as server:
        report = run(of_pairs(folder, server.url, judges=["a"], variants=[str(tmp_path / "few.txt")]), store)

    assert report.ok == 2
    rows = store.open("s").table("judgments").to_pylist()
    assert sorted(round(row["p_generator"], 4) for row in rows) == [0.75, 0.8]
    assert server.bodies[0]["prompt"].endswith("\nBetter:")


def test_a_base_model_answers_by_completion_too(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=1, responses=False)

    with continuing(lambda _model, _prompt: {" Blue.": 1.0}) as server:
        run(of_pairs(folder, server.url, judges=[], paradigms=[]), store)

    assert server.bodies[0]["prompt"] == "Question i00000?\n\nAnswer:"
    assert "logprobs" not in server.bodies[0]
    assert {row["text"] for row in store.open("s").table("responses").to_pylist()} == {" Blue."}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"paradigms": ["single_rubric"]}, "single_rubric asks for more; choose from pairwise"),
        (
            {"variants": ["default"]},
            "the variant 'default' asks for an object; write variants = [\"forced\"]",
        ),
        ({"mode": "batch"}, 'does not work in batches; write mode = "live"'),
        (
            {"a": "params = {api_version = '1'}\nprotocol = 'completion'\n"},
            "as openai/... or hosted_vllm/...",
        ),
    ],
)
def test_what_letters_cannot_answer_is_refused_before_any_call(
    tmp_path: Path, more: dict[str, object], words: str
) -> None:
    folder = write_folder(tmp_path / "data")

    with pytest.raises(UsageError, match=r"models\.a\.protocol") as caught:
        of_pairs(folder, "http://127.0.0.1:9/v1", **more)

    assert words in str(caught.value)


def test_a_dry_run_counts_two_tokens_for_each_verdict(tmp_path: Path, spb_here: Spb) -> None:
    folder = write_folder(tmp_path / "data", instances=3)
    text = of_pairs(folder, "http://127.0.0.1:9/v1").text
    (tmp_path / "run.toml").write_text(text, "utf-8")

    ran = spb_here(
        "run", tmp_path / "run.toml", "--store", tmp_path / "store", "--dry-run", "--format", "json"
    )

    lines = json.loads(ran.stdout)["by_judge"]
    assert [line["completion_tokens"] for line in lines] == [2 * 6, 2 * 6]
    assert all(line["most_usd"] < 0.02 for line in lines)


def test_a_simulated_judge_takes_the_protocol(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data")
    text = f"""
study = "s"
data = "{folder}"
judges = ["j"]
paradigms = ["pairwise"]
variants = ["forced"]
[models.j]
model = "simulated/j"
protocol = "completion"
"""

    report = run(parse_config(text), store)

    assert report.ok == report.planned == 6


def test_the_cap_reserves_the_prompts_and_two_tokens_a_call(tmp_path: Path, store: Store) -> None:
    folder = write_folder(tmp_path / "data", instances=8)

    with continuing() as server:
        report = run(of_pairs(folder, server.url, judges=["a"], run="max_usd = 0.0045"), store)

    # Each call costs .001001 dollars; an answer without a bound would have reserved 32,768 tokens, .033.
    assert 1 <= report.calls <= 4
