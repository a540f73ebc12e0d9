"""The loose verdict: one of eight variants is enough."""

from engine.checkers.checks_by_id import make_check
from engine.checkers.verdicts import judge, variants


def test_variants_lose_the_first_line_the_last_both_and_the_asterisks():
    text = "Sure!\n*one*\ntwo\nBye."

    assert list(variants(text)) == [
        "*one*\ntwo\nBye.",
        "Sure!\n*one*\ntwo",
        "*one*\ntwo",
        "Sure!\none\ntwo\nBye.",
        "one\ntwo\nBye.",
        "Sure!\none\ntwo",
        "one\ntwo",
    ]


def test_variants_that_are_blank_or_repeated_are_left_out():
    assert list(variants("one line")) == []
    assert list(variants("**one**")) == ["one"]


def test_only_the_loose_verdict_tolerates_an_introduction():
    check = make_check("startend:quotation", {})

    verdict = judge(check, 'Here you are:\n"So be it."')

    assert (verdict.strict, verdict.loose) == (False, True)


def test_a_strictly_met_instruction_is_loosely_met_even_if_every_variant_fails():
    check = make_check("detectable_format:number_bullet_lists", {"num_bullets": 1})

    verdict = judge(check, "* one")

    assert (verdict.strict, verdict.loose) == (True, True)


def test_an_error_on_a_variant_leaves_the_strict_verdict():
    def check(text: str) -> bool:
        if "first" not in text:
            raise ValueError("no first line")
        return False

    verdict = judge(check, "first\nsecond")

    assert (verdict.strict, verdict.loose, verdict.problem) == (False, None, "ValueError: no first line")
