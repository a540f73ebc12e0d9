"""A model added on the page: described, tried with one call, and written into the list of models."""

import tomllib
from collections.abc import Sequence
from pathlib import Path

import streamlit as st
import tomli_w

from engine.bounded_files import WRITTEN_BY_HAND, text_of
from engine.collect.configuration.read_config import parse_config
from engine.collect.dispatch.trial import Trial
from engine.errors import SpbError, UsageError
from engine.store.publish import replace_file
from explorer.new_run.available_models import MODELS_FILE, SIMULATED, Table, available_models, models_path
from explorer.new_run.trials import call_each, document
from explorer.parts import components
from explorer.team import visitors

_OUTCOME, _ADDED = "_model_trial", "_model_added"
_EMPTY = {
    **dict.fromkeys(("model_call", "model_address", "model_name", "model_family", "model_key"), ""),
    **dict.fromkeys(("model_price_in", "model_price_out")),
    "model_free": False,
}
"""The fields of the form, by their keys, before anything is written there."""

_UNPRICED = "Without its prices, no spending limit can be kept."
_PRICES = ("input_per_million", "output_per_million")

_ELSEWHERE = (
    f"To add models, write a [models.NAME] section for each into {MODELS_FILE} in the store, or into the "
    "file that SPB_MODELS names; docs/running.md shows how."
)


def choose_added() -> None:
    """Choose the model that was just added, as judge and to answer, before the lists of both are shown.

    It takes the place of the simulated ones where all of these are chosen, as they are at first.
    """
    added = st.session_state.get(_ADDED)
    if added is None:
        return
    for key in ("run_judges", "run_generators"):
        names = [name for name in st.session_state.get(key, ()) if name != added]
        st.session_state[key] = [*([] if names == list(SIMULATED) else names), added]


def show_model_form(root: str) -> None:
    """Show the fields of a model, what a call to it gave, and the button that adds it.

    Only the one user of their own machine adds models here: an address and the name of a variable decide
    where a key of the server is sent.
    """
    path = models_path(root)
    if path is None or not visitors.visitor().local:
        components.note(_ELSEWHERE, key="more_models")
        return
    if added := st.session_state.pop(_ADDED, None):
        st.session_state.update(_EMPTY)
        components.note(f"{added} was added, and is chosen in the lists above.", key="model_added")
    with st.expander("Add a model", key="add_model", on_change="rerun") as expander:
        if expander.open:
            _form(root, path)


def _form(root: str, path: str) -> None:
    left, right = st.columns(2)
    with left:
        model = st.text_input(
            "Model", key="model_call", max_chars=200, placeholder="for example anthropic/claude-sonnet-4-5",
            help="As litellm knows it: provider/model. With an address of its own: the server's name for it",
        ).strip()  # fmt: skip
        address = st.text_input(
            "Address of its server", key="model_address", max_chars=500,
            placeholder="for example http://127.0.0.1:8000/v1",
            help="Only for a server with OpenAI's interface, such as vLLM or Ollama",
        ).strip()  # fmt: skip
        free = st.toggle("Costs nothing (it runs on a machine of ours)", key="model_free")
        prices = () if free else _prices()
    with right:
        name = st.text_input(
            "Name in the study", key="model_name", max_chars=100, placeholder=model.rpartition("/")[2]
        ).strip() or model.rpartition("/")[2]  # fmt: skip
        family = st.text_input(
            "Family", key="model_family", max_chars=100, placeholder="for example Claude",
            help="Models of one family: their verdicts on each other are looked at apart",
        ).strip()  # fmt: skip
        variable = st.text_input(
            "Variable that holds its key", key="model_key", max_chars=64,
            placeholder="for example ANTHROPIC_API_KEY",
            help="The name of the environment variable, never the key; empty for the provider's usual one",
        ).strip()  # fmt: skip
    table = model_table(model, address=address, family=family, variable=variable, free=free, prices=prices)
    problem = None if model else "Name the model."
    if problem is None and prices.count(None) == 1:
        problem = "Give both prices, or neither."
    if problem is None:
        try:
            check_model(root, name, table)
        except SpbError as error:
            problem = str(error)
    with st.container(horizontal=True, vertical_alignment="center"):
        try_now = st.button(
            "Test with one call", key="model_test", icon=":material/bolt:", disabled=problem is not None
        )
        add_now = st.button(
            "Add", key="model_add", type="primary", icon=":material/add:", disabled=problem is not None
        )
        unpriced = address and not free and None in prices
        st.text(problem or (_UNPRICED if unpriced else ""))
    if try_now:
        with st.spinner("Calling …"):
            st.session_state[_OUTCOME] = (name, table, try_out(name, table))
    outcome = st.session_state.get(_OUTCOME)
    if outcome is not None and outcome[:2] == (name, table):
        components.say(outcome[2].words, key="model_outcome")
    if add_now:
        add_model(path, name, table)
        st.session_state[_ADDED] = name
        st.rerun()


def _prices() -> tuple[float | None, ...]:
    """Show the fields of the prices of tokens in and out, and return them; None for a published price."""
    with st.container(horizontal=True, gap="small"):
        return tuple(
            st.number_input(
                f"USD per million tokens {way}",
                min_value=0.0,
                value=None,
                key=f"model_price_{way}",
                placeholder="the published price",
                help="A spending limit needs both where no price is published, as of a server of your own",
            )
            for way in ("in", "out")
        )


def model_table(
    model: str,
    *,
    address: str,
    family: str,
    variable: str,
    free: bool,
    prices: Sequence[float | None] = (),
) -> Table:
    """Return a model's table in a configuration; a server's own name is called by OpenAI's interface.

    `prices` are those of a million tokens in and out, in USD, if both are known.
    """
    table: Table = {"model": f"openai/{model}" if address and not model.startswith("openai/") else model}
    optional = {"api_base": address, "family": family, "api_key_env": variable}
    table |= {name: value for name, value in optional.items() if value}
    per_million = (0.0, 0.0) if free else tuple(price for price in prices if price is not None)
    if len(per_million) == len(_PRICES):
        table["price"] = dict(zip(_PRICES, per_million, strict=True))
    return table


def check_model(root: str, name: str, table: Table) -> None:
    """Raise UsageError if a run would refuse the model, or if the list has one of that name."""
    if name in available_models(root):
        raise UsageError(f"there is a model {name!r} already; give this one another name")
    parse_config(document({name: table}), "the model")


def try_out(name: str, table: Table) -> Trial:
    """Call the model once in a process of its own, and return what came of it."""
    return call_each({name: table})[name]


def add_model(path: str, name: str, table: Table) -> None:
    """Add a model at the end of the list of models, whose other lines stay as they are."""
    file = Path(path)
    before = text_of(path, WRITTEN_BY_HAND) if file.is_file() else ""
    section = tomli_w.dumps({"models": {name: table}})
    text = f"{before.rstrip()}\n\n{section}".lstrip()
    try:
        tomllib.loads(text)
    except ValueError as error:
        raise UsageError(
            f"{path}: a section cannot be added after `models = {{...}}` ({error}); write a [models.NAME] "
            "section for each model"
        ) from error
    replace_file(file, text.encode())
