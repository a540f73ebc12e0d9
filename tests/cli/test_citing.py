"""`spb explain cite`, `bibtex` and `exit codes`."""

import json
import re
from pathlib import Path

import pytest
import yaml
from command_line import Spb

import engine
from engine.cli.exit_codes import MEANINGS, OF_RUN
from engine.findings.gather import findings
from engine.measures.catalogue import MEASURES
from engine.report.references import CONTRIBUTORS, LICENCE, PAPERS, RELEASED, SOFTWARE, papers_of

ROOT = Path(__file__).resolve().parents[2]
STORE = ("--store", str(ROOT / "results"))


def test_the_software_is_cited_as_its_citation_file_says(spb_here: Spb) -> None:
    file = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))

    cited = " ".join(spb_here("explain", "cite").stdout.split())

    assert (file["title"], file["license"]) == (SOFTWARE, LICENCE)
    assert [author["name"] for author in file["authors"]] == [CONTRIBUTORS]
    assert (
        f"{CONTRIBUTORS}. {SOFTWARE} (version {file['version']}). {RELEASED}. Software, {LICENCE}." in cited
    )
    assert cited.startswith("Entries for BibTeX: `spb explain bibtex`.")


def test_the_year_of_the_software_is_that_of_its_version_in_the_changelog(spb_here: Spb) -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    version = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["version"]

    [year] = re.findall(rf"^## {re.escape(version)} - (\d{{4}})-", changelog, re.M)

    assert f"  year = {{{year}}},\n" in spb_here("explain", "bibtex").stdout.partition("\n}")[0]


def test_of_a_study_its_data_and_the_papers_of_its_measures_are_cited(spb_here: Spb) -> None:
    output = spb_here("explain", "cite", "demo-pairs", *STORE, "--format", "json")

    rows = json.loads(output.stdout)["rows"]
    assert [row["what"] for row in rows[:2]] == ["The software", "The data"]
    reported = {name for row in rows for name in row["measures"]}
    assert {"equal-quality", "dbg", "quality-baseline"} <= reported
    assert "position" not in reported  # it is of score options
    assert "rubric-position-bias" not in str(rows)
    assert "mitigation" in reported
    assert "annotators" not in reported  # nobody labelled these pairs
    for row in rows[2:]:
        assert f"https://arxiv.org/abs/{row['cite'].partition('arXiv:')[2][:10]}" in row["cite"]


def test_of_a_study_every_measure_that_its_findings_show_is_cited(spb_here: Spb) -> None:
    output = spb_here("explain", "cite", "demo-verifiable", *STORE, "--format", "json")

    shown = {
        claim.measure for claim in findings(engine.open_study(ROOT / "results" / "demo-verifiable")).shown
    }
    from_papers = {name for name in shown if name in MEASURES and papers_of(MEASURES[name].paper)}
    reported = {name for row in json.loads(output.stdout)["rows"] for name in row["measures"]}
    assert {"committee", "committee-size"} <= from_papers <= reported


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("hspp", ["pombal2026selfpreference"]),
        ("dbg-score", ["chen2025beyond"]),  # a paper's own name
        ("order-effect", ["yang2026quantifying", "chen2025beyond"]),
        ("votes", ["bradley1952rank"]),
        ("scorecard", ["spbexplorer"]),  # of this project
    ],
)
def test_the_works_of_a_measure_are_cited_by_its_name(spb_here: Spb, name: str, keys: list[str]) -> None:
    output = spb_here("explain", "bibtex", name, *STORE)

    assert re.findall(r"^@\w+\{(.+),$", output.stdout, re.M) == keys


def test_a_work_without_an_entry_is_named(spb_here: Spb) -> None:
    output = spb_here("explain", "bibtex", "corrected", *STORE)

    assert output.returncode == 2
    assert "'Angelopoulos et al. 2023, Rogan and Gladen 1978', which corrected is from" in output.stderr


def test_every_paper_that_a_measure_names_can_be_cited(spb_here: Spb) -> None:
    named = {paper.name for measure in MEASURES.values() for paper in papers_of(measure.paper)}

    assert named == {paper.name for paper in PAPERS}
    assert "arXiv:2604.06996" in spb_here("explain", "hspp").stdout


def test_entries_for_bibtex_are_whole_and_each_has_a_key_of_its_own(spb_here: Spb, tmp_path: Path) -> None:
    out = tmp_path / "references.bib"

    spb_here("explain", "bibtex", "--out", out)

    text = out.read_text("utf-8")
    keys = re.findall(r"^@\w+\{(\w+),$", text, re.M)
    assert len(keys) == len(set(keys)) == 1 + len(PAPERS)
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize("words", [("exit", "codes"), ("exit codes",), ("Exit-Code",)])
def test_the_exit_codes_are_one_table(spb_here: Spb, words: tuple[str, ...]) -> None:
    rows = json.loads(spb_here("explain", *words, "--format", "json").stdout)["rows"]

    assert {row["code"]: row["meaning"] for row in rows if row["meaning"]} == MEANINGS
    assert {row["code"]: row["of_run"] for row in rows if row["of_run"]} == OF_RUN


@pytest.mark.parametrize("words", [("3",), ("code", "3"), ("Exit code 3",)])
def test_one_exit_code_is_explained_alone(spb_here: Spb, words: tuple[str, ...]) -> None:
    (row,) = json.loads(spb_here("explain", *words, "--format", "json").stdout)["rows"]

    assert row == {"code": 3, "meaning": MEANINGS[3], "of_run": OF_RUN[3]}
    assert spb_here("explain", "99").returncode == 2


def test_a_term_of_several_words_needs_no_quotes(spb_here: Spb) -> None:
    assert spb_here("explain", "own", "failures").stdout == spb_here("explain", "own failures").stdout != ""


@pytest.mark.parametrize("word", ["citation", "Citing"])
def test_other_words_for_citing_are_understood(spb_here: Spb, word: str) -> None:
    assert spb_here("explain", word).stdout == spb_here("explain", "cite").stdout
