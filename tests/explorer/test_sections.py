"""A part that fails says why; the page, and the parts beside it, stand."""

from dataclasses import replace
from pathlib import Path

import pytest
from explorer_studies import PLANS, write
from streamlit.testing.v1 import AppTest

from engine.findings.rules import RULES
from engine.report import written
from engine.store import Store
from engine.store.publish import change_info
from engine.store.study_files import Committee
from engine.study import Study
from explorer import data
from explorer.page_list import PAGES

APP = Path(__file__).resolve().parents[2] / "explorer" / "app.py"
NUMBERED = [page.name for page in PAGES if "study" in page.keys]


def words(app: AppTest) -> str:
    return "\n".join(element.value for element in [*app.text, *app.header])


@pytest.fixture(scope="module")
def idle_committee(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a study whose committee is of models that judged nothing."""
    root = tmp_path_factory.mktemp("idle")
    models = {f"m{place}": f"f{place}" for place in range(6)}
    write(root, "idle", replace(PLANS["plain"], models=models, judges=("m0", "m1", "m2")))
    files = Store(root).open("idle")
    committee = Committee(members=["m3", "m4", "m5"], paradigm="single_rubric", variant="default")
    change_info(files, lambda info: info.model_copy(update={"committees": {"panel": committee}}))
    return root


@pytest.mark.parametrize("page", ["judges", "findings", "workbench", "paradigms", "audit", "which_judge"])
def test_a_committee_whose_members_did_not_judge_takes_no_page_down(
    open_page, idle_committee: Path, page: str
) -> None:
    app = open_page(page, idle_committee, study="idle")

    assert "could not be computed" not in words(app)


def test_a_committee_whose_members_did_not_judge_is_named_in_findings_and_reports(
    idle_committee: Path,
) -> None:
    study = Study.open(idle_committee / "idle")

    assert study.findings().not_tried["members"] == (
        "none of the committee's members m3, m4, m5 is among the judges shown"
    )
    assert "members m3, m4, m5 is among the judges shown" in written(study).decode()


def test_a_committee_in_place_of_judges_that_are_not_shown_has_no_rows(idle_committee: Path) -> None:
    study = Study.open(idle_committee / "idle")

    frame = study.measure("committee", members=["m0", "m1", "m2"], judges=["m0"])
    assert list(frame["judge"].unique()) == ["m0"]
    assert "none of the committee's members m3, m4, m5" in study.measure("committee").attrs["reason"]


def _fail(*_: object, **__: object) -> None:
    raise KeyError("a bug <b>of ours</b>")


@pytest.mark.parametrize("page", NUMBERED)
def test_no_measure_that_fails_takes_a_page_down(
    idle_committee: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    monkeypatch.setenv("SPB_STORE", str(idle_committee))
    monkeypatch.setattr(data, "_result", _fail)
    for cached in (data.findings, data.outcome):
        cached.clear()
    try:
        app = AppTest.from_file(str(APP), default_timeout=60)
        app.query_params["study"] = "idle"
        app.switch_page(f"app_pages/{page}.py").run()
    finally:
        for cached in (data.findings, data.outcome):
            cached.clear()

    assert not app.exception
    titles = {each.name: each.title for each in PAGES}
    assert page in ("present", "data") or titles[page] in [header.value for header in app.header]


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
def test_no_rule_that_fails_takes_the_others_down(
    idle_committee: Path, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    from engine.findings import gather

    broken = tuple(replace(each, make=_fail) if each.name == rule else each for each in RULES)
    monkeypatch.setattr(gather, "RULES", broken)

    every = gather.findings(Study.open(idle_committee / "idle"), resamples=0)

    assert every.not_tried[rule] == "it could not be computed (KeyError: 'a bug <b>of ours</b>')"
    assert {outcome.rule for outcome in every.outcomes} == {each.name for each in RULES}
