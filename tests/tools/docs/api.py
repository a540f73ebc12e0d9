"""Writes `docs/api.md` from the public names of `engine`.

Run `python -m tests.tools.docs.api > docs/api.md` after a change of these; a test fails while the page on
disk differs.
"""

import inspect
import re
import sys
from collections.abc import Iterator

import engine
from engine import errors
from engine.findings.claims import Claim, Findings
from engine.importers.table_columns import COLUMNS
from engine.measures.catalogue import OWN
from engine.measures.methods import method_name
from engine.measures.result import Result
from engine.slices import FLAGS, Option
from engine.study import Study

INTRO = """\
# Python interface

This page is generated from the code (`python -m tests.tools.docs.api > docs/api.md`); edit it there.
Everything listed is public and stable; [notebook.md](notebook.md) shows it in use.

```python
from engine import Slice, open_study

study = open_study("results/demo-health")
hard = Slice(polarity="negative", min_agreement=0.9)
rows = study.measure("hspp", slice=hard, by="theme")
```

Editors and type checkers know which options each measure takes and which fields its rows have
(`engine/study.pyi`): a wrong option is refused before anything runs.
"""
TYPES = {
    "names": "names",
    "numbers": "numbers",
    "name": "a name",
    "range": "(low, high)",
    "number": "a number",
    "switch": "true or false",
}


def describe() -> str:
    """Return the page's text, ending in a newline."""
    return "\n".join(_sections()) + "\n"


def _sections() -> Iterator[str]:
    yield INTRO
    yield f"## open_study\n\n{_signature('open_study', engine.open_study)}\n{_words(engine.open_study)}\n"
    yield f"## from_frame\n\n{_signature('from_frame', engine.from_frame)}\n{_words(engine.from_frame)}\n"
    yield "The columns that can be named:\n\n| column | meaning |\n| --- | --- |"
    yield from (f"| `{name}` | {meaning} |" for name, meaning in COLUMNS.items())
    yield f"\n## Study\n\n{_words(Study)}\n"
    tables = ("judges", "judgments", "responses", "measures", "plot")
    for name in ("open", *tables, "measure", "result", "chart", "find", "find_result", "findings"):
        method = getattr(Study, name)
        yield f"### study.{name}\n\n{_signature(name, method)}\n{_words(method)}\n"
    yield "### study.hspp and the other measures\n"
    yield "Each measure is a method of its name, with underscores: " + ", ".join(
        f"`{method_name(measure)}`" for measure in OWN
    )
    yield "\nIt takes the arguments of `measure` and returns the columns to read first,"
    yield '`full=True` all. The mean over judges (`hspp`) is in `attrs["mean"]`,'
    yield 'the judges together (`scorecard`) in `attrs["together"]`.\n'
    yield f"## Slice\n\n{_words(engine.Slice)}\n"
    yield "| field | value | meaning |\n| --- | --- | --- |"
    yield from (_field(flag) for flag in FLAGS)
    yield f"\n## Result\n\n{_words(Result)}\n"
    for name in ("json", "csv", "frame"):
        yield f"- `{name}()`: {_words(getattr(Result, name))}"
    yield f"\n## Findings\n\n{_words(Findings)}\n"
    yield f"- `of(claim_id)`: {_words(Findings.of)}\n- `frame()`: {_words(Findings.frame)}"
    yield f"- `claims`: {_words(Findings.claims)}\n- `shown`: {_words(Findings.shown)}"
    yield f"- `not_tried`: {_words(Findings.not_tried)}\n\n## Claim\n\n{_words(Claim)}\n"
    yield f"- `marked(*kinds)`: {_words(Claim.marked)}\n- `stands`: {_words(Claim.stands)}"
    yield f"\n## Measure\n\n{_words(engine.Measure)}\n\nThose of the engine: " + ", ".join(
        f"`{measure.name}`" for measure in OWN
    )
    yield "\n[measures.md](measures.md) says what each is and which options it has. Another package adds one"
    yield "by an entry point of the group `spb.measures` that names a `Measure`.\n\n## errors\n"
    yield from (f"- `{name}`: {_words(kind).splitlines()[0]}" for name, kind in _errors())


def _errors() -> Iterator[tuple[str, type]]:
    for name, kind in vars(errors).items():
        if inspect.isclass(kind) and issubclass(kind, Exception) and kind.__module__ == errors.__name__:
            yield name, kind


def _signature(name: str, function: object) -> str:
    text = str(inspect.signature(function)).replace("self, ", "")  # type: ignore[arg-type]
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)  # annotations that are texts, but not default values
    text = re.sub(r"\b(pathlib|engine(\.\w+)*)\.", "", text)
    return f"```python\n{name}{text}\n```\n"


def _words(thing: object) -> str:
    return inspect.getdoc(thing) or ""


def _field(flag: Option) -> str:
    value = ", ".join(f"`{choice}`" for choice in flag.choices) if flag.choices else TYPES[flag.kind]
    return f"| `{flag.name}` | {value} | {flag.meaning} |"


if __name__ == "__main__":
    sys.stdout.write(describe())
