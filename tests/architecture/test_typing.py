"""What a user's type checker and editor see: measures with their options, rows with their fields."""

import inspect
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest
from tools.docs.api import describe
from tools.study_stub import files

import engine
from engine.study import Study

ENGINE = Path(engine.__file__).parent

USER = """
import engine
from engine import Slice, open_study
from engine.study import Study

held: Study = engine.from_frame(object(), judge="rater", met="verdict", scale=5, set={"rubric_id": "all"})

study: Study = open_study("results/demo-health")
hard = Slice(axis=("accuracy",), polarity="negative")
result = study.result("hspp", slice=hard, by="theme", resamples=0)
ratio: float | None = result.rows[0]["hspp_self"]
study.measure("equal-quality", epsilon=0.1, quality="reference", against=hard)
study.chart("hspp", judges="a-model")
study.find(top=3)
first = study.result("scorecard").rows[0]
given: float | None = first["own_given"]
study.hspp(by=["axis", "theme"])
passed: bool = study.gate(max_excess=10, require="not_shown").passed
stored: Study = study.save("mine", mode="append", run="monday")
read: Study = engine.import_file("v.csv", value={"met": {1: True, "x": None}}, judge="rater", scale=10)
audited: engine.Audit = engine.audit(study)
names: list[str] = engine.studies()
"""
WRONG = {
    'study.measure("hsp")': "No overload variant",
    'study.measure("hspp", resample=0)': "No overload variant",
    'study.measure("hspp", level="rubrics")': "No overload variant",
    'study.measure("hspp", epsilon=0.1)': "No overload variant",
    'study.measure("association", against="axis=accuracy")': "No overload variant",
    'study.chart("annotators")': "No overload variant",
    "study.find(tops=3)": 'Unexpected keyword argument "tops"',
    'study.hspp(by="axis,theme")': 'incompatible type "Literal',
    'study.save("mine", mode="apend")': 'incompatible type "Literal',
    'study.gate(require="sure")': 'incompatible type "Literal',
    'engine.import_file("v.csv", jugde="rater")': 'Unexpected keyword argument "jugde"',
    'engine.from_frame(object(), jugde="rater")': 'Unexpected keyword argument "jugde"',
    'result.rows[0]["hspp_selve"]': 'has no key "hspp_selve"',
    'first["own_givne"]': 'has no key "own_givne"',
}


def checked(*paths: Path) -> str:
    """Check a user's files against the engine's own declarations, without following their imports."""
    files = [
        "__init__.py",
        "study.pyi",
        "measures/measured_study.pyi",
        "measures/row_types.py",
        "slices.py",
        "importers/frames.py",
        "measures/result.py",
        "measures/entry.py",
    ]
    words = ["--follow-imports=skip", "--no-error-summary", "--no-incremental", "--config-file="]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, *map(str, paths), *(str(ENGINE / file) for file in files)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ENGINE.parent,
    )
    users = tuple(map(str, paths))
    return "".join(line + "\n" for line in done.stdout.splitlines() if line.startswith(users)) + done.stderr


def test_correct_use_passes_and_each_incorrect_use_is_refused(tmp_path):
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(USER, "utf-8")
    wrong.write_text(USER + "".join(f"{line}\n" for line in WRONG), "utf-8")
    first = USER.count("\n") + 1

    refused = checked(right, wrong)

    assert all(line.startswith(f"{wrong}:") for line in refused.splitlines()), refused
    for number, (line, says) in enumerate(WRONG.items(), start=first):
        errors = [each for each in refused.splitlines() if each.startswith(f"{wrong}:{number}: error")]
        assert errors, f"{line} is let through"
        assert says in errors[0]


def test_the_declarations_match_the_catalogue():
    for path, text in files().items():
        assert path.read_text("utf-8") == text, "run: python -m tests.tools.study_stub --write"


def test_the_declarations_name_every_public_method_of_a_study():
    text = "".join(path.read_text("utf-8") for path in files())  # one inherits what the other declares

    for name, _ in inspect.getmembers(Study, callable):
        if name in vars(Study) and not name.startswith("_"):
            assert f"    def {name}(" in text


@pytest.mark.parametrize("name", engine.__all__)
def test_every_name_the_package_lists_exists(name):
    assert getattr(engine, name) is not None
    assert name in dir(engine)


@pytest.mark.parametrize("name", ["from_frame", "import_file", "open_study", "studies", "audit"])
def test_the_annotations_of_a_function_name_what_there_is(name):
    hints = get_type_hints(getattr(engine, name))

    assert hints["return"] in (Study, engine.Audit, list[str])


def test_importing_the_package_loads_nothing_else():
    script = (
        "import sys; import engine\n"
        "assert not [name for name in sys.modules if name.startswith('engine.')]\n"
        "assert not {'numpy', 'pyarrow', 'pandas'} & set(sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_the_page_on_the_python_interface_matches_the_code():
    page = (ENGINE.parent / "docs" / "api.md").read_text("utf-8")

    assert page == describe(), "run: python -m tests.tools.docs.api > docs/api.md"
