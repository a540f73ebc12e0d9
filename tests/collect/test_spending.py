"""The cap: it holds although the length of answers is unknown beforehand."""

import pytest
from loopback.spending import Lengths, growing, jumping, lognormal, long, pareto, spend, steady

from engine.collect.config import Price
from engine.collect.outlook import AnswerCosts, Outlook
from engine.collect.spending import LONGEST_LIKELY, CallKind, Charge, Reservation, Spending, Terms

PRICE = Price(input_per_million=1.0, output_per_million=10.0)
OPEN = Terms(CallKind("m", "pairwise"), PRICE)
BOUND = Terms(CallKind("b", "pairwise"), PRICE, max_tokens=1_000)  # $0.01 and its prompt


def begin_all(spending: Spending, terms: Terms, limit: int = 100) -> int:
    """Start calls until one is not allowed; return how many started."""
    for started in range(limit):
        if spending.admission(terms, 0) != "yes":
            return started
        spending.begin(terms, 0)
    return limit


def answered(spending: Spending, terms: Terms) -> None:
    """Record 50 answered calls of 100 tokens, which cost nothing."""
    for _ in range(50):
        call = spending.begin(terms, 0)
        spending.charge(call, Charge(0.0, None, 100))
        spending.end(call)


def test_without_a_cap_nothing_waits() -> None:
    assert begin_all(Spending(), OPEN) == 100


def test_a_models_first_calls_go_two_at_a_time_until_the_length_of_answers_is_known() -> None:
    spending = Spending(cap=1_000.0)
    first = spending.begin(OPEN, 0)

    before = begin_all(spending, OPEN)
    other = begin_all(spending, Terms(CallKind("m", "single_rubric"), PRICE))
    words = spending.words
    spending.charge(first, Charge(0.003, 0, 300))
    spending.end(first)
    after = begin_all(spending, OPEN)

    assert [before, other, after] == [1, 2, 2]  # 1 is still in progress: 3 with one answer
    assert words == (
        "two calls at a time until the length of answers is known: m (pairwise), m (single_rubric)"
    )


def test_calls_with_max_tokens_run_together_as_far_as_the_cap_allows() -> None:
    # $0.01 each: 5 in $0.05, once an answer has shown that the server keeps to max_tokens
    spending = Spending(cap=0.0501)
    before = begin_all(spending, BOUND, limit=4)
    first = Reservation(BOUND, 0)
    spending.charge(first, Charge(0.0, 0, 1_000))
    spending.end(first)

    assert [before, before - 1 + begin_all(spending, BOUND)] == [2, 5]


def test_a_call_under_way_is_reserved_at_the_longest_answer_it_may_have() -> None:
    spending = Spending(cap=100.0)
    for tokens in (100, 400, 200):
        call = spending.begin(OPEN, 0)
        spending.charge(call, Charge(None, 0, tokens))
        spending.end(call)
    spending.begin(OPEN, 1_000)

    # (100 + 400 + 200) tokens of $10 a million; then 32,768 for the next, and its prompt of 1,000
    assert spending.spent == pytest.approx(0.007)
    assert spending.reserved == pytest.approx(0.32768 + 0.001)


def test_near_the_cap_only_two_calls_of_unknown_length_run_together() -> None:
    # an answer may have 32,768 tokens, $0.32768: two fit into $1 with a third, a fourth does not
    spending = Spending(cap=1.0)
    answered(spending, OPEN)

    assert begin_all(spending, OPEN) == 3
    assert LONGEST_LIKELY == 32_768


def test_the_models_output_limit_replaces_the_likely_length() -> None:
    terms = Terms(OPEN.kind, PRICE, longest_answer=4_096)  # $0.04096
    spending = Spending(cap=1.0)
    answered(spending, terms)

    assert begin_all(spending, terms) == 24


def test_an_unreadable_answer_is_paid_for_and_may_be_the_last() -> None:
    spending = Spending(cap=0.02)
    call = spending.begin(BOUND, 0)

    allowed = []
    for _ in range(2):
        spending.charge(call, Charge(0.008, 0, 800))
        allowed.append(spending.may_try_again())

    assert spending.spent == pytest.approx(0.016)
    assert allowed == [True, False]  # $0.016 and $0.01 for the third try are more than $0.02


