"""Options in messages can be typed as they stand, on the command line and in Python."""

import shlex

import pytest

from engine.importers.frame_words import ARGUMENTS, FILE_ARGUMENTS
from engine.importers.option_spelling import ENTRIES, FLAGS
from engine.importers.reading.format import pairs
from engine.importers.reading.value_maps import value_maps

MEANINGS = {"0": "first", "it's a": "first", "yes, b": "second", 'the "other"': "second", "c d": "tie"}


def test_a_flag_of_meanings_is_read_as_it_was_meant() -> None:
    flag, text = shlex.split(FLAGS.meanings("choice", MEANINGS))

    assert (flag, value_maps([text])) == ("--value", {"choice": MEANINGS})


def test_flags_of_columns_and_constants_are_read_as_they_were_meant() -> None:
    columns, constant = FLAGS.columns({"judge": "rater", "met": "ok"}), FLAGS.constant("scale", "5")

    assert pairs("--map", [columns.removeprefix("--map ")]) == {"judge": "rater", "met": "ok"}
    assert pairs("--set", [constant.removeprefix("--set ")]) == {"scale": "5"}


@pytest.mark.parametrize(
    ("written", "means"),
    [
        (ARGUMENTS.columns({"judge": "who judged", "met": "o'k"}), {"judge": "who judged", "met": "o'k"}),
        (ARGUMENTS.constant("scale", "5"), {"scale": 5}),
        (ARGUMENTS.constant("scale", "five"), {"scale": "five"}),
        (ARGUMENTS.model("judge"), {"set": {"judge": "NAME"}}),
        (FILE_ARGUMENTS.model("judge"), {"set": {"judge": "NAME"}}),
        (FILE_ARGUMENTS.model("run"), {"run": "NAME"}),
        (FILE_ARGUMENTS.without(["a note"]), {"leave_out": ["a note"]}),
        (ARGUMENTS.meanings("choice", MEANINGS), {"value": {"choice": MEANINGS}}),
        (ARGUMENTS.rows("games.votes"), {"rows": "games.votes"}),
    ],
)
def test_an_argument_is_python(written: str, means: dict[str, object]) -> None:
    assert eval(f"dict({written})") == means  # noqa: S307 - what is evaluated is written above


def test_a_format_has_entries_in_place_of_flags() -> None:
    assert ENTRIES.meanings("met", {"ja": "yes"}) == "[value.met]"
    assert ENTRIES.constant("scale", "10") == "[set] scale = 10"
