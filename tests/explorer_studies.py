"""Small studies for the explorer's tests, each with something that could break a page."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
from streamlit.testing.v1 import AppTest

from engine.store import Store
from engine.store.study_files import StudyInfo

Open = Callable[..., AppTest]
"""The type of the fixture `open_page`, which opens a page of the app by its address."""

AWKWARD_NAMES = ("a.b[c]", "<script>alert(1)</script>", "_x_ *y* `z`")

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=http://x.invalid/p.png onerror=alert(1)>",
    "[link](http://x.invalid) ![image](http://x.invalid/i.png) <http://x.invalid> http://x.invalid",
    "datum.x[0] {{expression}} ${alert(1)} @x.invalid www.x.invalid",
    ":red[red] :material/home: :streamlit: :smile: :blue-badge[x]",
    r"$\href{javascript:alert(1)}{x}$ $\includegraphics{http://x.invalid/k.png}$ $x^2$",
)
"""Texts that do harm if they are interpreted as anything but text."""

DRAWING = "```mermaid\ngraph TD; A-->B\n```"
TABLE = "# Heading\n\n| a | <b> |\n|--|--|\n| `c` | $y_1$ |"
MUCH = "\n\n".join((*HOSTILE, DRAWING, TABLE, "שלום", "unbroken" * 60))
"""All of these in one text, with a drawing, a table, right-to-left text and a very long word."""


@dataclass(frozen=True)
class Plan:
    """The content of a small study. Judges credit all of their own failures, and half of those of others."""

    models: Mapping[str, str]
    judges: tuple[str, ...]
    instances: int = 12
    rubrics: int = 3
    texts: bool = True
    references: bool = True
    judgments: bool = True
    hostile: bool = False
    generators: tuple[str, ...] = ()

    @property
    def writers(self) -> tuple[str, ...]:
        """The models with responses: all, unless `generators` names some."""
        return self.generators or tuple(self.models)


def write(root: Path, name: str, plan: Plan, title: str | None = None) -> None:
    """Write the study into the store at `root`."""
    tables = {
        "models": [{"model": model, "family": family} for model, family in plan.models.items()],
        "instances": list(_instances(plan)),
        "rubrics": list(_rubrics(plan)),
        "responses": list(_responses(plan)) if plan.texts else [],
        "references": list(_references(plan)) if plan.references else [],
        "judgments": list(_judgments(plan)) if plan.judgments else [],
    }
    filled = {table: pa.Table.from_pylist(rows) for table, rows in tables.items() if rows}
    Store(root).write(name, filled, StudyInfo(name=name, title=title, provenance="imported"))


def _places(plan: Plan) -> Iterable[tuple[int, int]]:
    return product(range(plan.instances), range(plan.rubrics))


def _instances(plan: Plan) -> Iterable[dict[str, Any]]:
    for x in range(plan.instances):
        prompt = f"Question {x}: <b>bold</b> $x^2$ :red[red]" if plan.texts else None
        theme = f"theme {x % 2}"
        if plan.hostile:
            prompt, theme = MUCH, HOSTILE[x % len(HOSTILE)]
        yield {
            "instance_id": f"x{x}",
            "prompt": prompt,
            "theme": theme,
            "context": MUCH if plan.hostile else None,
        }


def _rubrics(plan: Plan) -> Iterable[dict[str, Any]]:
    for x, k in _places(plan):
        criterion = f"Criterion {k} <img src=x onerror=alert(1)>" if plan.texts else None
        yield {
            "instance_id": f"x{x}",
            "rubric_id": f"r{k}",
            "criterion": MUCH if plan.hostile else criterion,
            "points": -1.0 if k == 2 else 2.0,
            "axis": HOSTILE[k + 2] if plan.hostile else ("a.b[c]", "<b>plain</b>", None)[k],
        }


def _responses(plan: Plan) -> Iterable[dict[str, Any]]:
    for x, model in product(range(plan.instances), plan.writers):
        yield {
            "instance_id": f"x{x}",
            "generator": model,
            "text": MUCH if plan.hostile else f"Answer {x} with a [link](http://x.invalid)",
        }


def _met(x: int, k: int, g: int) -> bool:
    """Return the truth: 60 % of the criteria are met."""
    return (x + 2 * k + g) % 5 > 1


def _references(plan: Plan) -> Iterable[dict[str, Any]]:
    for (x, k), (g, model) in product(_places(plan), enumerate(plan.writers)):
        place = {"instance_id": f"x{x}", "generator": model, "rubric_id": f"r{k}"}
        yield {**place, "source": "program", "met": _met(x, k, g)}


def _judgments(plan: Plan) -> Iterable[dict[str, Any]]:
    for judge, (g, model), (x, k) in product(plan.judges, enumerate(plan.writers), _places(plan)):
        row = {"judge": judge, "paradigm": "single_rubric", "instance_id": f"x{x}", "generator": model}
        row |= {"rubric_id": f"r{k}", "status": "ok", "explanation": f"Because <i>{x}</i>"}
        if plan.hostile:
            row |= {"explanation": MUCH, "raw": MUCH}
        truth = _met(x, k, g)
        if x == 0 and k == 0:
            yield row | {"status": "unparsed", "met": None, "raw": "perhaps"}
            continue
        favourable = truth != (k == 2)
        credited = favourable or judge == model or (x + g) % 2 == 0
        yield {"raw": None} | row | {"met": credited != (k == 2)}


THREE = {"m1": "alpha", "m2": "alpha", "m3": "beta"}
AWKWARD = dict(zip(AWKWARD_NAMES, ("f.[1]", "<i>f</i>", "f.[1]"), strict=True))
HOSTILE_MODELS = {name: HOSTILE[place % 2] for place, name in enumerate(HOSTILE[2:])}
MANY = {f"judge-{place:03}": f"family-{place % 24}" for place in range(64)}
"""More judges than any view draws or lists (60), and more pairs of families than it lists (400)."""

PLANS = {
    "plain": Plan(THREE, ("m1", "m2", "m3")),
    "one-family": Plan({"m1": "alpha", "m2": "alpha"}, ("m1", "m2")),
    "one-judge": Plan(THREE, ("m1",)),
    "no-reference": Plan(THREE, ("m1", "m2"), references=False),
    "no-texts": Plan(THREE, ("m1", "m2"), texts=False),
    "no-judgments": Plan(THREE, (), judgments=False),
    "awkward-names": Plan(AWKWARD, AWKWARD_NAMES),
    "hostile": Plan(HOSTILE_MODELS, tuple(HOSTILE_MODELS), hostile=True),
    "many-judges": Plan(MANY, tuple(MANY), instances=12, rubrics=1, generators=tuple(MANY)[:12]),
}
LACKING = ("one-family", "one-judge", "no-reference", "no-judgments")
"""Those of them that numbers and charts cannot be had of in full; the others differ in texts and names."""
