"""Requests as a plan would make them, one for each paradigm."""

from engine.collect.calls import CallRequest, Reply, Subject
from engine.collect.paradigms import read
from engine.paradigms import Paradigm
from engine.shown_order import shown_order

Rows = list[dict[str, object]]


def request(paradigm: Paradigm, variant: str = "default", **about: object) -> CallRequest:
    """Return the request of judge `j` about `g`'s response to `x`."""
    return CallRequest("judge", "j", paradigm, variant, Subject("x", "g", **about))  # type: ignore[arg-type]


def single() -> CallRequest:
    return request("single_rubric", rubric_ids=("r1",))


def listed(*rubric_ids: str) -> CallRequest:
    return request("all_rubrics", rubric_ids=rubric_ids or ("r1", "r2", "r3"), ordering="original")


def assessed(rubrics: int = 3) -> CallRequest:
    return request("direct_assessment", rubric_ids=tuple(f"r{i}" for i in range(rubrics)))


def pair(variant: str = "default", first: str = "generator") -> CallRequest:
    return request("pairwise", variant, opponent="o", first=first)


def scored(ordering: str = "1-2-3-4-5") -> CallRequest:
    return request("score_rubric", rubric_ids=("r1",), ordering=ordering)


def rated() -> CallRequest:
    return request("quality")


def ranked(*models: str) -> CallRequest:
    return request("listwise", ordering=shown_order(models or ("g", "h", "i")))


def own() -> CallRequest:
    return request("recognition", opponent="o", first="opponent")


def weighed() -> CallRequest:
    return request("familiarity")


EVERY = (
    single(),
    listed(),
    assessed(),
    *(pair(variant) for variant in ("default", "cot", "forced", "forced_tie", "structured", "mine")),
    scored(),
    rated(),
    ranked(),
    own(),
    weighed(),
)
"""A request of every way of judging."""


def answer(call: CallRequest, text: str, **fields: object) -> Rows:
    """Return the rows read from an answer."""
    return read(call, Reply(text, **fields))  # type: ignore[arg-type]


def only(call: CallRequest, text: str, **fields: object) -> dict[str, object]:
    """Return the only row read from an answer."""
    (row,) = answer(call, text, **fields)
    return row
