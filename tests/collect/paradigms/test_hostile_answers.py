"""Whatever a model answers, reading gives the requested rows."""

import json

import pyarrow as pa
import pytest
from collect.paradigms.calls import EVERY, answer
from hypothesis import given
from hypothesis import strategies as st

from engine.schema import STATUSES

EXPECTED = {"all_rubrics": 3, "quality": 5, "listwise": 3}

MANY = 200_000
"""So many that work that grows with the square of a length would take minutes."""
HOSTILE = {
    "NUL": "\0" * 100,
    "lone surrogates": '{"explanation": "\\ud800", "criteria_met": true} \udfff',
    "nothing": "x" * 10 * MANY,
    "space": " " * 10 * MANY,
    "open braces": "{" * MANY,
    "open objects": '{"a":' * (MANY // 5),
    "open lists": '{"results":' + "[" * MANY,
    "open texts": '{"' * (MANY // 2),
    "long texts begun again and again": ('{"a":"' + "b" * 50) * 20_000,
    "nested and closed": '{"a":' * (MANY // 5) + "1" + "}" * (MANY // 5),
    "many objects": '{"criteria_met": 3}' * 20_000,
    "a huge integer": '{"score": ' + "9" * MANY + "}",
    "a huge exponent": '{"score": 1e999999, "relevance": -1e999999}',
    "not a number": '{"score": NaN, "relevance": Infinity, "criteria_met": NaN}',
    "dollars": "$" * MANY,
    "dollars and space": "$$ " * MANY,
    "results": "[RESULT] " * MANY,
    "a result far off": "[RESULT]" + " " * 6 * MANY + "4",
    "digits": "[RESULT] " + "4" * MANY,
    "a page": "<html><body>" + "<p>{{criteria_met}}</p>" * 1_000 + "</body></html>",
    "doubled fields": '{"criteria_met": true, "CRITERIA_MET": false, "criteria_met ": {}}',
}


def _check(call, rows):
    assert len(rows) == (5 if call.variant == "structured" else EXPECTED.get(call.paradigm, 1))
    for row in rows:
        assert row["status"] in STATUSES
        present = [row[name] is not None for name in ("met", "score", "choice")]
        assert sum(present) == (1 if row["status"] == "ok" else 0)
        pa.array([value for value in row.values() if isinstance(value, str)], pa.string())


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_give_rows(name):
    for call in EVERY:
        _check(call, answer(call, HOSTILE[name]))


@given(st.text(st.characters(), max_size=300))
def test_any_text_gives_rows(text):
    for call in EVERY:
        _check(call, answer(call, text))


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.text(max_size=10)
    | st.sampled_from(["A", "2/3", "tie"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["results", "criteria_met", "score", "outcome", "relevance"]), inner
        )
    ),
    max_leaves=12,
)


@given(_VALUES, st.text(max_size=20), st.text(max_size=20))
def test_any_object_gives_rows(value, before, after):
    for call in EVERY:
        _check(call, answer(call, before + json.dumps(value) + after))


@given(st.lists(st.tuples(st.text(max_size=3), st.floats()), max_size=6))
def test_any_probabilities_give_shares(first_token):
    for call in EVERY:
        for row in answer(call, "A", first_token=tuple(first_token)):
            for name in ("p_generator", "p_tie", "p_mass"):
                assert row[name] is None or 0 <= row[name] <= 1
