"""What a coordinator sees of a task, checked by hand, and how disputes are settled blind."""

import pytest
import sqlalchemy as sa

from annotations.small import fresh, pair, practice, task
from annotations.test_results import answered
from engine.annotations.agreement import Agreement, agreement
from engine.annotations.counted_labels import decisions, reports
from engine.annotations.database_tables import ASSIGNMENTS
from engine.annotations.disputes import case, decide, disputes, labelled_items, owners
from engine.annotations.items import Hidden, Item, ItemTexts
from engine.annotations.label_rows import annotation_rows
from engine.annotations.labels import report, save, skip, undo
from engine.annotations.people import add_person
from engine.annotations.shown_items import next_item
from engine.annotations.sides import alike
from engine.annotations.tasks import assign, count_understaffed, create_task
from engine.errors import UsageError
from engine.words.annotator_words import agreement_of_people, kappa_of_two


def gold(number, answer):
    """A gold pair that belongs to no question of a study."""
    texts = ItemTexts(f"gold {number}", (f"one g{number}", f"two g{number}"))
    return Item(texts, Hidden(gold=answer, why="gold"), "gold")


def test_gold_items_are_scored_for_each_person_and_count_nowhere_else(database):
    items = [pair(0), pair(1), gold(0, "equal"), gold(1, "generator"), practice()]
    task(database, items, people=("ann", "bo"))
    answers = {"one 0": "equal", "one 1": "equal", "one g0": "equal", "good": "opponent"}
    answered(database, "ann", answers | {"one g1": "generator"})
    answered(database, "bo", answers | {"one g1": "opponent"})

    result = agreement(database, "t", resamples=0)

    assert {name: (share.right, share.total) for name, share in result.gold.items()} == {
        "ann": (2, 2),
        "bo": (1, 2),
    }
    assert (result.items, result.labels) == (2, 4)
    assert disputes(database, "t") == []  # the gold item on which they differ does not count
    assert len(annotation_rows(database, "t")) == 4


def test_hidden_repeats_are_compared_with_the_first_label(database):
    task(database, [pair(i) for i in range(20)])  # one comes a second time
    with database.read() as connection:
        query = sa.select(ASSIGNMENTS.c.item, ASSIGNMENTS.c.place).where(ASSIGNMENTS.c.round == 2)
        repeated, place = connection.execute(query).one()
    while (item := next_item(database, "t", "ann")) is not None:
        answer = "equal" if item.place != place else "left"
        save(database, "t", "ann", item.place, answer, submission=fresh(), seconds=item.place)

    result = agreement(database, "t", resamples=0)

    assert (result.self_agreement["ann"].right, result.self_agreement["ann"].total) == (0, 1)
    assert result.seconds["ann"] == 11  # the median of 1 to 21
    assert {opinion.round for opinion in case(database, "t", repeated).opinions} == {1, 2}


def test_the_confusion_table_of_two_people_counts_what_both_labelled(database):
    task(database, [pair(i) for i in range(5)], people=("ann", "bo"))
    answered(
        database,
        "ann",
        dict(
            zip(
                (f"one {i}" for i in range(5)),
                ["equal", "equal", "generator", "generator", "opponent"],
                strict=True,
            )
        ),
    )
    values = dict(
        zip((f"one {i}" for i in range(4)), ["equal", "generator", "generator", "opponent"], strict=True)
    )
    while (item := next_item(database, "t", "bo")) is not None:
        number = item.texts.prompt.split()[1]
        if number == "4":
            skip(database, "t", "bo", item.place, "other", submission=fresh())
            continue
        first = item.texts.responses[0].startswith("one")
        value = values[f"one {number}"]
        answer = "equal" if value == "equal" else "left" if (value == "generator") == first else "right"
        save(database, "t", "bo", item.place, answer, submission=fresh())

    result = agreement(database, "t", resamples=0)

    # Rows ann, columns bo, both as opponent, equal, generator; item 4 has one label only.
    assert result.classes == ("opponent", "equal", "generator")
    assert result.tables["ann", "bo"] == [[0, 0, 0], [0, 1, 1], [1, 0, 1]]
    # Cohen: 2 of 4 agree; shares ann 0, 2, 2 and bo 1, 1, 2 of 4: (2 * 1 + 2 * 2) / 16 by chance.
    assert result.pairs["ann", "bo"].value == pytest.approx((2 / 4 - 6 / 16) / (1 - 6 / 16))
    # Fleiss: opponent 1, equal 3, generator 4 of 8 labels of the four items with two.
    assert result.kappa.value == pytest.approx((2 / 4 - 26 / 64) / (1 - 26 / 64))
    assert (result.items, result.labels, result.shared) == (5, 9, 4)


