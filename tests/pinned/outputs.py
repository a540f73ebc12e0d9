"""Outputs for the demonstration studies: measures, slices, findings, charts, reports, exported tables.

`outputs.json` holds size and digest of each output, floats rounded to 8 decimals (another processor may add
up in another order), versions masked. After a change that is meant:

    python -m tests.pinned.outputs --write

and to see what changed, write the outputs of both commits as files and compare the folders:

    python -m tests.pinned.outputs --to FOLDER
"""

import argparse
import contextlib
import functools
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import engine
from engine.cli import main
from engine.errors import SpbError

from .places import COMMANDS, MEASURES

ROOT = Path(__file__).resolve().parents[2]
STORE = ROOT / "results"
RECORD = Path(__file__).with_name("outputs.json")
STUDIES = ("demo-health", "demo-pairs", "demo-orders", "demo-verifiable")
DATE = "2026-01-01"

SLICES: dict[str, tuple[str, ...]] = {
    "demo-health": (
        "hspp --by axis",
        "hspp --by theme --interval expanded",
        "hspp --polarity negative",
        "hspp --paradigm all_rubrics",
        "hspp --paradigm pairwise",
        "hspp --level instance --scores weighted",
        "hspp --relatives provider",
        "hspp --against axis=accuracy",
        "hspp --against axis=accuracy;polarity=negative --common",
        "hspp --against paradigm=all_rubrics --common",
        "hspp --judges aster-large,boreal-large --format csv",
        "hspp --seed 7 --format table",
        "overestimation --by polarity --generators aster-large,boreal-large,cinder-large",
        "overestimation --length 20:60 --format table",
        "overestimation --by length --length-unit words",
        "accuracy --min-agreement 0.9",
        "accuracy --min-agreement 0.8 --agreement-without-family",
        "delta --response-length :600",
        "delta --polarity positive --format csv",
        "committee --members aster-large,boreal-large,cinder-large --axis accuracy",
        "hspp --judges nobody",
        "hspp --by colour",
    ),
    "demo-pairs": (
        "equal-quality --variant cot",
        "equal-quality --by theme",
        "mitigation --format table",
        "dbg --panels",
        "dbg --length-ratio 0.1 --against variant=cot",
        "archetypes --epsilon 0.5",
        "quality-baseline --by stage",
        "order-effect --by theme",
        "reference-agreement --a touchstone-a --b touchstone-b",
    ),
    "demo-orders": (
        "position --by score",
        "ordering --search all",
        "order-effect --format table",
        "hspp --ordering reversed",
        "hspp --position 1,2",
        "overestimation --by position",
    ),
    "demo-verifiable": (
        "hspp --by checker",
        "hspp --reference program:loose",
        "overestimation --agreement-of verdict --min-agreement 0.6",
        "ranking --by category",
    ),
}
"""Slices by their flags, among them what is refused: an output is what is printed, and the exit code."""

GROUPED = {
    "demo-health": ("hspp", "overestimation", "delta"),
    "demo-pairs": ("equal-quality", "dbg"),
    "demo-orders": ("position", "order-effect", "hspp"),
}
"""Measures grouped by every column, through `Study.measure`."""

WITHOUT_ROWS = {
    "demo-health": "equal-quality discriminability archetypes mitigation position ordering permutation "
    "transforms annotators",
    "demo-pairs": "hspp overestimation accuracy delta agreement-curve committee committee-size "
    "committee-families position ordering permutation ranking ranking-distance ranking-flips transforms "
    "annotators",
    "demo-orders": "committee committee-size committee-families equal-quality discriminability archetypes "
    "mitigation quality-baseline quality-baseline-summary dbg transforms annotators",
    "demo-verifiable": "committee committee-size committee-families equal-quality discriminability "
    "archetypes mitigation position ordering permutation transforms annotators",
}
"""Measures that a study gives no rows of: why not is one output of each study."""

COLUMNS = (
    *("run", "variant", "transform", "ordering", "paradigm", "polarity", "length", "axis", "theme"),
    *(
        "category",
        "language",
        "checker",
        "agreement",
        "position",
        "response_length",
        "stage",
        "size",
        "score",
    ),
)

CHARTED = {
    "demo-health": "hspp overestimation accuracy delta agreement-curve committee committee-size "
    "committee-families ranking ranking-distance together",
    "demo-pairs": "equal-quality archetypes mitigation dbg",
    "demo-orders": "position ordering permutation order-effect",
}
"""Measures that have a chart, drawn of one study."""

