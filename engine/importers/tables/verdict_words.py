"""The words that tables use for verdicts, and how a cell becomes a verdict.

`MET` and `SIDES` are the words for verdicts, `NO_VERDICT` those for a missing one. No number is a word for a
side: 0, 1 and 2 have too many meanings. A word for a place (`PLACES`) says which response was shown where, so
that it follows the order shown; like a letter (`LETTERS`), it may name a column as well.
"""

from collections.abc import Collection, Mapping

from engine.importers.reading.rows import Choice, number_of
from engine.values import written_form

MET = {
    **dict.fromkeys(
        (
            "true",
            "t",
            "1",
            "1.0",
            "yes",
            "y",
            "met",
            "pass",
            "passed",
            "correct",
            "right",
            "satisfied",
            "fulfilled",
        ),
        True,
    ),
    **dict.fromkeys(("upheld", "compliant", "complied", "not violated", "not_violated"), True),
    **dict.fromkeys(("yep", "yup", "yeah"), True),
    **dict.fromkeys(("✓", "✔", "✔\ufe0f", "☑", "☑\ufe0f", "✅"), True),
    **dict.fromkeys(
        (
            *("false", "f", "0", "0.0", "no", "n", "not met", "not_met", "unmet", "fail", "failed"),
            *("incorrect", "wrong", "not satisfied", "not_satisfied", "unsatisfied"),
            *("violated", "not fulfilled", "not_fulfilled", "unfulfilled", "not upheld", "not_upheld"),
            *("noncompliant", "non-compliant", "non_compliant", "not compliant", "not_compliant"),
            *("✗", "✘", "☐", "❌", "nope", "nah"),
        ),
        False,
    ),
}
OK = {"ok": "yes", "okay": "yes", "not ok": "no", "not_ok": "no", "not okay": "no", "nok": "no"}
"""Words that are verdicts as a pair: beside other words `ok` may be the middle of a scale."""

OF_ANSWERS = {
    **dict.fromkeys(
        ("pass", "passed", "correct", "right", "good", "ok", "okay", "compliant", "complied"), True
    ),
    **dict.fromkeys(("upheld", "not violated", "not_violated", "✓", "✔", "✔\ufe0f", "✅"), True),
    **dict.fromkeys(
        ("fail", "failed", "incorrect", "wrong", "bad", "not ok", "not_ok", "not okay", "nok"), False
    ),
    **dict.fromkeys(
        ("noncompliant", "non-compliant", "non_compliant", "not compliant", "not_compliant"), False
    ),
    **dict.fromkeys(("violated", "not upheld", "not_upheld", "✗", "✘", "❌"), False),
}
"""Words that say whether a criterion is met, or how the answer did: opposites where it is bad to meet."""

GOOD_OR_BAD = {"good": True, "bad": False}
"""What a user says of such words if they say how the answer did."""

SHOWN_FIRST, SHOWN_SECOND = "shown first", "shown second"
"""The words for a place that stand for nothing else."""

PLACES: dict[str, Choice] = {
    **dict.fromkeys(
        ("first", "1st", "left", "top", "first response", "response first", SHOWN_FIRST), "generator"
    ),
    **dict.fromkeys(
        ("second", "2nd", "right", "bottom", "second response", "response second", SHOWN_SECOND), "opponent"
    ),
}
"""Words for the response shown first, and for the other."""

ON_A_PAGE = frozenset(("left", "right", "top", "bottom"))
"""Words for a place that may as well be of columns that are called otherwise."""

PAIRS = (("a", "b"), ("left", "right"), ("top", "bottom"), ("first", "second"), ("1st", "2nd"))
"""Words of the two sides that go together: a file with one of them may have the other in its later rows."""

LETTERS: dict[str, Choice] = {
    **dict.fromkeys(
        (
            *("a", "response_a", "response a", "assistant_a", "assistant a", "answer_a", "answer a"),
            *("output_a", "output a", "option_a", "option a", "a>b", "a>>b", "b<a", "b<<a", "a+", "a++"),
            *("a is better", "a wins", "response_1", "response 1", "output_1", "output 1", "answer_1"),
            *("assistant_1", "assistant 1"),
        ),
        "generator",
    ),
    **dict.fromkeys(
        (
            *("b", "response_b", "response b", "assistant_b", "assistant b", "answer_b", "answer b"),
            *("output_b", "output b", "option_b", "option b", "b>a", "b>>a", "a<b", "a<<b", "b+", "b++"),
            *("b is better", "b wins", "response_2", "response 2", "output_2", "output 2", "answer_2"),
            *("assistant_2", "assistant 2"),
        ),
        "opponent",
    ),
}
"""Letters of the two responses, which name a column of the table or a place in the judge's prompt."""