def test_scores_have_alpha_and_no_kappa(database):
    options = ((1.0, "poor"), (2.0, "fair"), (3.0, "good"))
    items = [
        Item(ItemTexts("q", (f"r{i}",), "clear", options), Hidden(f"x{i}", ("alpha",), "k")) for i in range(2)
    ]
    task(database, items, people=("ann", "bo"), kind="score")
    for person, scores in (("ann", {"r0": 1.0, "r1": 3.0}), ("bo", {"r0": 2.0, "r1": 3.0})):
        while (item := next_item(database, "t", person)) is not None:
            save(database, "t", person, item.place, scores[item.texts.responses[0]], submission=fresh())

    result = agreement(database, "t", resamples=0)

    # D_o: of four ordered pairs within items two differ by 1: 2/4. D_e: scores 1, 2, 3, 3: twelve ordered
    # pairs with squares 1 (twice), 4 (four times), 1 (four times), 0: 22/12.
    assert result.alpha.value == pytest.approx(1 - (2 / 4) / (22 / 12))
    assert (result.kappa.value, result.pairs, result.reason) == (None, {}, None)
    words = "Krippendorff's alpha 0.73; n 2 with two labels or more, fewer than 30: too few to rely on"
    assert agreement_of_people(result, "score") == words  # 1 - 12 / 44


@pytest.mark.parametrize(("shared", "is_few"), [(29, True), (30, False)])
def test_agreement_on_fewer_than_thirty_items_is_called_too_few(shared, is_few):
    words = agreement_of_people(Agreement(reason=None, items=40, shared=shared), "equal_pair")

    assert f"n {shared} with two labels or more" in words
    assert ("too few to rely on" in words) is is_few


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"ann": "equal", "bo": "equal"}, "Agreement is undefined: all labels are the same"),
        ({"ann": "equal", "bo": None}, "Agreement is undefined: no item has two labels"),
        ({"ann": None, "bo": None}, "Agreement is undefined: no item has two labels"),
    ],
)
def test_undefined_agreement_has_a_reason(database, answers, words):
    task(database, [pair(1), pair(2)], people=("ann", "bo"))
    for person, answer in answers.items():
        for place in (1, 2):
            if answer is None:
                skip(database, "t", person, place, "other", submission=fresh())
            else:
                save(database, "t", person, place, answer, submission=fresh())

    result = agreement(database, "t", resamples=0)

    assert (result.kappa.value, result.alpha.value) == (None, None)
    assert agreement_of_people(result, "equal_pair") == words
    assert all(kappa_of_two(kappa) == "– (all labels are the same)" for kappa in result.pairs.values())


def test_reports_come_first_and_undone_skips_are_omitted(database):
    task(database, [pair(i) for i in range(3)])
    skip(database, "t", "ann", 1, "broken_text", submission=fresh(), comment="half of it")
    report(database, "t", "ann", 2, "it threatens", submission=fresh())
    skip(database, "t", "ann", 3, "other", submission=fresh())
    undo(database, "t", "ann", submission=fresh())

    entries = reports(database, "t")

    assert [(each.harmful, each.reason, each.comment) for each in entries] == [
        (True, None, "it threatens"),
        (False, "broken_text", "half of it"),
    ]


def divided(database):
    """Two people who differ on item `00001` and agree on the other."""
    task(database, [pair(i) for i in range(2)], people=("ann", "bo"))
    add_person(database, "cy", "coordinator")
    answered(database, "ann", {"one 0": "generator", "one 1": "equal"})
    answered(database, "bo", {"one 0": "opponent", "one 1": "equal"})
    return disputes(database, "t")[0].item