PACKAGES = "python|spb-explorer|numpy|scipy|pandas|pyarrow|altair|vl-convert-python"
NUMBER = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?(?!\w|\.\d)|(?<![\w.])-?\d+e[+-]\d+(?!\w)")
MASKS = (
    (re.compile(r'<script type="module">(?s:.{50000,}?)</script>'), "<script>Vega</script>"),
    (re.compile(r"sha256-[\w+/]{43}="), "sha256-..."),
    (re.compile(rf"\b({PACKAGES})(==| )\d[\w.]*"), r"\1\2..."),
    (re.compile(r"data-[0-9a-f]{32}"), "data-..."),  # Altair names data by a hash of all their digits
    (re.compile(r'"sure": [\d.]+'), '"sure": ...'),  # equal scores may differ in the last digit
    (re.compile(r"vega-lite/v[\d.]+\.json"), "vega-lite/v.json"),
)


def masked(text: str) -> str:
    """Return a text without machine-dependent parts: paths, versions, the last digits of floats."""
    text = text.replace(str(ROOT), "ROOT")
    for pattern, words in MASKS:
        text = pattern.sub(words, text)
    return NUMBER.sub(_rounded, text)


def _rounded(match: re.Match[str]) -> str:
    """Return a float of more than 10 digits rounded to 10 and to 8 decimals, with noise around 0 as 0.

    A solution of equations, such as a strength, differs between processors by 1e-13, however small it is.
    """
    text = match.group()
    number = float(text)
    if abs(number) < 1e-12 and ("e" in text or text == "-0.0"):
        return "0.0"
    digits = sum(letter.isdigit() for letter in text.partition("e")[0].lstrip("-0."))
    if digits <= 10:
        return text
    rounded = float(f"{number * (1 + 1e-12):.10g}")  # away from exact halves
    return repr(round(rounded, 8) if abs(rounded) > 1e-4 else rounded)


def printed(*words: str) -> str:
    """Run `spb` in this process; return its exit code and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    settings = {"COLUMNS": "100", "NO_COLOR": "1", "SPB_STORE": str(STORE)}
    with (
        mock.patch.dict(os.environ, settings),
        mock.patch.object(sys, "argv", ["spb", *words]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
    return f"exit {code}\n{out.getvalue()}\n--- messages\n{err.getvalue()}"


def sliced(study: str, line: str) -> str:
    """Compute a measure with the flags of a line, as JSON unless it says otherwise.

    A study is opened once for all of these; each of the other commands below opens it again.
    """
    words = line.split()
    shared = {"--study": study, "--format": "json", "--resamples": "50"}
    given = [word for name, value in shared.items() if name not in words for word in (name, value)]
    with mock.patch.object(COMMANDS, "open_study", lambda _, name: opened(name)):
        return printed("metrics", *words, *given)


@functools.cache
def opened(study: str) -> Any:
    """Open a study once, as a notebook does."""
    return engine.open_study(str(STORE / study))


def grouped(study: str, measure: str) -> str:
    """Compute a measure grouped by every column in turn, including the refusals."""
    parts = []
    for column in COLUMNS:
        try:
            frame = opened(study).measure(measure, by=column, resamples=20)
            text = f"{json.dumps(frame.attrs)}\n{frame.to_csv(index=False)}"
        except SpbError as error:
            text = f"{error}\n"
        parts.append(f"--- {column}\n{text}")
    return "".join(parts)


def without_rows(study: str) -> str:
    """Return the reasons why measures that the study does not allow have no rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # former names are among them
        frames = {name: opened(study).measure(name) for name in WITHOUT_ROWS[study].split()}
    return "".join(
        f"{name}: {len(frame)} rows, {json.dumps(frame.attrs)}\n" for name, frame in frames.items()
    )


def searched(study: str) -> str:
    """Return the JSON of `spb find`, with rows sorted by their text, as many have equal p."""
    head, _, rest = printed("find", "--study", study, "--format", "json").partition('"rows": [{')
    rows, _, tail = rest.partition('}], "left_out"')
    return "\n".join([head, *sorted(rows.split("}, {")), tail])


def charted(study: str, measure: str) -> str:
    """Draw a measure and return its Vega-Lite, with data blocks named by their content.

    Altair names a block by a hash of all its digits, the last of which differ between processors.
    """
    chart = opened(study).chart(measure, resamples=20).to_dict()
    blocks = sorted(masked(json.dumps(block, sort_keys=True)) for block in chart.pop("datasets", {}).values())
    return "\n".join([json.dumps(chart, indent=1, sort_keys=True), *blocks])


def findings_text(study: str) -> str:
    """Return the findings as text, as HTML and as a table."""
    findings = opened(study).findings(resamples=50)
    html = re.sub(r"base64,[^\"]*", "", findings._repr_html_())  # its pictures come from vl-convert
    return "\n--- \n".join([repr(findings), html, findings.frame().to_csv(index=False)])


