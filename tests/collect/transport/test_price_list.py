"""The list of prices without litellm."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.collect.client import litellm_gateway
from engine.collect.configuration import prices
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.prices import (
    cost_usd,
    is_free,
    known_sum,
    listed_price,
    longest_answer,
    may_think,
    price_of,
    thinks,
)

ROOT = Path(__file__).parents[3]
PRICES = {
    "openai/gpt-4o-mini": "gpt-4o-mini",
    "gpt-4o-mini": "gpt-4o-mini",
    "openai/o3-mini": "o3-mini",
    "anthropic/claude-sonnet-4-5": "claude-sonnet-4-5",
    "gemini/gemini-2.5-pro": "gemini/gemini-2.5-pro",
    "deepseek/deepseek-chat": "deepseek/deepseek-chat",
}
UNLISTED = ("openai/text-embedding-3-small", "openai/nobody-knows-this", "hosted_vllm/gpt-4o-mini")


def test_a_price_is_read_from_the_list() -> None:
    price = listed_price("openai/gpt-4o-mini")

    # OpenAI's list: 15 and 60 cents for a million tokens
    assert price is not None
    assert price.input_per_million == pytest.approx(0.15)
    assert price.output_per_million == pytest.approx(0.60)


@pytest.mark.parametrize(("model", "name"), PRICES.items())
def test_prices_equal_litellms_own(model: str, name: str) -> None:
    entry = litellm_gateway.load().model_cost[name]

    price = listed_price(model)

    assert price is not None
    assert price.input_per_million == pytest.approx(entry["input_cost_per_token"] * 1e6)
    assert price.output_per_million == pytest.approx(entry["output_cost_per_token"] * 1e6)


@pytest.mark.parametrize("model", UNLISTED)
def test_a_name_that_is_no_chat_model_of_the_provider_has_no_price(model: str) -> None:
    assert listed_price(model) is None


def test_looking_up_a_price_does_not_import_litellm() -> None:
    program = (
        "import sys\n"
        "from engine.collect.configuration.prices import listed_price\n"
        "assert listed_price('openai/gpt-4o-mini') and not listed_price('openai/nobody-knows-this')\n"
        "sys.exit('litellm' in sys.modules)\n"
    )

    process = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert (process.returncode, process.stderr) == (0, "")


LIST: dict[str, object] = {
    "openai/m": {
        "litellm_provider": "openai",
        "input_cost_per_token": 1e-6,
        "output_cost_per_token": 2e-6,
        "input_cost_per_token_batches": 3e-7,
        "output_cost_per_token_batches": 4e-7,
        "max_output_tokens": 900,
    },
    "n": {
        "litellm_provider": "azure",
        "mode": "responses",
        "input_cost_per_token": 5e-6,
        "output_cost_per_token": 0,
        "max_output_tokens": 0,
        "supports_reasoning": True,
    },
    "openai/e": {"litellm_provider": "openai", "mode": "embedding", "input_cost_per_token": 1e-6,
                 "output_cost_per_token": 1e-6},
    "half": {"litellm_provider": "openai", "input_cost_per_token": 1e-6, "max_output_tokens": "many"},
    "claude": {"litellm_provider": "anthropic", "supports_reasoning": True},
    "odd": "no entry",
}  # fmt: skip


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "_list", lambda: LIST)


def price(prompt: float, answer: float) -> Price:
    return Price(input_per_million=prompt, output_per_million=answer)


def dollars(price: Price | None) -> tuple[float, float] | None:
    return price and (round(price.input_per_million, 9), round(price.output_per_million, 9))


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(
    ("model", "batch", "expected"),
    [
        ("openai/m", False, (1, 2)),
        ("openai/m", True, (0.3, 0.4)),
        ("m", False, None),
        ("azure/n", False, (5, 0)),
        ("azure_ai/n", False, None),  # listed by a provider whose name does not begin so
        ("az/n", False, (5, 0)),
        ("n", False, (5, 0)),
        ("n", True, None),
        ("openai/e", False, None),
        ("half", False, None),
        ("odd", False, None),
    ],
)
def test_a_price_is_that_of_the_provider_for_texts(
    model: str, batch: bool, expected: tuple[float, float] | None
) -> None:
    assert dollars(listed_price(model, batch=batch)) == expected


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(
    ("settings", "live", "in_batches"),
    [
        ({"model": "openai/m"}, (1, 2), (0.3, 0.4)),
        ({"model": "openai/m", "price": price(8, 6)}, (8, 6), (4, 3)),
        ({"model": "openai/m", "batch_price": price(9, 7)}, (1, 2), (9, 7)),
        ({"model": "azure/n"}, (5, 0), (2.5, 0)),
        ({"model": "simulated/m"}, (0, 0), (0, 0)),
        ({"model": "simulated/m", "price": price(8, 6)}, (8, 6), (4, 3)),
        ({"model": "openai/none"}, None, None),
    ],
)
def test_a_users_price_comes_first_and_batches_cost_half_unless_stated(
    settings: dict[str, object], live: tuple[float, float] | None, in_batches: tuple[float, float] | None
) -> None:
    config = ModelConfig(**settings)  # type: ignore[arg-type]

    assert dollars(price_of(config)) == live
    assert dollars(price_of(config, batch=True)) == in_batches


def test_a_price_is_free_if_both_sides_are_and_costs_are_of_a_million_tokens() -> None:
    assert is_free(price(0, 0))
    assert not is_free(price(0, 1))
    assert not is_free(price(1, 0))
    assert not is_free(None)
    assert cost_usd(price(2, 8), 500_000, 250_000) == pytest.approx(3)


def test_a_sum_with_an_unknown_cost_is_unknown() -> None:
    assert known_sum([0.5, 0.25]) == 0.75
    assert known_sum([]) == 0
    assert known_sum([0.5, None, 0.0]) is None


@pytest.mark.usefixtures("listed")
def test_the_longest_answer_is_a_number_above_none() -> None:
    assert (longest_answer("openai/m"), longest_answer("azure/n"), longest_answer("half")) == (
        900,
        None,
        None,
    )
    assert longest_answer("openai/nothing") is None
    assert longest_answer("odd") is None


@pytest.mark.usefixtures("listed")
@pytest.mark.parametrize(
    ("settings", "thinks"),
    [
        ({"model": "simulated/n"}, False),
        ({"model": "azure/n"}, True),
        ({"model": "n"}, True),
        ({"model": "openai/m"}, False),
        ({"model": "anthropic/claude"}, False),  # only on request
        ({"model": "anthropic/claude", "params": {"thinking": {"type": "enabled"}}}, True),
        ({"model": "azure/n", "params": {"thinking": {"type": "disabled"}}}, False),
        ({"model": "azure/n", "params": {"reasoning_effort": "none"}}, False),
        ({"model": "openai/m", "params": {"reasoning_effort": "low"}}, True),
        ({"model": "openai/m", "stage": "reasoning"}, True),
        ({"model": "anthropic/unlisted"}, False),
        ({"model": "openai/unlisted"}, True),
        ({"model": "openai/unlisted", "stage": "base"}, False),
    ],
)
def test_a_model_may_think_if_it_is_set_to_or_listed_so_or_unknown(
    settings: dict[str, object], thinks: bool
) -> None:
    assert may_think(ModelConfig(**settings)) is thinks  # type: ignore[arg-type]


@pytest.mark.usefixtures("listed")
def test_of_an_unlisted_model_nothing_is_known_unless_its_stage_is() -> None:
    assert thinks(ModelConfig(model="openai/unlisted")) is None
    assert thinks(ModelConfig(model="openai/unlisted", stage="base")) is False
    assert thinks(ModelConfig(model="openai/unlisted", stage="reasoning")) is True


@pytest.mark.parametrize("origin", [None, "elsewhere"])
def test_without_the_list_no_price_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: str | None
) -> None:
    spec = None if origin is None else SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    monkeypatch.setattr(prices, "find_spec", lambda _: spec)

    assert prices._list.__wrapped__() == {}
    (tmp_path / "model_prices_and_context_window_backup.json").write_text('{"m": {}}')
    assert prices._list.__wrapped__() == ({} if spec is None else {"m": {}})
    monkeypatch.setattr(prices, "find_spec", lambda _: SimpleNamespace(origin=None))
    assert prices._list.__wrapped__() == {}
