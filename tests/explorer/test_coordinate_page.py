"""The coordinator's page and the Equal quality page by people's labels, without a browser."""

import itertools
import shutil
from pathlib import Path

import pytest
from importers.foreign_files import imported

from engine.annotations.database import open_database
from engine.annotations.disputes import case, disputes, settle_item
from engine.annotations.items import Hidden, Item, ItemTexts
from engine.annotations.label_rows import export_task
from engine.annotations.labels import save
from engine.annotations.people import add_person, end_link, local_name, local_person, people
from engine.annotations.sampling import Sampling, select
from engine.annotations.shown_items import next_item
from engine.annotations.tasks import assign, assigned_people, create_task, tasks
from engine.store import Store
from engine.study import Study

ROOT = Path(__file__).resolve().parents[2]
STUDY = "demo-pairs"
TASK = "equal-1"


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with one task, on whose six items two people without links disagree."""
    store = tmp_path_factory.mktemp("coordinate") / "store"
    shutil.copytree(ROOT / "results" / STUDY, store / STUDY)
    database = open_database(Store(str(store)))
    items = select(Study.open(store / STUDY), Sampling(number=6))
    create_task(database, TASK, STUDY, "equal_pair", items, guidelines="Read <b>both</b>.")
    ids = itertools.count()
    for name, answer in (("ann", "left"), ("bo", "equal")):
        local_person(database, name)
        assign(database, TASK, [name])
        while (item := next_item(database, TASK, name)) is not None:
            save(database, TASK, name, item.place, answer, submission=f"s{next(ids)}", seconds=10)
    database.close()
    return store


@pytest.fixture
def store(original: Path, tmp_path: Path) -> Path:
    shutil.copytree(original, tmp_path / "store")
    return tmp_path / "store"


def text_of(app) -> str:
    return "\n".join(text.value for text in app.text)


def database_of(store: Path):
    return open_database(Store(str(store)))


def coordinate(open_page, store: Path, **parameters: str):
    return open_page("coordinate", store, study=STUDY, **parameters)


def test_a_task_is_created_from_the_items_that_are_shown(open_page, store):
    app = coordinate(open_page, store)

    app.number_input(key="task_items").set_value(4).run()
    assert "4 items of 4 questions: 2 called equal, 2 far apart." in text_of(app)
    app.text_input(key="task_name").set_value("second").run()
    app.button(key="make_task").click().run()

    assert "second: 4 items. Now choose who labels them." in text_of(app)
    database = database_of(store)
    task = tasks(database)[-1]
    database.close()
    assert (task.name, task.study, task.kind, task.overlap) == ("second", STUDY, "equal_pair", None)
    assert task.options["number"] == 4


def test_a_new_task_begins_with_items_that_the_study_has_and_names_them_as_the_lists_do(open_page, tmp_path):
    rows = [f"o3,m1,m2,q{n},m1,One of {n}.,Two of {n}." for n in range(3)]
    table = "\n".join(["judge,model_a,model_b,question_id,winner,answer_a,answer_b", *rows])
    (tmp_path / "t.csv").write_text(table)
    imported("table", tmp_path / "t.csv")

    app = open_page("coordinate", tmp_path / "store", study="read")
    select, kind = app.selectbox(key="task_select"), app.selectbox(key="task_kind")
    assert (select.value, kind.value) == ("random", "preference")
    assert "3 items of 3 questions: 3 drawn at random." in text_of(app)

    kind.select("rubric_verdict").run()
    assert "label pairs, with “which is preferred” or “which is better, or are they equal”;" in text_of(app)
    app.selectbox(key="task_select").select("scores").run()
    others = (
        "“criteria or pairs drawn at random” (“which is preferred” or “which is better, or are they equal”)"
    )
    assert f"or choose to label something of which this study has items: {others}." in text_of(app)


def test_a_task_is_created_with_the_latest_input_even_if_no_run_saw_it(open_page, store):
    app = coordinate(open_page, store)
    app.text_input(key="task_name").set_value("second").run()
    app.text_input(key="task_name").set_value("third")
    app.text_area(key="task_guidelines").set_value("Read both.")
    app.button(key="make_task").click().run()

    database = database_of(store)
    task = tasks(database)[-1]
    database.close()
    assert (task.name, task.guidelines) == ("third", "Read both.")


def test_a_task_without_a_name_gets_one_that_is_free(open_page, store):
    app = coordinate(open_page, store)

    app.button(key="make_task").click().run()

    assert "equal-2: " in text_of(app), "equal-1 is there already"


def test_a_task_is_set_up_with_people_who_get_links_at_once(open_page, store):
    app = coordinate(open_page, store)
    app.number_input(key="task_items").set_value(4).run()
    app.multiselect(key="task_people").set_value(["dee", "eve"]).run()

    app.button(key="make_task").click().run()
    app.run()  # the browser has stored the coordinator's own token by now

    database = database_of(store)
    roles = {person.name: (person.role, person.link) for person in people(database)}
    assigned = assigned_people(database, "equal-2")
    database.close()
    assert "equal-2: 4 items. dee: 4 new items; eve: 4 new items" in text_of(app)
    assert assigned == ["dee", "eve"]
    assert roles["dee"] == roles["eve"] == ("annotator", "works")
    assert roles[local_name()] == ("coordinator", "works"), "the coordinator's own link is the first"
    for name in (local_name(), "dee", "eve"):
        assert f"Link for {name}." in text_of(app)
    assert len({code.value for code in app.code}) == 3


FIRST_LINK = "From the first link on, only coordinators can change studies here"


def test_what_the_first_link_changes_is_said_before_it_is_made(open_page, store):
    app = coordinate(open_page, store)
    before = text_of(app)
    app.multiselect(key="task_people").set_value([local_name()]).run()
    for_oneself = text_of(app)
    app.multiselect(key="task_people").set_value(["dee"]).run()
    for_others = text_of(app)
    app.button(key="make_task").click().run()
    app.run()  # the browser has stored the coordinator's own token by now

    assert FIRST_LINK not in before + for_oneself
    assert FIRST_LINK in for_others
    assert f"Link for {local_name()}. It is yours, as coordinator: keep it" in text_of(app)
    assert "Link for dee. Send it to nobody else" in text_of(app)


def test_where_anyone_may_write_the_first_link_is_not_said_to_close_studies(open_page, store, monkeypatch):
    monkeypatch.setenv("SPB_ANYONE_MAY_WRITE", "1")

    app = coordinate(open_page, store)
    app.multiselect(key="task_people").set_value(["dee"]).run()

    assert "From the first link on, Annotate and Coordinate ask for a link." in text_of(app)


def test_a_second_link_says_nothing_of_a_first(open_page, store):
    database = database_of(store)
    token = add_person(database, "cy", "coordinator")
    database.close()

    app = coordinate(open_page, store, token=token)
    app.run()  # the browser has stored the token by now
    app.multiselect(key="task_people").set_value(["dee"]).run()

    assert "first link" not in text_of(app)


def test_who_may_not_change_studies_reads_why_and_which_command_helps(open_page, store, monkeypatch):
    database = database_of(store)
    add_person(database, "cy", "coordinator")
    database.close()

    here, desk = open_page("data", store), coordinate(open_page, store)
    monkeypatch.setenv("SPB_ADDRESS", "https://labels.example.org")
    elsewhere = open_page("data", store)

    why = "Only coordinators can change studies here, since people have personal links for labelling"
    command = f"spb label people renew cy --store {store}"
    assert why in text_of(here)
    assert why in text_of(elsewhere)
    assert [code.value for code in here.code] == [code.value for code in desk.code] == [command]
    assert not elsewhere.code


def test_a_task_only_for_oneself_needs_no_link(open_page, store):
    app = coordinate(open_page, store)
    app.number_input(key="task_items").set_value(4).run()
    app.multiselect(key="task_people").set_value([local_name()]).run()

    app.button(key="make_task").click().run()

    database = database_of(store)
    links = {person.link for person in people(database)}
    database.close()
    assert f"{local_name()}: 4 new items" in text_of(app)
    assert links == {"none"}


def test_a_name_that_nobody_can_have_creates_nothing(open_page, store):
    app = coordinate(open_page, store)
    app.multiselect(key="task_people").set_value(["adjudicated"]).run()

    app.button(key="make_task").click().run()

    database = database_of(store)
    names = [task.name for task in tasks(database)], {person.name for person in people(database)}
    database.close()
    assert "the name 'adjudicated' is reserved for settled labels; choose another" in text_of(app)
    assert names == ([TASK], {"ann", "bo"})


def test_another_choice_draws_other_items(open_page, store):
    app = coordinate(open_page, store)
    app.number_input(key="task_items").set_value(2).run()
    assert "2 items of 2 questions" in text_of(app)

    app.number_input(key="task_items").set_value(4).run()

    assert "4 items of 4 questions" in text_of(app)


@pytest.mark.parametrize(
    ("selection", "reason"),
    [
        ("disagreement", "The study has no single criterion or all criteria judgments"),
        ("scores", "A task of scores needs criteria with a scale (options)"),
    ],
)
def test_a_selection_that_the_study_lacks_is_reported(open_page, store, selection, reason):
    app = coordinate(open_page, store)
    app.selectbox(key="task_select").set_value(selection).run()

    assert reason in text_of(app)
    assert not app.exception


def test_a_name_already_in_use_is_reported_and_the_form_stays(open_page, store):
    app = coordinate(open_page, store)
    app.text_input(key="task_name").set_value(TASK).run()
    app.button(key="make_task").click().run()

    assert f"task '{TASK}' exists already" in text_of(app)
    assert app.text_input(key="task_name").value == TASK


def test_an_unknown_task_in_the_address_is_reported(open_page, store):
    app = coordinate(open_page, store, task="<b>gone</b>")

    assert "This study has no task '<b>gone</b>'." in text_of(app)


def test_progress_and_guidelines_are_shown_as_text(open_page, store):
    app = coordinate(open_page, store, task=TASK)

    table = app.dataframe[0].value
    assert list(table["annotator"]) == ["ann", "bo"]
    assert list(table["done"]) == ["6 of 6", "6 of 6"]
    assert list(table["pace"]) == ["360 an hour", "360 an hour"]
    assert "Read <b>both</b>." in text_of(app)


def test_the_agreement_of_scores_is_shown(open_page, store):
    database = database_of(store)
    options = ((0.0, "poor"), (1.0, "fair"), (2.0, "good"))
    items = [
        Item(ItemTexts(f"q{i}", ("r",), "clear", options), Hidden(f"q{i}", ("m",), "k")) for i in range(2)
    ]
    create_task(database, "scores", STUDY, "score", items)
    assign(database, "scores", ["ann", "bo"])
    for name in ("ann", "bo"):
        while (item := next_item(database, "scores", name)) is not None:
            score = 0.0 if item.texts.prompt == "q0" else 2.0
            save(database, "scores", name, item.place, score, submission=f"{name} {item.place}")
    database.close()

    app = coordinate(open_page, store, task="scores", desk="agreement")

    # Everybody agrees on two items with different scores: alpha is 1.
    assert "Krippendorff's alpha 1.00" in text_of(app)
    assert list(app.dataframe[0].value["said"]) == ["0", "2"]


def test_the_local_user_can_be_assigned_items(open_page, store):
    app = coordinate(open_page, store, task=TASK)

    app.multiselect(key=f"assign_to_{TASK}").set_value([local_name()]).run()
    app.button(key="assign").click().run()

    assert f"{local_name()}: 6 new items" in text_of(app)
    database = database_of(store)
    assert local_name() in assigned_people(database, TASK)
    database.close()


def test_the_first_link_is_a_coordinators(open_page, store):
    app = coordinate(open_page, store, task=TASK)

    assert app.selectbox(key="person_role_True").options == ["coordinator"]
    app.text_input(key="person_name").set_value("cy").run()
    app.button(key="add_person").click().run()

    database = database_of(store)
    roles = {person.name: (person.role, person.link) for person in people(database)}
    database.close()
    assert roles["cy"] == ("coordinator", "works")


def test_the_person_added_is_the_name_typed_last_even_if_no_run_saw_it(open_page, store):
    app = coordinate(open_page, store, task=TASK)
    app.text_input(key="person_name").set_value("cy").run()

    app.text_input(key="person_name").set_value("dee")
    app.button(key="add_person").click().run()

    database = database_of(store)
    names = {person.name for person in people(database)}
    database.close()
    assert "dee" in names
    assert "cy" not in names


def test_items_go_to_the_person_chosen_last_even_if_no_run_saw_it(open_page, store):
    database = database_of(store)
    for name in ("dee", "eve"):
        local_person(database, name)
    app = coordinate(open_page, store, task=TASK)
    app.multiselect(key=f"assign_to_{TASK}").set_value(["dee"]).run()

    app.multiselect(key=f"assign_to_{TASK}").set_value(["eve"])
    app.button(key="assign").click().run()

    annotators = assigned_people(database, TASK)
    database.close()
    assert "eve" in annotators
    assert "dee" not in annotators


def test_clusters_are_decided_by_the_levels_chosen_last_even_if_no_run_saw_them(open_page, store):
    database = database_of(store)
    items = select(Study.open(store / STUDY), Sampling("hard", "clusters", number=1, cluster=2))
    create_task(database, "clusters-1", STUDY, "clusters", items)
    for number, name in enumerate(("ann", "bo")):
        assign(database, "clusters-1", [name])
        item = next_item(database, "clusters-1", name)
        levels = [1, 1 + number, *[1] * (len(item.texts.responses) - 2)]
        save(database, "clusters-1", name, item.place, levels, submission=f"c{name}", seconds=10)
    app = coordinate(open_page, store, task="clusters-1", desk="settle")
    dispute = disputes(database, "clusters-1")[0]

    app.number_input(key=f"level_1_{dispute.item}").set_value(2)
    app.button(key=f"decide_Save decision_{dispute.item}").click().run()

    decided = case(database, "clusters-1", dispute.item).decision
    database.close()
    assert decided == [1, 2]


def test_once_somebody_has_a_link_the_page_requires_one(open_page, store):
    database = database_of(store)
    add_person(database, "cy", "coordinator")
    database.close()

    app = coordinate(open_page, store, task=TASK, desk="settle")

    assert "This page opens with a coordinator's personal link." in text_of(app)
    assert "People differ" not in text_of(app)
    assert not app.dataframe


@pytest.mark.parametrize(("desk", "key"), [("study", "close_task"), ("people", "renew_ann")])
def test_a_link_that_ends_while_its_page_is_open_coordinates_nothing_more(open_page, store, desk, key):
    database = database_of(store)
    app = coordinate(open_page, store, token=add_person(database, "cy", "coordinator"), task=TASK, desk=desk)
    app.run()  # the browser has stored the token by now
    end_link(database, "cy")

    app.button(key=key).click().run()

    after = [task.closed for task in tasks(database)], [person.link for person in people(database)]
    database.close()
    assert "This link does not work" in text_of(app)
    assert after == ([False], ["none", "none", "ended"])


def test_a_read_only_explorer_coordinates_nothing(open_page, store, monkeypatch):
    monkeypatch.setenv("SPB_READ_ONLY", "1")

    app = coordinate(open_page, store, task=TASK)

    assert not [button for button in app.button if button.key in ("make_task", "assign")]


def test_no_model_is_named_before_a_decision_and_only_on_demand_afterwards(open_page, store):
    models = Study.open(store / STUDY).index.models
    app = coordinate(open_page, store, task=TASK, desk="settle")
    assert "People differ on 6 items; 6 of them open." in text_of(app)
    assert not [name for name in models if name in text_of(app)]

    first = disputes(database_of(store), TASK)[0].item
    app.button(key=f"decide_Equal_{first}").click().run()
    assert "5 of them open" in text_of(app)
    app = coordinate(open_page, store, task=TASK, desk="settle", listed="settled")
    assert f"Decided by {local_name()}: equal." in text_of(app)
    assert not [name for name in models if name in text_of(app)]

    app.toggle(key=f"whose_{TASK}_{first}").set_value(True).run()
    assert len([name for name in models if name in text_of(app)]) == 2


def test_labels_are_written_and_the_equal_quality_page_uses_them(open_page, store):
    app = coordinate(open_page, store, task=TASK, desk="study")
    assert "On 6 items people differ and nothing is decided" in text_of(app)
    app.button(key="export_task").click().run()
    assert f"{STUDY} has 12 labels" in text_of(app)

    page = open_page("equal_quality", store, study=STUDY, quality="human")

    assert "Epsilon does not apply" in text_of(page)
    assert f"{TASK}: 2 labellers gave 12 labels" in text_of(page)
    assert _labels(page)
    assert not [slider for slider in page.slider if slider.label.startswith("Equal within")]


def test_settled_labels_count_on_the_equal_quality_page(open_page, store):
    database = database_of(store)
    local_person(database, "cy")
    for dispute in disputes(database, TASK):
        settle_item(database, TASK, dispute.item, "equal", by="cy")
    export_task(database, TASK, Store(str(store)).open(STUDY))
    database.close()

    result = Study.open(store / STUDY).result("annotators", resamples=0)

    # Three pairs are automatically equal, three far apart; the coordinator calls all six equal.
    row = result.rows[0]
    assert (row["n_equal"], row["both_equal"], row["people_only"], row["consistency"]) == (6, 3, 3, 0.5)
    page = open_page("equal_quality", store, study=STUDY)
    assert "The automatic label agrees on 50% of 6 pairs at epsilon 0.25" in text_of(page)


def _labels(page) -> list[str]:
    """Return the names of the control of quality that stand for people's labels."""
    controls = [each for each in page.get("button_group") if "quality" in str(each.proto.id)]
    return [
        option.content for each in controls for option in each.proto.options if "people" in option.content
    ]


def test_without_labels_the_page_has_no_choice_of_labels(open_page):
    page = open_page("equal_quality", study=STUDY)

    assert not _labels(page)
    view = open_page("equal_quality", study=STUDY, quality="human")
    assert "Quality from 'human' is not in this study" in text_of(view)


def test_a_closed_task_says_so_and_can_be_opened_again(open_page, store):
    app = coordinate(open_page, store, task=TASK, desk="study")

    app.button(key="close_task").click().run()
    assert "The task is closed." in text_of(app)
    assert "; closed" in text_of(app)
    app.button(key="close_task").click().run()
    assert "The task is open again." in text_of(app)


def test_a_study_without_judgments_of_quality_offers_what_can_be_drawn(open_page, tmp_path):
    shutil.copytree(ROOT / "results" / "demo-verifiable", tmp_path / "store" / "demo-verifiable")

    app = open_page("coordinate", tmp_path / "store", study="demo-verifiable")
    assert "what the page Equal quality shows by the reference's scores is not drawn here" in text_of(app)
    assert "Judge the quality of answers" in [link.proto.label for link in app.get("page_link")]
    assert app.selectbox(key="task_select").value == "disagreement"
    assert "verdicts." in text_of(app)
    assert not app.button(key="make_task").disabled
