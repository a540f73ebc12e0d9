"""The likelihood of a response as a judge's score: its mean log-probability per token."""

import pytest
from collect.paradigms.calls import only, weighed


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ('{"logprob": -8.0, "tokens": 4}', -2.0),
        ('{"logprob": 0, "tokens": 4}', 0.0),
        ('{"logprob": -3.0, "tokens": 1}', -3.0),
        ('{"logprob": 0.5, "tokens": 4}', None),  # a probability above 1
        ('{"logprob": -3.0, "tokens": 0}', None),
        ('{"logprob": -3.0}', None),
        ('{"tokens": 4}', None),
        ("no", None),
    ],
)
def test_a_likelihood_is_divided_by_its_tokens(answer: str, score: float | None) -> None:
    row = only(weighed(), answer)

    assert (row["status"], row["score"]) == ("unparsed" if score is None else "ok", score)
