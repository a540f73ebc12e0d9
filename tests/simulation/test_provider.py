"""Answers of simulated models: parsable, with the configured effects, and deterministic."""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine.collect import paradigms
from engine.collect.calls import CallRequest, Message, Reply, Subject
from engine.collect.client.model_client import Models
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.paradigms.request_texts import Criterion, RequestTexts
from engine.collect.paradigms.template_files import shipped_template
from engine.errors import UsageError
from engine.paradigms import Paradigm
from engine.rubric_options import ScoreOption
from engine.simulation.oracle import Oracle
from engine.simulation.planted import Planted, parse_planted
from engine.simulation.provider import SimulatedAnswer, SimulatedModel

VARIANTS: list[tuple[Paradigm, str]] = [
    ("single_rubric", "default"),
    ("all_rubrics", "default"),
    ("direct_assessment", "default"),
    ("pairwise", "default"),
    ("pairwise", "cot"),
    ("pairwise", "forced"),
    ("pairwise", "forced_tie"),
    ("pairwise", "structured"),
    ("score_rubric", "default"),
    ("quality", "default"),
    ("listwise", "default"),
    ("recognition", "default"),
]
FAMILIES = {"me": "mine", "kin": "mine", "stranger": "theirs"}


def call(
    paradigm: Paradigm,
    variant: str = "default",
    *,
    response: str = "A response.",
    opponent: str = "Another response.",
    criteria: tuple[str, ...] = ("Is polite.", "Is right.", "Is brief."),
) -> tuple[CallRequest, list[Message]]:
    """Return a request of a shipped paradigm and variant, and its messages."""
    criteria = criteria[:1] if paradigm in ("single_rubric", "score_rubric") else criteria
    options = tuple(ScoreOption(score, f"Level {score}.") for score in (1, 2, 3, 4, 5))
    pair = {"opponent": "o", "first": "generator"} if paradigm in ("pairwise", "recognition") else {}
    ordering = {"score_rubric": "1-2-3-4-5", "listwise": '["g", "o", "p"]'}.get(paradigm)
    order = {} if ordering is None else {"ordering": ordering}
    ranked = (response, opponent, "A third response.") if paradigm == "listwise" else ()
    ids = tuple(f"r{number}" for number in range(len(criteria)))
    subject = Subject("i", "g", rubric_ids=ids, **pair, **order)  # type: ignore[arg-type]
    request = CallRequest("judge", "me", paradigm, variant, subject)
    rubrics = tuple(Criterion(each, options=options) for each in criteria)
    texts = RequestTexts("Do it.", response, opponent, rubrics, responses=ranked)
    return request, paradigms.ask(request, shipped_template(paradigm, variant), texts)


def judge(oracle: Oracle | None = None, **settings: Any) -> SimulatedModel:
    return SimulatedModel("me", Planted(**settings), families=FAMILIES, oracle=oracle)


def answer_of(model: SimulatedModel, messages: list[Message]) -> SimulatedAnswer:
    answer = model.answer(messages)
    assert isinstance(answer, SimulatedAnswer)
    return answer


def rows_of(model: SimulatedModel, request: CallRequest, messages: list[Message]) -> list[Any]:
    answer = answer_of(model, messages)
    reply = Reply(answer.text, refusal=answer.refusal, first_token=answer.first_token)
    return list(paradigms.read(request, reply))


@pytest.mark.parametrize(("paradigm", "variant"), VARIANTS)
def test_every_answer_can_be_read(paradigm: Paradigm, variant: str) -> None:
    for number in range(20):
        request, messages = call(paradigm, variant, response=f"Response {number}.")

        rows = rows_of(judge(), request, messages)

        assert {row["status"] for row in rows} == {"ok"}


@pytest.mark.parametrize(("paradigm", "variant"), VARIANTS)
def test_an_answer_is_deterministic(paradigm: Paradigm, variant: str) -> None:
    _, messages = call(paradigm, variant)

    assert answer_of(judge(), messages) == answer_of(judge(), messages)


def test_answers_differ_between_models_and_seeds() -> None:
    calls = [call("all_rubrics", response=f"Response {number}.")[1] for number in range(30)]

    def answers(model: SimulatedModel) -> list[str]:
        return [answer_of(model, messages).text for messages in calls]

    base = answers(judge())
    assert answers(judge(seed=1)) != base
    assert answers(SimulatedModel("other", Planted())) != base


