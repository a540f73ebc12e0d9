"""Whom judges rank first, in sentences."""

from engine.words.slice_words import leaders


def row(judge, generator, rank, win_rate=0.5, n=10):
    ends = {"win_rate_low": win_rate - 0.1, "win_rate_high": win_rate + 0.1}
    return {"judge": judge, "generator": generator, "rank": rank, "win_rate": win_rate, "n": n} | ends


def test_with_few_judges_each_has_a_sentence_naming_its_first_model():
    rows = [row("J", "a", 2.0, 0.3), row("J", "b", 1.0, 0.7, 1200), row("K", "a", 1.0, 0.6, 1)]

    assert leaders(rows) == [
        "J ranks b first of 2 models: it wins 70.0% (95% CI 60.0% to 80.0%) of 1,200 pairs.",
        "K ranks a first of 1 model: it wins 60.0% (95% CI 50.0% to 70.0%) of 1 pair.",
    ]


def test_with_many_judges_their_first_models_are_counted():
    rows = [row(judge, "ab"[judge in "JK"], 1.0) for judge in "JKLMN"]

    assert leaders(rows) == ["Ranked first: a by 3 judges and b by 2 judges."]


def test_of_many_models_ranked_first_the_others_are_counted_with_their_judges():
    firsts = dict(zip("JKLMNOPQ", "aaabbcde", strict=True))

    [sentence] = leaders([row(judge, model, 1.0) for judge, model in firsts.items()])

    assert sentence.endswith("a by 3 judges, b by 2 judges, c by 1 judge and 2 other models by 2 judges.")


def test_without_a_vote_nothing_is_said():
    assert leaders([]) == []
    assert leaders([row("J", "a", None)]) == []
