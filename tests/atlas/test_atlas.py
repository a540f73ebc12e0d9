"""The atlas: what ships, how it is rebuilt and added to, and that nothing of others' texts is in it."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command_line import spb
from plain.published import ROOT

from engine.atlas.build import build
from engine.atlas.declared import UNVERIFIED, Declared, PublishedStudy, declared
from engine.atlas.means import JudgeExcess, estimates, means_of_families, means_of_models
from engine.atlas.rows import SHIPPED, AtlasRow, StudyNumbers, read_numbers, shipped
from engine.errors import BadInputError
from engine.importers.datasets.catalogue import catalogue
from engine.store import Store
from engine.views.atlas import OUTSIDE_NOTE, atlas_shown, known_so_far, means_shown

SHARED = Path(__file__).parents[3] / "shared" / "data"
HERE = [study for study in declared().studies.values() if study.path]
FILES = [study for study in HERE if (SHARED / str(study.path)).exists()]


def test_each_published_study_says_where_it_is_from_and_how_it_is_read():
    studies = declared().studies.values()

    assert sum(study.is_verified for study in studies) >= 20
    for study in studies:
        assert study.source.startswith("https://")
        assert study.commit == UNVERIFIED or len(study.commit) == 40
        assert study.dataset is None or study.dataset in catalogue()
        assert study.url is None or study.commit in study.url


def test_the_numbers_that_ship_are_of_declared_studies_under_their_facts():
    for numbers in shipped():
        entry = declared().studies[numbers.study]
        facts = ("title", "source", "licence", "commit", "year")
        assert [getattr(numbers, name) for name in facts] == [getattr(entry, name) for name in facts]
        assert entry.is_verified
        assert numbers.rows or numbers.nothing_because


def test_what_ships_holds_numbers_names_and_codes_alone():
    for path in SHIPPED.glob("*.json"):
        rows = json.loads(path.read_text("utf-8")).get("rows", [])
        for row in rows:
            texts = [value for name, value in row.items() if isinstance(value, str) and name != "judge"]
            assert all(" " not in text and len(text) < 40 for text in texts)


@pytest.mark.skipif(not FILES, reason="needs the studies of ../shared/data")
def test_the_numbers_that_ship_are_those_of_the_studies(tmp_path):
    outcomes = build(FILES, tmp_path, Store(tmp_path / "store"), origin=SHARED, fetching=False)

    assert {outcome.state for outcome in outcomes} == {"computed"}
    for outcome in outcomes:
        stored = read_numbers(SHIPPED / f"{outcome.study}.json")
        assert outcome.numbers is not None
        assert outcome.numbers.nothing_because == stored.nothing_because
        assert len(outcome.numbers.rows) == len(stored.rows)
        for now, then in zip(outcome.numbers.rows, stored.rows, strict=True):
            computed = now.model_dump()
            for name, value in then.model_dump().items():
                same = pytest.approx(value, abs=1e-4) if isinstance(value, float) else value
                assert computed[name] == same, (outcome.study, now.judge, name)


TABLE = "\n".join(
    ["judge,generator,instance_id,score"]
    + [
        f"{judge},{generator},q{n},{0.5 + 0.01 * ((7 * n + len(generator)) % 9) + 0.2 * (judge == generator)}"
        for judge in ("claude-3-sonnet", "gpt-4o", "gemma-2-9b", "qwen-2.5-7b", "command-r")
        for generator in ("claude-3-sonnet", "gpt-4o", "gemma-2-9b", "qwen-2.5-7b", "command-r")
        for n in range(20)
    ]
)


def entry(name, **fields):
    facts = {"title": name, "source": "https://example.org", "licence": "MIT", "commit": "c", "year": 2025}
    return PublishedStudy(name=name, measures="", **(facts | fields))


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "good.csv").write_text(TABLE, "utf-8")
    (folder / "bad.csv").write_text("judge,generator\na,b\n", "utf-8")
    return folder


def test_a_study_that_fails_is_named_and_stops_no_other_and_the_next_build_goes_on(tmp_path, files):
    studies = [
        entry("bad", path="bad.csv", format="table"),
        entry("absent", path="absent.csv", format="table"),
        entry("unread"),
        entry("good", path="good.csv", format="table"),
    ]
    store = Store(tmp_path / "store")

    first = build(studies, tmp_path / "out", store, origin=files)
    again = build(studies, tmp_path / "out", store, origin=files)

    assert [outcome.state for outcome in first] == ["failed", "skipped", "skipped", "computed"]
    assert "bad.csv" in first[0].why
    assert "absent.csv" in first[1].why
    assert [outcome.state for outcome in again] == ["failed", "skipped", "skipped", "as before"]
    assert again[3].numbers == first[3].numbers
    assert len(first[3].numbers.rows) == 6
    assert not list((tmp_path / "out" / "studies").glob("bad*"))


def test_a_changed_file_or_half_a_result_is_computed_anew(tmp_path, files):
    studies, store = [entry("good", path="good.csv", format="table")], Store(tmp_path / "store")
    build(studies, tmp_path / "out", store, origin=files)
    stored = tmp_path / "out" / "studies" / "good.json"

    stored.write_text(stored.read_text("utf-8")[:100], "utf-8")
    half = build(studies, tmp_path / "out", store, origin=files)
    (files / "good.csv").write_text(TABLE.replace("q19", "q20"), "utf-8")
    changed = build(studies, tmp_path / "out", store, origin=files)

    assert [outcome.state for outcome in (*half, *changed)] == ["computed", "computed"]


def test_names_of_a_model_are_exact_and_of_one_model():
    with pytest.raises(ValueError, match="names of two models: a"):
        Declared(
            studies={}, models={"A": {"family": "A", "names": ["a"]}, "B": {"family": "B", "names": ["a"]}}
        )


def numbers(study, *rows):
    facts = {"title": study, "source": "https://example.org", "licence": "MIT", "commit": "c", "year": 2025}
    return StudyNumbers(study=study, **facts, date="2026-01-01", spb="0", rows=rows)


def row(judge, excess, by="vote_outside", half=0.1):
    return AtlasRow(
        judge=judge,
        decided_by=by,
        conclusion="not_shown",
        own_given=0.5 + excess,
        own_expected=0.5,
        excess=excess,
        excess_low_plain=excess - half,
        excess_high_plain=excess + half,
    )


NAMES = Declared(
    studies={},
    models={
        "Able": {"family": "A", "names": ["able-1", "able_one"]},
        "Abler": {"family": "A", "names": ["abler"]},
    },
)


def test_a_model_is_pooled_over_its_declared_names_and_no_design_with_another():
    studies = [
        numbers("one", row("able-1", 0.1), row("abler", 0.3), row("Able-1", 0.9)),
        numbers("two", row("able_one", 0.2), row("abler", 0.4, by="bonus_outside")),
    ]

    pooled = list(estimates(studies, NAMES))
    models = {(mean.name, mean.design): mean for mean in means_of_models(pooled)}
    families = {(mean.name, mean.design): mean for mean in means_of_families(pooled)}

    assert [each.judge for each in pooled if each.model is None] == ["Able-1"]
    assert models["Able", "pairs"].studies == ("one", "two")
    assert models["Able", "pairs"].result.mean == pytest.approx(0.15)
    assert models["Abler", "pairs"].result.n == models["Abler", "scores"].result.n == 1
    # In study one the family has .1 and .3, in study two .2: the middle of .2 and .2.
    assert families["A", "pairs"].result.mean == pytest.approx(0.2)


def test_an_excess_without_an_interval_is_in_no_mean():
    empty = row("able-1", 0.1).model_copy(update={"excess_low_plain": None})

    assert list(estimates([numbers("one", empty, row("abler", 0.1, half=0.0))], NAMES)) == []


def test_the_standard_error_is_that_of_the_plain_interval():
    (estimate,) = estimates([numbers("one", row("able-1", 0.1, half=0.196))], NAMES)

    assert isinstance(estimate, JudgeExcess)
    assert estimate.error == pytest.approx(0.1, abs=1e-5)


@pytest.mark.parametrize("by", ["study", "family", "year", "design"])
def test_the_page_draws_one_bar_for_each_judge_with_a_number(by):
    shown = atlas_shown(shipped(), declared(), by)
    expected = [row for study in shipped() for row in study.rows if row.judge and row.excess is not None]

    assert shown.figure is not None
    assert shown.figure.n_drawn == len(expected)
    assert shown.table is not None
    assert len(shown.table.rows) == sum(len(study.rows) for study in shipped())
    assert shown.sentences == known_so_far(shipped())
    assert means_shown(shipped(), declared())[0].table is not None


def test_a_number_outside_its_interval_is_marked_and_explained():
    outside = {"excess_family": 0.3, "excess_family_low": -0.1, "excess_family_high": 0.2}
    studies = [numbers("one", row("able-1", 0.1), row("abler", 0.1).model_copy(update=outside))]

    shown = atlas_shown(studies, NAMES)

    assert shown.table is not None
    cells = [line for line in shown.table.rows if any("+30.0 [-10.0, +20.0]*" in cell for cell in line)]
    assert len(cells) == 1
    assert OUTSIDE_NOTE in shown.basis
    assert OUTSIDE_NOTE not in atlas_shown([numbers("one", row("able-1", 0.1))], NAMES).basis


def test_a_judge_without_cases_says_what_it_lacks():
    none = {"n_own": 0, "excess": None, "conclusion": "too_few_cases", "reason": "no_common_pair"}
    shown = atlas_shown([numbers("one", row("able-1", 0.1).model_copy(update=none))], NAMES)

    assert shown.table is not None
    cells = [cell for line in shown.table.rows for cell in line]
    assert any(cell.startswith("cannot be compared: no pair was judged by both") for cell in cells)


def test_the_studies_have_plain_years_and_say_which_are_in_the_list(monkeypatch, capsys):
    spb(monkeypatch, "atlas", "studies")
    table = capsys.readouterr().out
    spb(monkeypatch, "atlas", "studies", "--format", "json")
    rows = json.loads(capsys.readouterr().out)["rows"]

    assert not any(f"{row['year']:,}" in table for row in rows)
    assert {row["name"] for row in rows if row["listed"]} == {each.study for each in shipped() if each.rows}
    assert all(row["read"] for row in rows if row["listed"])


def test_the_list_can_have_the_largest_excess_first(monkeypatch, capsys):
    spb(monkeypatch, "atlas", "list", "--sort", "excess", "--format", "json")
    sizes = [row["excess"] for row in json.loads(capsys.readouterr().out)["rows"]]
    defined = [size for size in sizes if size is not None]

    assert defined == sorted(defined, reverse=True)
    assert sizes[: len(defined)] == defined


def test_the_command_builds_lists_and_names_what_it_wrote(tmp_path, monkeypatch, capsys, files):
    monkeypatch.chdir(tmp_path)
    (files / "pelican-arena").mkdir()
    (files / "pelican-arena" / "judge_results.csv").write_text(TABLE, "utf-8")

    assert spb(monkeypatch, "atlas", "build", "pelican-arena", "--from", files, "--no-fetch") == 0
    assert "pelican-arena: computed, 6 rows" in capsys.readouterr().err
    table = pq.read_table("atlas/atlas.parquet").to_pylist()
    assert spb(monkeypatch, "atlas", "list", "--atlas", "atlas", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]

    assert rows == table == json.loads(Path("atlas/atlas.json").read_text("utf-8"))["rows"]
    assert [each["model"] for each in rows if each["judge"] == "gpt-4o"] == ["GPT-4o"]


def test_an_own_study_is_written_as_a_file_for_a_pull_request(tmp_path, monkeypatch, capsys):
    out = tmp_path / "row.json"
    facts = ("--title", "Ours", "--source", "https://example.org", "--licence", "CC-BY-4.0")
    words = ("atlas", "add", "demo-health", *facts, "--out", out, "--store", ROOT / "results")

    assert spb(monkeypatch, *words) == 0
    assert spb(monkeypatch, *words) == 2
    assert "exists" in capsys.readouterr().err
    numbers = read_numbers(out)

    assert (numbers.study, numbers.title, numbers.licence) == ("demo-health", "Ours", "CC-BY-4.0")
    assert {row.judge for row in numbers.rows} > {None, "cinder-mini"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("build", "nothing-such"), "unknown published study 'nothing-such'"),
        (("build", "--from", "nowhere"), "there is no folder 'nowhere'"),
        (("build", "--no-fetch"), "--no-fetch needs files"),
        (("list", "--atlas", "nowhere"), "there is no atlas in 'nowhere'"),
    ],
)
def test_what_is_not_there_is_named_with_the_remedy(tmp_path, monkeypatch, capsys, words, message):
    monkeypatch.chdir(tmp_path)

    assert spb(monkeypatch, "atlas", *words) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_holds_no_numbers_is_named(tmp_path):
    file = tmp_path / "x.json"
    file.write_text('{"study": 3}', "utf-8")

    with pytest.raises(BadInputError, match=r"x\.json' holds no numbers of a study"):
        read_numbers(file)


def test_the_export_is_one_page_that_loads_nothing_with_its_numbers(tmp_path, monkeypatch, capsys):
    out = tmp_path / "site"

    assert spb(monkeypatch, "atlas", "export", out) == 0
    assert spb(monkeypatch, "atlas", "export", out) == 2
    assert "exists" in capsys.readouterr().err
    text = (out / "index.html").read_text("utf-8")

    assert {path.name for path in out.iterdir()} == {"index.html", "atlas.json", "atlas.parquet"}
    assert "default-src 'none'" in text.replace("&#39;", "'")
    assert "src=" not in text.partition("<body>")[2].partition("<script")[0]
    for study in shipped():
        assert study.commit in text
        assert study.licence in text
    assert "+17.2" in text