def shares(holds: Callable[[SimulatedModel, str], bool], oracle: Oracle, n: int, **settings: Any) -> Any:
    """Return by generator the share of `n` responses for which `holds` is true."""
    model = judge(oracle, **settings)
    by_generator = {}
    for generator in FAMILIES:
        texts = [f"{generator} wrote {number}." for number in range(n)]
        for text in texts:
            oracle.record(text, generator, {"Is polite.": False, "Is right.": True})
        by_generator[generator] = np.mean([holds(model, text) for text in texts])
    return by_generator


def test_overestimation_has_the_planted_ratios_for_own_and_relatives_responses() -> None:
    def credited(model: SimulatedModel, text: str) -> bool:
        request, messages = call("single_rubric", response=text, criteria=("Is polite.",))
        return bool(rows_of(model, request, messages)[0]["met"])

    by_generator = shares(credited, Oracle(), 600, overestimation=0.2, self_ratio=3.0, family_ratio=2.0)

    # standard errors are at most 0.02: sqrt(0.6 * 0.4 / 600)
    assert by_generator["stranger"] == pytest.approx(0.2, abs=0.08)
    assert by_generator["kin"] == pytest.approx(0.4, abs=0.08)
    assert by_generator["me"] == pytest.approx(0.6, abs=0.08)


def test_underestimation_is_planted_equally_for_all_generators() -> None:
    def missed(model: SimulatedModel, text: str) -> bool:
        request, messages = call("single_rubric", response=text, criteria=("Is right.",))
        return not rows_of(model, request, messages)[0]["met"]

    by_generator = shares(missed, Oracle(), 600, underestimation=0.1, self_ratio=3.0)

    assert list(by_generator.values()) == pytest.approx([0.1, 0.1, 0.1], abs=0.05)


def test_favour_on_an_undesirable_criterion_means_finding_it_not_met() -> None:
    oracle = Oracle()
    oracle.record_undesirable("Insults the reader.")
    met = []
    for number in range(300):
        oracle.record(f"Text {number}.", "me", {"Insults the reader.": True})
        request, messages = call(
            "single_rubric", response=f"Text {number}.", criteria=("Insults the reader.",)
        )
        met.append(rows_of(judge(oracle, overestimation=0.9), request, messages)[0]["met"])

    assert np.mean(met) == pytest.approx(0.1, abs=0.08)


def test_the_first_and_the_longer_response_of_a_pair_are_preferred_as_planted() -> None:
    def first_share(**settings: Any) -> float:
        model = judge(**settings)
        wins = []
        for number in range(400):
            request, messages = call(
                "pairwise", "forced", response=f"{number} long {'word ' * 30}", opponent=f"{number} short"
            )
            wins.append(rows_of(model, request, messages)[0]["choice"] == "generator")
        return float(np.mean(wins))

    even = first_share()
    assert even == pytest.approx(0.5, abs=0.12)
    assert first_share(first_bias=0.9) > even + 0.2
    assert first_share(verbosity=1.0) > even + 0.2
    assert first_share(verbosity=-1.0) < even - 0.2


def test_a_judges_own_response_is_preferred_in_a_pair() -> None:
    oracle = Oracle()
    choices: Counter[str] = Counter()
    for number in range(300):
        oracle.record(f"Mine {number}.", "me")
        oracle.record(f"Theirs {number}.", "stranger")
        request, messages = call(
            "pairwise", "forced", response=f"Theirs {number}.", opponent=f"Mine {number}."
        )
        choices[rows_of(judge(oracle, self_ratio=4.0), request, messages)[0]["choice"]] += 1

    assert choices["opponent"] > 200


def test_the_choice_of_a_forced_letter_follows_its_probabilities() -> None:
    request, messages = call("pairwise", "forced_tie")

    row = rows_of(judge(), request, messages)[0]

    assert row["p_mass"] == pytest.approx(0.98)
    assert 0 < row["p_generator"] < 1
    assert 0 <= row["p_tie"] <= 1


