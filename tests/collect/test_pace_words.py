"""What a run says about the pace of its calls."""

import math

import pytest

from engine.collect.limits.pacing import PaceState, WaitReason

ACCEPTED = ": what the provider accepted before 1 refusal"


def state(reason: WaitReason, **fields: object) -> PaceState:
    values: dict[str, object] = {
        "name": "p", "at_once": 1_200, "under_way": 2, "per_second": None, "wait_s": math.inf, "refusals": 1,
    }  # fmt: skip
    return PaceState(**(values | fields), reason=reason)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("shown", "words"),
    [
        (state(WaitReason.WORK), "up to 1,200 at once; no limit has been reached"),
        (state(WaitReason.FIRST), "one by one until a first call is answered"),
        (state(WaitReason.SLOW_START), "1,200 at once, more as they are answered"),
        (state(WaitReason.REFUSED), "1,200 at once after 1 refusal, more as they are answered"),
        (state(WaitReason.REFUSED, wait_s=7.5), "paused for 8 seconds after 1 refusal"),
        (state(WaitReason.REFUSED, wait_s=7.5, refusals=1_000), "paused for 8 seconds after 1,000 refusals"),
        (state(WaitReason.CEILING), "1,200 at once, the most there may be"),
        (state(WaitReason.CEILING, ceiling_is_users=True), "1,200 at once, what `concurrency` allows"),
        (
            state(WaitReason.ASKED_TO_WAIT, wait_s=60.0),
            "paused for 60 seconds, as the provider asks (1 refusal)",
        ),
        (state(WaitReason.ASKED_TO_WAIT, refusals=0), "paused, as the provider asks (0 refusals)"),
        (state(WaitReason.NO_ANSWER_YET), "paused after 1 refusal; one call is sent ahead"),
        (state(WaitReason.LEARNED, per_second=1.0), f"1.0 calls a second{ACCEPTED}"),
        (state(WaitReason.LEARNED, per_second=0.99), f"59.4 calls a minute{ACCEPTED}"),
        (state(WaitReason.LEARNED), f"not spaced{ACCEPTED}"),
        (state(WaitReason.HEADERS), "the provider's remaining allowance is spread until its limit resets"),
        (state(WaitReason.USER_REQUESTS), "`requests_per_minute` of the configuration"),
        (state(WaitReason.USER_TOKENS), "`tokens_per_minute` of the configuration"),
    ],
)
def test_a_pace_says_why_calls_wait_and_for_how_long(shown: PaceState, words: str) -> None:
    assert shown.words == words
