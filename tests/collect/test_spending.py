"""The cap: it holds although the length of answers is unknown beforehand."""

import pytest
from loopback.spending import Lengths, growing, jumping, lognormal, long, pareto, spend, steady

from engine.collect.calls import CallRequest, Subject
from engine.collect.configuration.config import ModelConfig, Price
from engine.collect.configuration.prices import FREE
from engine.collect.dispatch.outlook import AnswerCosts, Outlook
from engine.collect.limits.spending import (
    LONGEST_LIKELY,
    CallKind,
    Charge,
    Reservation,
    Spending,
    Terms,
    terms_of,
)

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


A_DOLLAR_EACH = Price(input_per_million=1e6, output_per_million=1e6)
"""A dollar a token, so that sums are exact."""
TEN = Terms(CallKind("t", "pairwise"), A_DOLLAR_EACH, max_tokens=10)
HUNDRED = Terms(CallKind("h", "pairwise"), A_DOLLAR_EACH, longest_answer=100)


def seen(spending: Spending, terms: Terms, tokens: int) -> None:
    """Record an answer of so many tokens, which cost nothing."""
    call = spending.begin(terms, 0)
    spending.charge(call, Charge(0.0, 0, tokens))
    spending.end(call)


@pytest.mark.parametrize(("cap", "admission"), [(12.0, "yes"), (11.9, "no")])
def test_a_call_begins_if_its_prompt_and_its_answer_just_fit(cap: float, admission: str) -> None:
    assert Spending(cap).admission(TEN, 2) == admission


@pytest.mark.parametrize(("cap", "admission"), [(1_000.0, "yes"), (999.9, "no")])
def test_a_first_answer_is_likely_to_have_a_thousand_tokens(cap: float, admission: str) -> None:
    assert Spending(cap).admission(HUNDRED, 0) == admission


@pytest.mark.parametrize(("cap", "admission"), [(127.0, "yes"), (126.9, "no")])
def test_an_answer_is_likely_to_be_a_quarter_longer_than_any_seen(cap: float, admission: str) -> None:
    spending = Spending(cap)
    for tokens in (101, 40):
        seen(spending, HUNDRED, tokens)

    assert spending.admission(HUNDRED, 0) == admission  # 101 x 1.25 = 126.25, rounded up


@pytest.mark.parametrize(("cap", "admission"), [(300.0, "yes"), (299.9, "wait")])
def test_a_third_call_of_unknown_length_needs_room_for_all_at_their_longest(
    cap: float, admission: str
) -> None:
    spending = Spending(cap)
    seen(spending, HUNDRED, 8)  # likely 10; the model's limit is 100

    assert begin_all(spending, HUNDRED, limit=2) == 2
    assert spending.admission(HUNDRED, 0) == admission


def test_two_calls_of_unknown_length_run_beside_calls_that_are_bounded() -> None:
    spending = Spending(cap=150.0)
    seen(spending, TEN, 10)
    seen(spending, HUNDRED, 8)

    started = [begin_all(spending, terms, limit=3) for terms in (TEN, HUNDRED, TEN)]

    # A third would be one of $300 at their longest: only those that are bounded go on.
    assert started == [3, 2, 3]


@pytest.mark.parametrize(("cap", "may"), [(20.0, True), (19.9, False)])
def test_a_lost_call_is_repeated_if_two_of_likely_length_just_fit(cap: float, may: bool) -> None:
    spending = Spending(cap)
    seen(spending, HUNDRED, 8)
    for _ in range(2):
        spending.begin(HUNDRED, 0)

    assert spending.may_try_again() is may  # 8 x 1.25 each; 100 each at their longest


@pytest.mark.parametrize(("cap", "may"), [(30.0, True), (29.9, False)])
def test_a_lost_call_whose_length_is_bounded_is_repeated_if_all_just_fit(cap: float, may: bool) -> None:
    spending = Spending(cap)
    for _ in range(3):
        spending.begin(TEN, 0)

    assert spending.may_try_again() is may


def test_a_third_call_of_unknown_length_is_not_repeated_near_the_cap() -> None:
    spending = Spending(cap=299.9)
    seen(spending, HUNDRED, 8)
    for _ in range(3):
        spending.begin(HUNDRED, 0)

    assert not spending.may_try_again()