def reported(study: str, ending: str) -> str:
    """Return the report that `spb report` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"report.{ending}"
        messages = printed("report", "--study", study, "--date", DATE, "--out", str(path))
        return path.read_text("utf-8") if path.exists() else messages


def exported(study: str) -> str:
    """Return the names, sizes and digests of the files that `spb export` writes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out"
        messages = printed("export", "--study", study, "--to", str(path)).replace(str(path), "OUT")
        lines = [
            f"{file.relative_to(path).as_posix()}: {file.stat().st_size} bytes, {digest(file.read_bytes())}"
            for file in sorted(path.rglob("*"))
            if file.is_file()
        ]
    return "\n".join([*lines, messages])


def compared_by_llm_comparator() -> str:
    """Return the export for LLM Comparator."""
    models = "--judge", "rowan-large", "--models", "rowan-large,rowan-medium"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "out.json"
        messages = printed(
            "export", "--study", "demo-pairs", "--to", str(path), "--format", "llm-comparator", *models
        )
        return path.read_text("utf-8") if path.exists() else messages


def outputs() -> dict[str, Callable[[], str]]:
    """Return every pinned output: its name, and the function that makes its text."""
    return dict(_outputs())


def _outputs() -> Iterator[tuple[str, Callable[[], str]]]:
    of = functools.partial
    for study in STUDIES:
        for measure in MEASURES:
            if measure not in WITHOUT_ROWS[study].split():
                yield f"spb metrics {measure}: {study}", of(sliced, study, measure)
        for line in SLICES[study]:
            yield f"spb metrics {line}: {study}", of(sliced, study, line)
        for measure in GROUPED.get(study, ()):
            yield f"measure {measure}, grouped: {study}", of(grouped, study, measure)
        for measure in CHARTED.get(study, "").split():
            yield f"chart {measure}: {study}", of(charted, study, measure)
        yield f"measures without rows: {study}", of(without_rows, study)
        if study != "demo-health":  # its HTML report is below
            yield f"spb report, Markdown: {study}", of(reported, study, "md")
        yield f"spb export: {study}", of(exported, study)
    for study in ("demo-health", "demo-orders"):
        yield f"spb find, JSON: {study}", of(searched, study)
    for study in ("demo-pairs", "demo-orders"):  # the reports of the other two contain their claims
        yield f"findings: {study}", of(findings_text, study)
    yield "spb doctor: demo-pairs", of(printed, "doctor", "--study", "demo-pairs", "--resamples", "20")
    yield "spb validate: demo-verifiable", of(printed, "validate", "--study", "demo-verifiable")
    top = ("--study", "demo-health", "--polarity", "positive", "--top", "5")
    yield "spb find, 5: demo-health", of(printed, "find", *top)
    yield "spb report, HTML: demo-health", of(reported, "demo-health", "html")
    yield "spb export, LLM Comparator: demo-pairs", compared_by_llm_comparator
    power = ("power", "--effect", "1.3")
    yield "spb power", of(printed, *power)
    yield "spb power, JSON", of(printed, *power, "--format", "json", "--instances", "300")


def digest(content: bytes) -> str:
    """Return the first 16 digits of the SHA-256."""
    return hashlib.sha256(content).hexdigest()[:16]


def record(text: str) -> str:
    """Return what is recorded of an output's masked text: its bytes and their digest."""
    content = text.encode()
    return f"{len(content)} {digest(content)}"


def recorded() -> dict[str, str]:
    """Return what `outputs.json` holds."""
    read: dict[str, str] = json.loads(RECORD.read_text("utf-8"))
    return read


def write_files(texts: Mapping[str, str], folder: Path) -> None:
    """Write each output as a file, named after it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / re.sub(r"[^\w.=-]+", "_", name)).write_text(text, "utf-8")


def _write() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.pinned.outputs", description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew outputs.json")
    parser.add_argument("--to", type=Path, help="write each output as a file of this folder")
    given = parser.parse_args()
    texts = {name: masked(make()) for name, make in outputs().items()}
    if given.to:
        write_files(texts, given.to)
    if given.write:
        records = {name: record(text) for name, text in texts.items()}
        RECORD.write_text(json.dumps(records, indent=1, sort_keys=True) + "\n", "utf-8")
    known = recorded()
    changed = [name for name in {**known, **texts} if known.get(name) != record(texts.get(name, ""))]
    sys.stdout.write("".join(f"differs: {name}\n" for name in changed))


if __name__ == "__main__":
    _write()