KNOWN = Terms(CallKind("k", "pairwise"), PRICE, longest_answer=4_096)


@pytest.mark.parametrize(
    ("terms", "usd"),
    [
        (BOUND, 0.01),  # max_tokens
        (KNOWN, 0.04096),  # the model's output limit
        (OPEN, 0.32768),  # neither: as long as answers may get
    ],
)
def test_a_lost_answer_counts_at_the_longest_it_may_have_been(terms: Terms, usd: float) -> None:
    spending = Spending(cap=1.0)
    answered(spending, terms)

    spending.charge(spending.begin(terms, 2_000), Charge())

    assert spending.spent == pytest.approx(usd + 0.002)
    assert spending.assumed == 1
    assert spending.assumed_usd == pytest.approx(spending.spent)


def test_a_lost_answer_of_unlimited_length_is_assumed_longer_than_any_seen() -> None:
    spending = Spending(cap=100.0)
    call = spending.begin(OPEN, 0)
    spending.charge(call, Charge(None, 0, 50_000))  # $0.50
    lost = spending.charge(call, Charge())

    assert lost == pytest.approx(1.0)


def test_a_lost_answer_that_states_its_tokens_counts_at_these() -> None:
    spending = Spending(cap=1.0)

    spending.charge(spending.begin(BOUND, 0), Charge(None, 100, 20))

    assert spending.spent == pytest.approx(0.0003)
    assert spending.assumed == 0


def test_after_a_lost_answer_a_call_is_retried_only_if_the_cap_leaves_room_for_two_calls() -> None:
    spending = Spending(cap=0.35)  # one lost answer of $0.32768, and a likely one of $0.00125
    answered(spending, OPEN)
    call, other = spending.begin(OPEN, 0), spending.begin(OPEN, 0)

    spending.charge(call, Charge())
    first = spending.may_try_again()
    spending.charge(other, Charge())

    assert [first, spending.may_try_again()] == [True, False]


def test_a_free_model_never_waits_for_a_cap() -> None:
    free = Terms(CallKind("f", None), Price(input_per_million=0, output_per_million=0))

    assert begin_all(Spending(cap=0.01), free) == 100


def test_hidden_reasoning_seen_only_in_the_cost_counts_in_the_answers_length() -> None:
    spending = Spending(cap=100.0)
    call = spending.begin(OPEN, 1_000)
    # $0.201: the prompt's $0.001 and 20,000 tokens, of which 20 were shown
    spending.charge(call, Charge(0.201, 1_000, 20))
    spending.end(call)

    spending.begin(OPEN, 0)

    assert spending.reserved == pytest.approx(2 * 20_000 * 10 / 1e6)


def test_a_model_that_exceeds_max_tokens_has_unknown_length() -> None:
    spending = Spending(cap=1.0)
    call = spending.begin(BOUND, 0)
    spending.charge(call, Charge(0.05, 0, 5_000))
    spending.end(call)

    assert begin_all(spending, BOUND) == 2


def test_a_prompt_longer_than_estimated_raises_the_next_reserve() -> None:
    spending = Spending(cap=100.0)
    call = spending.begin(BOUND, 1_000)
    spending.charge(call, Charge(0.013, 3_000, 1_000))
    spending.end(call)

    spending.begin(BOUND, 1_000)

    assert spending.reserved == pytest.approx(0.01 + 0.003)


def test_an_exhausted_cap_is_distinguished_from_one_held_by_reserves() -> None:
    spending = Spending(cap=0.015)
    call = spending.begin(BOUND, 0)
    waits = spending.admission(BOUND, 0)
    spending.charge(call, Charge(0.01, 0, 1_000))
    spending.end(call)

    assert [waits, spending.admission(BOUND, 0)] == ["wait", "no"]