def test_an_attempt_under_way_counts_at_the_longest_that_its_answer_may_be() -> None:
    spending = Spending()

    call = spending.begin(HUNDRED, 7)

    assert spending.reserve(call) == spending.maximum_cost(HUNDRED, 7) == 107
    assert spending.reserve(Reservation(TEN, 7)) == 17


@pytest.mark.parametrize(("maximum", "admission"), [(70.0, "yes"), (70.1, "no")])
def test_a_batch_begins_if_its_maximum_just_fits(maximum: float, admission: str) -> None:
    assert Spending(100.0, spent=30.0).batch_admission(maximum) == admission


def test_of_several_batches_each_ends_with_its_own_reserve() -> None:
    spending = Spending(cap=100.0)
    spending.begin_batch(60.0)
    spending.begin_batch(30.0)
    assert spending.reserved == 90

    spending.end_batch(60.0, 5.0)

    assert (spending.spent, spending.reserved) == (5, 30)
    assert spending.batch_admission(66.0) == "wait"
    spending.end_batch(30.0, None)  # an unknown cost counts as the most
    assert (spending.spent, spending.reserved) == (35, 0)
    assert spending.batch_admission(66.0) == "no"


def test_a_batch_waits_for_calls_and_a_call_for_batches() -> None:
    spending = Spending(cap=20.0)
    call = spending.begin(TEN, 0)
    assert spending.batch_admission(11.0) == "wait"
    spending.end(call)

    spending.begin_batch(11.0)

    assert spending.admission(TEN, 0) == "wait"
    call = spending.begin(Terms(CallKind("f", None), FREE), 0)
    assert spending.admission(TEN, 0) == "wait"  # for the one and the other
    spending.end(call)
    spending.end_batch(11.0, 11.0)
    assert spending.admission(TEN, 0) == "no"


def test_the_words_name_three_models_whose_answers_have_no_known_length() -> None:
    spending = Spending(cap=1e6)
    kinds = [CallKind(name, None) for name in "abcd"]
    for kind in kinds[:3]:
        spending.begin(Terms(kind, A_DOLLAR_EACH, max_tokens=1), 0)
    three = spending.words
    call = spending.begin(Terms(kinds[3], A_DOLLAR_EACH, max_tokens=1), 0)
    four = spending.words
    spending.end(call)

    models = "a (responses), b (responses), c (responses)"
    words = f"two calls at a time until the length of answers is known: {models}"
    assert (three, four) == (words, f"{words} and 1 more")
    assert spending.words == words  # of the fourth none is under way


def test_the_words_of_a_cap_are_what_is_spent_and_reserved_and_what_is_assumed_of_it() -> None:
    spending = Spending(cap=1_000.0)
    assert Spending().words == ""
    seen(spending, TEN, 10)
    call = spending.begin(TEN, 0)
    assert spending.words == "$0 of $1,000 spent, $10 reserved"

    spending.charge(call, Charge())

    assert spending.words == (
        "$10 of $1,000 spent, $10 reserved; $10 of the cost is assumed, for 1 answer that came late, "
        "unreadable or without their tokens"
    )


def test_the_length_of_an_answer_follows_from_its_cost_without_its_tokens() -> None:
    spending = Spending(cap=1e6)
    call = spending.begin(HUNDRED, 20)
    spending.charge(call, Charge(320.0))  # 20 for the prompt as estimated, 300 for the answer
    spending.end(call)

    assert spending.maximum_cost(HUNDRED, 0) == 600  # twice the longest


def test_only_a_prompt_with_a_count_changes_the_estimate_of_others() -> None:
    spending = Spending(cap=1e6)
    for estimated, counted in ((0, 50), (10, 5), (10, 10)):
        spending.charge(spending.begin(TEN, estimated), Charge(None, counted, 1))

    assert spending.maximum_cost(TEN, 10) == 20  # never less than estimated


def test_terms_have_the_bound_of_the_calls_role_and_an_unknown_price_counts_as_free() -> None:
    config = ModelConfig(model="openai/nothing", params={"max_tokens": 7})  # type: ignore[arg-type]
    judge = CallRequest("judge", "m", "pairwise", "default", Subject("i", "g"))
    generator = CallRequest("generator", "m", None, "default", Subject("i", "g"))

    assert terms_of(judge, config, A_DOLLAR_EACH) == Terms(CallKind("m", "pairwise"), A_DOLLAR_EACH, 7, None)
    assert terms_of(generator, config, None) == Terms(CallKind("m", None), FREE, 7, None)


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
