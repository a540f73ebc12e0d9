"""A model added on the page New run: described, tried with one call, and written into the list."""

import shutil
from pathlib import Path

import pytest
from explorer_studies import Open
from loopback import serving
from streamlit.testing.v1 import AppTest

from engine.annotations.database import open_database
from engine.annotations.people import add_person
from engine.errors import UsageError
from engine.store import Store
from explorer.new_run import model_form
from explorer.new_run.available_models import MODELS_FILE, available_models, is_paid
from explorer.new_run.model_form import add_model, check_model, model_table, try_out

ROOT = Path(__file__).resolve().parents[2]
KEY = "sk-" + "x1Y2" * 8


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SPB_MODELS", raising=False)
    shutil.copytree(ROOT / "results" / "demo-verifiable", tmp_path / "demo-verifiable")
    return tmp_path


@pytest.fixture
def page(open_page: Open, store: Path) -> AppTest:
    app = open_page("new_run", store)
    app.session_state["add_model"] = True
    return app.run()


def texts(page: AppTest) -> str:
    return "\n".join(text.value for text in page.text)


def table(model: str, **changes: object) -> dict[str, object]:
    fields: dict[str, object] = {"address": "", "family": "", "variable": "", "free": False}
    return model_table(model, **(fields | changes))  # type: ignore[arg-type]


def test_a_model_is_added_to_the_list_and_can_be_chosen(page: AppTest, store: Path) -> None:
    (store / MODELS_FILE).write_text("# ours\n[models.old]\nmodel = 'openai/old'\n", "utf-8")
    page.text_input(key="model_call").set_value("anthropic/claude-x").run()
    page.text_input(key="model_family").set_value("Claude").run()
    page.text_input(key="model_key").set_value("ANTHROPIC_API_KEY").run()

    page.button(key="model_add").click().run()

    assert "claude-x was added, and is chosen in the lists above." in texts(page)
    assert {"old", "claude-x"} <= set(page.multiselect(key="run_judges").options)
    assert (store / MODELS_FILE).read_text("utf-8").startswith("# ours\n[models.old]\n")
    assert available_models(str(store))["claude-x"] == {
        "model": "anthropic/claude-x",
        "family": "Claude",
        "api_key_env": "ANTHROPIC_API_KEY",
    }


@pytest.mark.parametrize(
    ("before", "after"), [(None, ["x"]), (["sim-amber-1"], ["sim-amber-1", "x"]), ([], ["x"])]
)
def test_an_added_model_is_chosen_in_place_of_the_simulated_ones_that_nobody_chose(
    page: AppTest, before: list[str] | None, after: list[str]
) -> None:
    lists = ("run_judges", "run_generators")
    if before is not None:
        for key in lists:
            page.multiselect(key=key).set_value(before).run()
    page.text_input(key="model_call").set_value("anthropic/x").run()

    page.button(key="model_add").click().run()

    assert [page.multiselect(key=key).value for key in lists] == [after, after]
    page.run()
    assert [page.multiselect(key=key).value for key in lists] == [after, after]


def test_a_server_of_ones_own_can_have_prices_and_the_form_is_empty_after_it_was_added(
    page: AppTest, store: Path
) -> None:
    page.text_input(key="model_call").set_value("fake-a").run()
    page.text_input(key="model_address").set_value("http://127.0.0.1:8000/v1").run()
    assert "Without its prices, no spending limit can be kept." in texts(page)

    page.number_input(key="model_price_in").set_value(2.0).run()
    assert "Give both prices, or neither." in texts(page)
    assert page.button(key="model_add").disabled
    page.number_input(key="model_price_out").set_value(6.5).run()
    page.button(key="model_add").click().run()

    price = available_models(str(store))["fake-a"]["price"]
    assert price == {"input_per_million": 2.0, "output_per_million": 6.5}
    assert page.text_input(key="model_call").value == ""
    assert page.number_input(key="model_price_in").value is None
    assert "already" not in texts(page)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("model_key", KEY, "must not contain a key"),
        ("model_address", f"https://user:{KEY}@example.org/v1", "must not contain a key"),
        ("model_name", "sim-amber-1", "there is a model 'sim-amber-1' already; give this one another name"),
    ],
)
def test_what_a_run_would_refuse_cannot_be_added(
    page: AppTest, store: Path, field: str, value: str, words: str
) -> None:
    page.text_input(key="model_call").set_value("openai/x").run()

    page.text_input(key=field).set_value(value).run()

    assert words in texts(page)
    assert KEY not in texts(page)
    assert page.button(key="model_add").disabled
    assert page.button(key="model_test").disabled
    assert not (store / MODELS_FILE).exists()


def test_the_outcome_of_a_call_is_said_in_words(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = model_form.Trial(False, "It did not answer: the key is refused")
    monkeypatch.setattr(model_form, "try_out", lambda *_: trial)
    page.text_input(key="model_call").set_value("openai/x").run()

    page.button(key="model_test").click().run()
    assert "It did not answer: the key is refused" in texts(page)

    page.text_input(key="model_call").set_value("openai/y").run()
    assert "It did not answer" not in texts(page), "another model was not called"


def test_nobody_adds_models_by_a_link(open_page: Open, store: Path) -> None:
    database = open_database(Store(str(store)))
    token = add_person(database, "cy", "coordinator")
    database.close()

    page = open_page("new_run", store, token=token).run()

    assert not [field for field in page.text_input if field.key == "model_call"]
    assert f"write a [models.NAME] section for each into {MODELS_FILE}" in texts(page)


def test_a_served_model_is_called_once_and_its_answer_shown() -> None:
    with serving(answer=lambda _: "ready") as server:
        trial = try_out("mine", table("ok", address=server.url, free=True))

        assert trial.answered
        assert trial.words.endswith("at no cost: ready")
        assert server.calls == 1


def test_a_call_that_fails_is_not_repeated_and_says_why() -> None:
    with serving() as server:
        trial = try_out("mine", table("500*", address=server.url, free=True))

        assert not trial.answered
        assert trial.words.startswith("It did not answer: ")
        assert server.calls == 1


def test_a_model_without_its_key_is_not_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH_API_KEY", raising=False)
    with serving() as server:
        trial = try_out("mine", table("ok", address=server.url, variable="NO_SUCH_API_KEY"))

        assert trial.words == (
            "Not called: the environment variable NO_SUCH_API_KEY with its key is not set; set it with "
            "export NO_SUCH_API_KEY=KEY."
        )
        assert server.calls == 0


def test_a_model_that_costs_nothing_needs_no_spending_limit() -> None:
    assert not is_paid(table("qwen", address="http://127.0.0.1:8000/v1", free=True))
    assert is_paid(table("qwen", address="http://127.0.0.1:8000/v1"))


def test_a_list_in_another_form_is_left_as_it_is(store: Path) -> None:
    path = store / MODELS_FILE
    path.write_text("models = { old = { model = 'openai/old' } }\n", "utf-8")

    with pytest.raises(UsageError, match=r"write a \[models.NAME\] section"):
        add_model(str(path), "new", table("openai/new"))

    assert path.read_text("utf-8") == "models = { old = { model = 'openai/old' } }\n"


@pytest.mark.parametrize("name", ['a"\n[models.evil]\nmodel = "x', "a.b", "<b>x</b>", "שלום"])
def test_a_typed_name_is_one_model_whatever_it_is(store: Path, name: str) -> None:
    check_model(str(store), name, table("openai/x"))

    add_model(str(store / MODELS_FILE), name, table("openai/x"))

    assert available_models(str(store))[name] == {"model": "openai/x"}
    assert "evil" not in available_models(str(store))
