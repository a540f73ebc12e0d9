"""What is said of archetypes: the paper's names go by D and SPB alone, whatever their intervals."""

from typing import Any

from engine.words.pairs import archetype_words


def row(judge: str, archetype: str, d_low: float | None, possible: list[str]) -> Any:
    return {"judge": judge, "archetype": archetype, "d_low": d_low, "possible": possible}


def test_a_judge_below_the_border_is_not_said_to_be_at_chance():
    randomizer, objective = "Incompetent Randomizer", "Objective"

    sentences = archetype_words(
        [
            row("a", randomizer, 0.6, [randomizer]),
            row("b", randomizer, 0.4, [randomizer]),
            row("c", randomizer, 0.55, [randomizer, objective]),
        ]
    )

    below = "picks the better of two clearly different answers in less than 80% of cases"
    assert sentences == [
        f"Incompetent Randomizer ({below}): a, b.",
        "Open, as the intervals allow another archetype than the numbers: Incompetent Randomizer: c.",
        "Incompetent Randomizer is the paper's name: a and c are clearly better than chance (50%).",
    ]