def test_unknown_truth_is_drawn_by_a_hash_at_the_generators_skill() -> None:
    oracle = Oracle({"good": 0.9, "bad": 0.2})
    for name in ("good", "bad"):
        for number in range(1000):
            oracle.record(f"{name} {number}", name)

    met = {
        n: np.mean([oracle.favourable(f"{n} {i}", "Is it?") for i in range(1000)]) for n in ("good", "bad")
    }
    strength = {n: np.mean([oracle.strength(f"{n} {i}") for i in range(1000)]) for n in ("good", "bad")}

    assert met == pytest.approx({"good": 0.9, "bad": 0.2}, abs=0.05)
    assert strength == pytest.approx({"good": 0.9, "bad": 0.2}, abs=0.05)


def test_faults_occur_as_often_as_planted() -> None:
    model = judge(unparsed=0.2, refused=0.2, wrong_count=0.2)
    statuses: Counter[str] = Counter()
    for number in range(600):
        request, messages = call("all_rubrics", response=f"Response {number}.")
        statuses[rows_of(model, request, messages)[0]["status"]] += 1

    assert statuses["refused"] / 600 == pytest.approx(0.2, abs=0.06)
    assert statuses["unparsed"] / 600 == pytest.approx(
        0.4, abs=0.07
    )  # free text, and lists that are too long


def test_failures_pass_on_retry_and_leave_the_answer_unchanged() -> None:
    model = judge(rate_limit=0.3, server_error=0.3, hang=0.3)
    troubles = set()

    for number in range(30):
        _, messages = call("single_rubric", response=f"Response {number}.")
        while isinstance(answer := model.answer(messages), str):
            troubles.add(answer)
        assert answer == answer_of(judge(), messages)

    assert troubles == {"rate_limit", "server_error", "hang"}


def test_a_generator_writes_a_readable_text_with_words_of_the_prompt() -> None:
    messages = [{"role": "user", "content": "Describe the weather of Iceland."}]

    answer = answer_of(judge(), messages)

    assert answer.text.endswith(".")
    assert any(word in answer.text for word in ("Describe", "weather", "Iceland"))
    assert 3 <= answer.text.count(".") <= 12
    assert answer.completion_tokens == -(-len(answer.text) // 4)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"skil": 0.5}, r"models\.m\.simulated\.skil: unknown field; choose from: skill, overestimation"),
        ({"skill": 2}, r"models\.m\.simulated\.skill is 2: give a number less than 1"),
        ({"overestimation": 0.5, "self_ratio": 3.0}, r"1\.50, not a probability"),
        ({"unparsed": 0.7, "refused": 0.7}, "more than 1 together"),
    ],
)
def test_invalid_settings_are_named_with_their_place(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_planted("models.m.simulated", settings)


def ask_model(config: ModelConfig, messages: list[Message], **settings: Any) -> Any:
    async def ask() -> Any:
        async with Models({"me": config}, **settings) as models:
            return await models.ask("me", messages, logprobs=True)

    return asyncio.run(ask())


def test_the_answer_is_the_same_through_the_common_client() -> None:
    _, messages = call("pairwise", "forced")
    direct = answer_of(judge(), messages)

    reply, calls = ask_model(ModelConfig(model="simulated/any", family="mine"), messages)

    assert reply.text == direct.text
    assert (reply.prompt_tokens, reply.completion_tokens) == (direct.prompt_tokens, direct.completion_tokens)
    assert [token for token, _ in reply.first_token] == [token for token, _ in direct.first_token or ()]
    assert [share for _, share in reply.first_token] == pytest.approx(
        [share for _, share in direct.first_token or ()]
    )
    assert (reply.model_id, reply.cost_usd, calls) == ("simulated/any", 0.0, 1)


def test_a_simulated_model_costs_what_the_configuration_says() -> None:
    _, messages = call("quality")
    price = Price(input_per_million=1_000_000, output_per_million=0)

    reply, _ = ask_model(ModelConfig(model="simulated/x", price=price), messages)

    assert reply.cost_usd == reply.prompt_tokens


def test_a_simulated_refusal_counts_as_a_refusal() -> None:
    _, messages = call("quality")

    reply, _ = ask_model(ModelConfig(model="simulated/x", simulated={"refused": 1.0}), messages)

    assert reply.refused


def test_a_simulated_hang_ends_with_the_timeout() -> None:
    _, messages = call("quality")

    failure, calls = ask_model(
        ModelConfig(model="simulated/x", simulated={"hang": 1.0}), messages, timeout_s=0.05, retries=0
    )

    assert (failure.kind, calls) == ("timeout", 1)
