"""What tokens cost."""

from engine.config import Price

IN_BATCHES = 0.5
PER = 1_000_000
FREE = Price(input_per_million=0.0, output_per_million=0.0)


def cost_usd(price: Price, prompt_tokens: int, completion_tokens: int) -> float:
    """Return the dollars for so many tokens of the prompt and of the answer, its reasoning included."""
    paid = prompt_tokens * price.input_per_million + completion_tokens * price.output_per_million
    return paid / PER


def batch_price(price: Price) -> Price:
    """Return what providers ask in batches unless they say otherwise: half."""
    return Price(
        input_per_million=price.input_per_million * IN_BATCHES,
        output_per_million=price.output_per_million * IN_BATCHES,
    )
