"""The list of prices without litellm."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.collect import litellm_gateway
from engine.collect.prices import listed_price

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
        "from engine.collect.prices import listed_price\n"
        "assert listed_price('openai/gpt-4o-mini') and not listed_price('openai/nobody-knows-this')\n"
        "sys.exit('litellm' in sys.modules)\n"
    )

    process = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert (process.returncode, process.stderr) == (0, "")