def test_a_case_shows_who_answered_what_but_not_whose_responses_they_are(database):
    item = divided(database)

    dispute = case(database, "t", item)

    answers = {opinion.annotator: opinion.answer for opinion in dispute.opinions}
    first_is_left = dispute.texts.responses[0] == "one 0"
    assert (answers["ann"], answers["bo"]) == (("left", "right") if first_is_left else ("right", "left"))
    assert "alpha" not in str(dispute)
    with pytest.raises(UsageError, match="is not settled yet"):
        owners(database, "t", item)


def test_the_sides_of_a_case_do_not_reveal_the_order_of_the_models(database):
    task(database, [pair(i) for i in range(40)])

    authors = [case(database, "t", f"{number:05d}").texts.responses[0].split()[0] for number in range(1, 41)]

    assert 8 < authors.count("one") < 32


@pytest.mark.parametrize("answer", ["left", "equal", "right"])
def test_a_decision_refers_to_the_responses_and_is_shown_as_it_was_entered(database, answer):
    item = divided(database)
    texts = case(database, "t", item).texts.responses

    decide(database, "t", item, answer, by="cy", reason="the other is broken")

    dispute = case(database, "t", item)
    assert (dispute.decision, dispute.reason, dispute.by) == (answer, "the other is broken", "cy")
    better = {"left": texts[0], "right": texts[1], "equal": None}[answer]
    expected = {"one 0": "generator", "two 0": "opponent", None: "equal"}[better]
    assert decisions(database, "t")[item].value == expected
    assert owners(database, "t", item) == (("alpha", "beta") if texts[0] == "one 0" else ("beta", "alpha"))
    assert [dispute.settled for dispute in disputes(database, "t")] == [True]


def test_withdrawing_a_decision_reopens_the_item(database):
    item = divided(database)
    decide(database, "t", item, "equal", by="cy")

    decide(database, "t", item, None, by="cy")

    assert (decisions(database, "t"), case(database, "t", item).decision) == ({}, None)
    assert [dispute.settled for dispute in disputes(database, "t")] == [False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("t", "99999", "left", "cy"), "no item '99999'"),
        (("t", "00001", "up", "cy"), "'up', expected left, equal, right"),
        (("t", "00001", "left", "ann"), "'ann' is not a coordinator"),
        (("u", "00001", "left", "cy"), "unknown task 'u'"),
    ],
)
def test_an_impossible_decision_is_refused_with_the_reason(database, arguments, message):
    divided(database)
    name, item, answer, by = arguments

    with pytest.raises(UsageError, match=message):
        decide(database, name, item, answer, by=by)

    assert decisions(database, "t") == {}


def test_levels_that_give_the_same_order_are_not_a_dispute(database):
    texts = ItemTexts("q", ("one", "two", "three"))
    task(database, [Item(texts, Hidden("x0", ("a", "b", "c")))], people=("ann", "bo"), kind="clusters")
    for person, high in (("ann", 2), ("bo", 3)):
        texts = next_item(database, "t", person).texts.responses
        levels = [high if text == "two" else 1 for text in texts]
        save(database, "t", person, 1, levels, submission=fresh())

    assert disputes(database, "t") == []
    assert labelled_items(database, "t") == ["00001"]


def test_levels_are_compared_by_order_only():
    assert alike("clusters", [1, 3, 1], [1, 2, 1])
    assert not alike("clusters", [1, 2, 1], [2, 1, 2])


def test_items_that_lack_annotators_are_counted(database):
    for person in ("ann", "bo", "cy"):
        add_person(database, person)
    create_task(database, "t", "s", "equal_pair", [pair(i) for i in range(6)], overlap=2)

    counts = [count_understaffed(database, "t")]
    for person in ("ann", "bo", "cy"):
        assign(database, "t", [person])
        counts.append(count_understaffed(database, "t"))

    assert counts == [6, 6, 0, 0]


def test_an_overlap_of_more_people_than_there_are_is_refused(database):
    task(database, [pair(1)])

    with pytest.raises(UsageError, match="overlap 3 is more than the 1 labellers"):
        assign(database, "t", ["ann"], overlap=3)
