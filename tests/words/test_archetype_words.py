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


def test_an_archetype_that_rests_on_a_draw_is_said_to_with_d_of_all_pairs():
    objective = row("a", "Objective", 0.75, ["Objective"]) | {"n_contrast": 100}

    drawn, whole = (archetype_words([objective | {"d_all": 0.79, "n_apart": n}]) for n in (195, 100))

    assert drawn[-1] == (
        "D, and with it the archetype, rests on 100 pairs drawn for each judge; on all that are as far apart "
        "D is: a 79.0% of 195."
    )
    assert whole[1:] == []
