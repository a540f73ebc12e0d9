"""The report: its numbers, their origin, and the escaping of all texts of the study."""

import hashlib
import itertools
import json
import random
import re
import shlex
from dataclasses import replace

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import engine
from engine.cli import app
from engine.errors import UsageError
from engine.findings.claims import CONCLUSIONS
from engine.measures.catalogue import MEASURES
from engine.report import in_form, written
from engine.report.content import content_of
from engine.report.exhibit import PinnedView, pin
from engine.report.report_texts import glossary
from engine.store import Store
from engine.store.study_files import StudyInfo
from engine.words.glossary import meaning_of
from report.conftest import DATE
from report.reading import Outline, charts_of

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "line\u2028separator\u2029",
    "right\u202eleft\u2066",
    "bell\a\x7f",
    "\"'><img src=x onerror=alert(1)>",
    "| **b** | `c` [l](http://x.invalid)",
    "datum['x'] ${alert(1)} {{y}}",
)


def hostile_study(root):
    """Write a study in which every name, text and note is hostile, with pinned views; return its folder."""
    places = [(x, k) for x in range(12) for k in range(3)]
    ids = {x: f"{HOSTILE[x % len(HOSTILE)]} {x}" for x in range(12)}
    tables = {
        "models": [{"model": name, "family": HOSTILE[place // 2]} for place, name in enumerate(HOSTILE)],
        "instances": [{"instance_id": ids[x], "theme": HOSTILE[x % 3]} for x in range(12)],
        "rubrics": [
            {"instance_id": ids[x], "rubric_id": f"r{k}", "axis": HOSTILE[k], "points": 1.0}
            for x, k in places
        ],
        "references": [],
        "judgments": [],
    }
    for g, model in enumerate(HOSTILE):
        for x, k in places:
            place = {"instance_id": ids[x], "generator": model, "rubric_id": f"r{k}"}
            met = (x + k + g) % 3 > 0
            tables["references"].append({**place, "source": f"human:{HOSTILE[0]}", "met": met})
            for judge in HOSTILE[:4]:
                answer = {"judge": judge, "paradigm": "single_rubric", "status": "ok"}
                tables["judgments"].append(
                    {**place, **answer, "met": met or judge == model or (x + g) % 2 == 0}
                )
    arrow_tables = {name: pa.Table.from_pylist(rows) for name, rows in tables.items()}
    Store(root).write(
        "hostile", arrow_tables, StudyInfo(name="hostile", title=HOSTILE[0], provenance="imported")
    )
    files = Store(root).open("hostile")
    for page, keys in (("slice", {"by": ("axis",)}), ("matrix", {}), ("overview", {}), ("verdicts", {})):
        files = pin(files, PinnedView(page, keys), HOSTILE[0], "</script>\u2028\u202e\n*note*")
    return root / "hostile"


def test_the_same_study_and_date_give_the_same_bytes(plain):
    first, second = (written(engine.open_study(plain), date=DATE) for _ in range(2))

    assert first == second


def test_a_simulated_study_says_so_before_anything_else(demo_report):
    words = [word.strip() for word in Outline(demo_report).words if word.strip()]

    place = next(place for place, word in enumerate(words) if word.startswith("Simulated: "))
    assert "The judges" in words[place:]
    assert not any(re.search(r"\d\.\d", word) for word in words[:place])


def test_an_imported_study_is_not_called_simulated(plain):
    assert "imulated" not in Outline(written(engine.open_study(plain), date=DATE).decode()).text


def test_the_report_of_the_demonstration_is_small_enough_to_send(demo_report):
    assert len(demo_report.encode()) < 5_000_000


def test_the_files_of_the_study_are_listed_with_the_hashes_of_their_bytes(demo_report, demo_folder):
    text = Outline(demo_report).text

    files = sorted(demo_folder.rglob("*.parquet"))
    assert files
    for path in files:
        assert path.relative_to(demo_folder).as_posix() in text
        assert hashlib.sha256(path.read_bytes()).hexdigest() in text


def test_it_contains_every_claim_and_the_reason_for_every_doubt(demo_report, demo_content):
    text = Outline(demo_report).text

    assert len(demo_content.findings.shown) > 10
    for claim in demo_content.findings.shown:
        assert claim.command in text
        assert claim.n is None or claim.question == "advice" or f"{claim.n:,} {claim.cases}" in text
        if claim.stands or claim.rule in CONCLUSIONS:
            assert text.count(claim.sentence) == 1
        else:
            assert claim.question == "advice" or any(mark.why in text for mark in claim.marks)


def test_each_standing_finding_has_a_figure_after_the_board_and_the_advice(demo_report, demo_content):
    report = demo_content
    figures = [figure["id"] for figure in Outline(demo_report).attributes_of("figure")]

    numbers = [report.figure_of(c) for c in report.findings.shown if c.stands and c.question != "advice"]
    assert {f"figure-{number}" for number in numbers} == set(figures)
    assert figures[0] == "figure-1"
    places = [demo_report.index(part) for part in ('id="figure-1"', 'id="which-judge"', "data-claim=")]
    assert places == sorted(places)


def test_the_demonstrations_report_is_short(demo_content):
    names = {claim.measure for claim in demo_content.findings.shown}
    measures = tuple(measure for measure in demo_content.measures if measure.name in names)
    page = in_form(replace(demo_content, screens=(), measures=measures), "html").decode()

    visible = re.sub(r"(?s)<details>.*?</details>", "", page)
    words = len(Outline(visible).text.split())
    assert words < 1650  # with three claims on a committee, what would undo conclusions, and other judgments


def test_sentences_of_measures_about_single_judges_do_not_repeat_the_conclusions(demo_report, demo_content):
    text = Outline(demo_report).text

    behind = [claim for claim in demo_content.findings.claims if claim not in demo_content.findings.shown]
    assert {claim.rule for claim in behind} >= {"own-failures", "own-points"}
    assert not [claim.id for claim in behind if claim.sentence in text]


def test_its_terms_are_defined_at_its_end(demo_report, demo_content):
    text = Outline(demo_report).text

    terms = [term.name for term in glossary(demo_content)]
    assert {"family", "judges of other families", "confidence interval", "favours itself"} <= set(terms)
    assert all(meaning_of(name) in text for name in terms)
    assert "position" not in terms


def test_its_footer_names_its_sources(demo_report):
    foot = demo_report[demo_report.index("<footer>") : demo_report.index("</footer>")]

    counts = "120 questions, 9 judges, 215,410 verdicts (2,318 missing)"
    assert foot.startswith(f"<footer><p>Study demo-health (simulated) · {counts} · spb-explorer ")
    assert foot.endswith(f' · {DATE} · <a href="#method">Method</a></p>')


def test_reasons_for_passing_own_failures_are_compared_with_outside_judges(demo_report):
    text = Outline(demo_report).text

    assert "Why do judges pass their own failed answers?" in text
    assert "“taken”, “whole”: 36 of 52" in text


def test_without_stored_reasons_the_section_is_omitted(plain):
    assert "Why do judges pass" not in written(engine.open_study(plain), date=DATE).decode()


@pytest.mark.parametrize("seed", [20261122])
def test_the_commands_that_it_prints_reproduce_its_numbers(
    demo_report, demo_content, demo_folder, monkeypatch, seed
):
    monkeypatch.setenv("SPB_STORE", str(demo_folder.parent))
    values = {tag["data-claim"]: tag["value"] for tag in Outline(demo_report).attributes_of("data")}
    claims = {claim.id: claim for claim in demo_content.findings.claims}
    sample = random.Random(seed).sample(sorted(values), 4)

    for name in sample:
        claim = claims[name]
        words = shlex.split(claim.command)
        output = CliRunner().invoke(app, [*words[1:], "--format", "json"], catch_exceptions=False)
        rows = json.loads(output.stdout)["rows"]
        (row,) = [row for row in rows if all(row[key] == value for key, value in claim.at.items())]

        assert words[0] == "spb"
        assert row[claim.field] == pytest.approx(float(values[name]), rel=1e-12)


def test_charts_have_words_and_headings_skip_no_level(demo_report):
    outline = Outline(demo_report)

    places = [attributes for attributes in outline.attributes_of("div") if "data-chart" in attributes]
    numbers = [place[name] for place in places for name in ("data-chart", "data-narrow") if name in place]
    assert numbers == [str(n) for n in range(len(charts_of(demo_report)))]
    assert len(places) > 5
    assert all(place["aria-label"] for place in places)
    levels = [int(tag[1]) for tag, _ in outline.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_it_makes_no_request_and_runs_only_its_own_scripts(demo_report):
    outline = Outline(demo_report)

    assert not [
        tag for tag, attributes in outline.tags if {"src", "srcset", "action", "data"} & set(attributes)
    ]
    assert not outline.attributes_of("link")
    assert all(link["href"].startswith("#") for link in outline.attributes_of("a"))
    (policy,) = [meta["content"] for meta in outline.attributes_of("meta") if "http-equiv" in meta]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    assert not [tag for tag, attributes in outline.tags if any(name.startswith("on") for name in attributes)]
    assert not [tag for tag, attributes in outline.tags if "style" in attributes]


def test_pinned_views_appear_in_order_with_their_notes(demo_report):
    text = Outline(demo_report).text

    assert (
        text.index("By axis")
        < text.index("Look at context awareness.\nTwo lines.")
        < text.index("Everyone on")
    )
    assert "spb measure overestimation demo-health --polarity negative" in text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Return the content of a report of the hostile study."""
    study = engine.open_study(hostile_study(tmp_path_factory.mktemp("hostile")))
    return content_of(study, date=DATE)


@pytest.fixture(scope="module")
def hostile_page(hostile):
    return in_form(hostile, "html").decode()


def test_hostile_names_neither_close_a_script_nor_open_an_element(hostile_page):
    outline = Outline(hostile_page)
    assert len(outline.attributes_of("script")) == 3
    assert outline.attributes_of("img") == []
    assert hostile_page.count("</script>") == 3
    assert not any(letter in hostile_page for letter in "\u2028\u2029\u202e\u2066\a\x7f")
    assert "</script><script>alert(1)</script>" in outline.text
    assert r"right\u202eleft" in outline.text


def test_hostile_names_stay_values_in_the_charts(hostile_page):
    charts = charts_of(hostile_page)

    assert charts
    for chart in charts:
        assert "alert" not in json.dumps(list(expressions(chart)))
    assert any("alert(1)" in json.dumps(chart["datasets"]) for chart in charts)


def expressions(part):
    """Yield what Vega would evaluate in a specification: expressions and the tests of conditions."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name in ("expr", "calculate", "filter") or (name == "test" and isinstance(value, str)):
                yield value
            else:
                yield from expressions(value)
    elif isinstance(part, list):
        for value in part:
            yield from expressions(value)


def test_hostile_names_end_neither_a_cell_nor_a_block_of_markdown(hostile):
    text = in_form(hostile, "markdown").decode()

    outside = re.sub(r"(?ms)^(`{3,})sh\n.*?^\1$", "", text)
    assert "<script" not in outside.replace(r"\<", "")
    assert "](" not in outside.replace(r"\](", "")
    widths = {}
    for block in re.findall(r"(?m)(?:^\|.*\|$\n?)+", outside):
        lines = block.splitlines()
        widths[lines[0]] = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    assert widths
    assert all(len(each) == 1 for each in widths.values())
    assert not any(letter in text for letter in "\u2028\u2029\u202e\u2066\a\x7f")


def test_markdown_says_the_same_as_the_page(demo_content):
    report, text = demo_content, in_form(demo_content, "markdown").decode()

    assert text.startswith("# Health chats (simulated)\n\n> **Simulated: ")
    for line in report.commands:
        assert line in text
    for file in report.files:
        assert file.sha256 in text
    assert "| Judge | HSPP ratio |" in text
    assert "| aster-large | favours itself |" in text
    assert "is open: it is not clear on the same criteria." in text
    assert "| Judge | What to use it for |" in text
    assert text.splitlines()[-1].startswith("*Study demo-health (simulated) · 120 questions")


def test_what_does_not_stand_is_only_under_not_shown(demo_report, demo_content):
    shown, not_shown = demo_report.split('<section id="not-shown">')
    in_doubt = [
        claim for each in demo_content.by_rule for claim in each.in_doubt if claim.question != "advice"
    ]

    assert in_doubt
    for claim in in_doubt:
        assert claim.sentence not in shown
        assert all(mark.why in Outline(not_shown).text for mark in claim.marks if mark.title != "simulated")


def test_a_finding_on_families_is_drawn_as_its_sentence_says_it_without_other_judges(demo_content):
    (finding,) = [each for each in demo_content.by_rule if each.rule == "relatives"]
    judges = {claim.at["judge"] for claim in finding.claims}

    rows = [row for rows in finding.chart["datasets"].values() for row in rows]

    assert {row["judge"] for row in rows} == judges
    for claim in finding.claims:
        (row,) = [r for r in rows if r["judge"] == claim.at["judge"] and r["label"].startswith("family of ")]
        assert f"it passed {row['given']:.0f}; other judges" in claim.sentence


def test_a_reader_finds_which_judge_to_use_with_every_judge_in_the_report(demo_report, demo_content):
    start = demo_report.index('id="which-judge"')
    table = Outline(demo_report[start : demo_report.index("</table>", start)]).text

    for row in demo_content.which_judge.table.rows:
        assert row[0] in table
        assert row[1] in table


def test_each_number_of_the_advice_has_its_meaning_below_the_table(demo_report):
    folded = demo_report[demo_report.index("The numbers behind the advice on judges") :]
    below = Outline(folded[folded.index("<dl") : folded.index("</dl>")]).text
    declared = {field.name: field.meaning for field in MEASURES["which-judge"].fields}

    assert "Agreement" in below
    for name in ("agreement", "accuracy", "flip_rate"):
        assert declared[name][1:] in below


def test_without_a_story_an_unknown_one_is_refused_with_how_to_make_one(plain):
    with pytest.raises(UsageError, match=r"unknown story 'board': the study has none; pin views .*spb open"):
        written(engine.open_study(plain), story="board")


def test_an_invalid_date_is_refused(plain):
    with pytest.raises(UsageError, match=r"date '22\.11\.2026' is not valid"):
        written(engine.open_study(plain), date="22.11.2026")


def run(*words):
    return CliRunner().invoke(app, ["report", *words])


def test_the_command_writes_the_file_without_overwriting_one_unasked(plain, tmp_path):
    where = (
        "--study",
        plain.name,
        "--store",
        str(tmp_path),
        "--date",
        DATE,
        "--out",
        str(tmp_path / "report.md"),
    )

    first = run(*where)
    again = run(*where)
    forced = run(*where, "--force")

    assert first.exit_code == 0
    assert (tmp_path / "report.md").read_text().startswith("# plain\n")
    assert isinstance(again.exception, UsageError)
    assert "exists already" in str(again.exception)
    assert forced.exit_code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--format", "latex"), "unknown format 'latex'; choose from: html, markdown"),
        (("--study", "x"), "unknown study 'x' in"),
    ],
)
def test_wrong_usage_names_the_choices(plain, tmp_path, words, message):  # noqa: ARG001
    refused = run(*words, "--store", str(tmp_path), "--out", str(tmp_path / "report.html"))

    assert message in str(refused.exception)
    assert not (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("ending", "message"),
    [
        ("docx", "ends in neither .html nor .md; choose another, or give --format"),
        ("pdf", "a report is not written as PDF; write .html, and print it to a PDF in a browser"),
    ],
)
def test_an_ending_of_another_kind_of_file_is_refused_and_not_filled_with_html(
    plain, tmp_path, ending, message
):
    out = tmp_path / f"report.{ending}"

    refused = run("--study", plain.name, "--store", str(tmp_path), "--out", str(out))

    assert message in str(refused.exception)
    assert not out.exists()


@pytest.mark.parametrize(
    ("term", "names"),
    [("hspp", ["HSPP ratio"]), ("axis", ["axis, theme, category"]), ("Family", ["family"])],
)
def test_a_term_is_explained_by_part_of_its_name_if_no_other_has_it_whole(spb_here, term, names):
    lines = spb_here("glossary", term).stdout.splitlines()

    assert [line.partition(":")[0] for line in lines] == names