SIDES: dict[str, Choice] = {
    **dict.fromkeys(("generator", "model_a", "model a", "model_1", "model 1"), "generator"),
    **dict.fromkeys(("opponent", "model_b", "model b", "model_2", "model 2"), "opponent"),
    **dict.fromkeys(
        (
            *("tie", "tied", "ties", "equal", "draw", "both", "same", "neutral", "c", "a=b", "b=a", "a~=b"),
            *("tie (bothbad)", "tie_bothbad", "both_bad", "bothbad", "both bad", "no preference"),
        ),
        "tie",
    ),
    **PLACES,
    **LETTERS,
}
ORDERS: dict[str, Choice] = {
    **SIDES,
    **dict.fromkeys(("ab", "a-b", "a,b", "original", "forward", "normal", "unswapped"), "generator"),
    **dict.fromkeys(("ba", "b-a", "b,a", "swapped", "swap", "reversed", "reverse", "flipped"), "opponent"),
}
"""The words of a column that says which response was shown first."""

BOTH_ORDERS = "both"
"""Of a column that says which response was shown first: the verdict was resolved over both orders."""

_MEANINGS: dict[str, Choice] = {**SIDES, "1": "generator", "2": "opponent", "0": "tie"}

REFUSED = frozenset(("refused", "refusal"))
"""Words of a missing verdict that the judge refused."""

NO_VERDICT = REFUSED | frozenset(
    (
        *("", "-1", "-1.0", "error", "none", "null", "nan", "n/a", "na", "unparsed"),
        *("invalid", "unknown", "failed to parse", "parse error", "no verdict", "missing", "?", "-"),
    )
)

KNOWN_WORDS = frozenset((*MET, *OK, *OF_ANSWERS, *ORDERS, *NO_VERDICT))
"""The words that are read without being explained."""


def lookup_key(value: object) -> str:
    """Return a value in the form for look-ups: lower case, stripped, whole floats as integers.

    A label in double brackets is the label: `[[A>B]]`.
    """
    key = written_form(value).strip().lower()
    return key[2:-2].strip() if key.startswith("[[") and key.endswith("]]") else key


def is_no_verdict(value: object) -> bool:
    """Return whether a value is a known way to write a missing verdict."""
    return value is None or lookup_key(value) in NO_VERDICT


def truth_by_points(value: object, points: object) -> object:
    """Return yes or no for `good` or `bad` by a criterion's points, below 0 where it is bad to meet.

    Any other value is returned as it is.
    """
    did_well = GOOD_OR_BAD.get(lookup_key(value))
    if did_well is None:
        return value
    return "yes" if did_well is not is_bad_to_meet(points) else "no"


def is_bad_to_meet(points: object) -> bool:
    """Return whether points are below 0; a criterion without any is good to meet."""
    return (number_of(points) or 0) < 0


def side_meaning(word: str, *, has_order: bool) -> str:
    """Return what a user's meaning of a value stands for; a word that is none of ours stays as it is.

    `a` is the generator. `first` is the response shown first if the table has the order, else the generator.
    """
    key = lookup_key(word)
    if has_order and key in PLACES:
        return SHOWN_FIRST if PLACES[key] == "generator" else SHOWN_SECOND
    return _MEANINGS.get(key, word)


def side_named(value: object, generator: str, opponent: str | None) -> Choice | None:
    """Return the side that a value names: by a model's name, in any case, or by a word for a side."""
    if value is None:
        return None
    text = written_form(value).strip()
    sides: dict[str | None, Choice] = {generator: "generator", opponent: "opponent"}
    matches = [side for model, side in sides.items() if model and lookup_key(model) == text.lower()]
    return sides.get(text) or SIDES.get(lookup_key(text)) or (matches[0] if len(matches) == 1 else None)


def order_named(value: object, generator: str, opponent: str | None) -> Choice | None:
    """Return the side that a value says was shown first."""
    side = side_named(value, generator, opponent) or ORDERS.get(lookup_key(value))
    return None if side == "tie" else side


def says_order(value: object) -> bool:
    """Return whether a value of the order may name the answer shown first of a pair judged once."""
    return not is_no_verdict(value) and lookup_key(value) != BOTH_ORDERS


def order_word(value: object, generator: str, opponent: str | None) -> str:
    """Return the side that a value says was shown first, or the value where it is none that is known."""
    return order_named(value, generator, opponent) or lookup_key(value)


def side_at(place: Choice, first: Choice) -> Choice:
    """Return the side that was shown at a place, `generator` standing for the first one."""
    if first == "generator":
        return place
    return "opponent" if place == "generator" else "generator"


def may_name_a_model(value: object, models: Collection[str]) -> bool:
    """Return whether a value may name a column's model as well as a place, and is no model's name."""
    key = lookup_key(value)
    return (key in LETTERS or key in ON_A_PAGE) and key not in models


def names_a_place(value: object, models: Mapping[str, object]) -> bool:
    """Return whether a value is a word for a place and no model's name."""
    key = lookup_key(value)
    return key in PLACES and key not in models