def test_a_batch_reserves_its_maximum_and_is_settled_at_its_actual_cost() -> None:
    spending = Spending(cap=1.0)
    most = 2 * spending.maximum_cost(OPEN, 0)

    spending.begin_batch(most)

    assert most == pytest.approx(0.65536)
    assert [spending.batch_admission(0.3), spending.batch_admission(0.4)] == ["yes", "wait"]
    spending.end_batch(most, 0.1)
    assert spending.batch_admission(0.4) == "yes"
    assert spending.spent == pytest.approx(0.1)


ANSWERS: dict[str, list[Lengths]] = {
    "steady": [steady],
    "long": [long],
    "growing": [growing],
    "jumping at once": [jumping(1)],
    "jumping late": [jumping(700)],
    "heavy-tailed": [pareto],
    "log-normal": [lognormal],
    "several models": [steady, jumping(30), pareto, long],
}


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("cap", [0.05, 1.0, 10.0])
def test_the_cap_is_exceeded_by_at_most_the_cost_of_two_calls(answers: str, cap: float) -> None:
    run = spend(ANSWERS[answers], cap, calls=1_500)

    assert run.excess <= 2


@pytest.mark.parametrize("answers", ["steady", "long", "jumping late", "log-normal", "several models"])
@pytest.mark.parametrize(("cap", "max_tokens"), [(0.05, None), (1.0, None), (10.0, None), (10.0, 30_000)])
@pytest.mark.parametrize("lost", [0.3, 1.0])
def test_the_bill_with_lost_answers_exceeds_the_cap_by_at_most_two_calls(
    answers: str, cap: float, max_tokens: int | None, lost: float
) -> None:
    run = spend(ANSWERS[answers], cap, calls=500, max_tokens=max_tokens, lost=lost)

    assert run.billed > 0
    assert run.excess <= 2


def test_far_from_the_cap_no_call_waits() -> None:
    capped, free = spend([steady], 100.0), spend([steady], 1e9)

    assert capped.calls == 3_000
    assert capped.seconds <= 1.05 * free.seconds


def looking(calls_left: dict[str, int], *answers: tuple[str, float | None, int]) -> Outlook:
    """Return the outlook after answers of (model, cost, tokens); $1 and 100 tokens were expected each."""
    outlook = Outlook()
    outlook.calls_left.update(calls_left)
    for model, cost, tokens in answers:
        outlook.record(model, AnswerCosts(1, tokens, 100, cost, 1.0))
    return outlook


def test_the_cost_of_a_run_is_extrapolated_from_each_models_mean() -> None:
    outlook = looking({"a": 10, "b": 100}, *[("a", 3.0, 300)] * 5, *[("b", 0.5, 50)] * 5)

    state = outlook.state()

    # 10 calls at 3 and 100 at 0.5; the ten answers cost 15 + 2.5 instead of the expected 10
    assert state is not None
    assert state["to_come_usd"] == pytest.approx(10 * 3.0 + 100 * 0.5)
    assert (state["answers"], state["cost_usd"], state["foreseen_usd"]) == (10, 17.5, 10.0)
    assert outlook.words(17.5) == (
        "about $97.5 with the calls still to come: answers cost 1.8 times as much as estimated"
    )


@pytest.mark.parametrize(
    ("outlook", "words"),
    [
        (looking({"a": 1}, *[("a", 9.0, 100)] * 4), ""),  # too few
        (looking({"a": 1, "b": 1}, *[("a", 9.0, 100)] * 5), ""),  # b has no answer yet
        (looking({"a": 1}, *[("a", 0.0, 900)] * 5), ""),  # free
        (
            looking({"a": 1}, *[("a", 1.05, 100)] * 5),
            "about $6.05 with the calls still to come: answers cost as much as estimated",
        ),
        (looking({"a": 1}, *[("a", None, 300)] * 5), "answers are 3 times as long as estimated"),
        (looking({"a": 1}, *[("a", None, 100)] * 5), ""),
    ],
)
def test_an_outlook_is_shown_only_if_it_is_informative(outlook: Outlook, words: str) -> None:
    assert outlook.words(5.0) == words
