"""`spb import`: what was lost or merged on the way is said at the end, where it is read."""

import shlex
from pathlib import Path

import pytest
from command_line import Spb

from engine.store import Store
from engine.study import Study
from engine.views.judges import JUDGES

MODELS = ("gpt-4o", "claude-3-opus", "gemini-1.5-pro")
ROWS = [
    f"{judge},{model},q{n},{'pass' if n % 2 else 'fail'}"
    for judge in MODELS
    for model in MODELS
    for n in (1, 2)
]


def imported(spb_here: Spb, folder: Path, rows: list[str]) -> str:
    """Import rows, and return in one line what is said of the study written."""
    (folder / "v.csv").write_text("\n".join(["judge,model,question,verdict", *rows]), "utf-8")
    output = spb_here("import", folder / "v.csv", "--study", "mine", "--store", folder)
    assert output.returncode == 0, output.stderr
    return " ".join(output.stdout.split())


def test_a_whole_file_leaves_nothing_to_remark(spb_here: Spb, tmp_path: Path) -> None:
    output = imported(spb_here, tmp_path, ROWS)

    assert "Left out" not in output
    assert "trials" not in output


def test_rows_left_out_are_counted_at_the_end(spb_here: Spb, tmp_path: Path) -> None:
    output = imported(spb_here, tmp_path, [*ROWS, ",gpt-4o,q3,pass", ",gpt-4o,q4,pass"])

    assert output.endswith("Left out: 2 of 20 rows: no judge (2).")


@pytest.mark.parametrize(
    ("header", "verdicts"),
    [
        ("judge,model,question,verdict", ["pass", "fail"]),
        ("judge,model,question,score", ["0.25", "0.75"]),
        ("judge,model_a,model_b,question,winner,shown_first", ["model_a,model_a", "model_b,model_b"]),
    ],
)
def test_blank_verdicts_winners_and_scores_are_remarked_on_once_they_are_many(
    header: str, verdicts: list[str], spb_here: Spb, tmp_path: Path
) -> None:
    pairs = "model_a" in header
    names = [f"{a},{b}" for a, b in zip(MODELS, MODELS[1:] + MODELS[:1], strict=True)] if pairs else MODELS
    rows = [f"{judge},{each},q{n}" for judge in MODELS for each in names for n in range(20)]
    cells = [f"{row},{verdicts[n % 2]}" for n, row in enumerate(rows)]

    def remarks(blank: int) -> str:
        """Import the rows, so many of which have no verdict, all of the first judge's 60."""
        lines = [f"{row},{',model_a' if pairs else ''}" for row in rows[:blank]] + cells[blank:]
        (tmp_path / "v.csv").write_text("\n".join([header, *lines]), "utf-8")
        command = ("import", tmp_path / "v.csv", "--replace", "--study", "mine", "--store", tmp_path)
        output = spb_here(*command)
        assert output.returncode == 0, output.stderr
        return " ".join(output.stdout.split())

    assert "no verdict" not in remarks(3)  # 3 of 60 are a twentieth, and no more
    assert (
        "Many judgments have no verdict and are not counted: gpt-4o (6.7% of 60, mostly unparsed); if they "
        "are missing where the judge is lenient, what is concluded on it is wrong."
    ) in remarks(4)


@pytest.fixture
def few_first_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.importers.tables.table.SAMPLE", 10)


@pytest.mark.usefixtures("few_first_rows")
@pytest.mark.parametrize(
    ("header", "values", "late", "option", "answer"),
    [
        ("verdict", ("pass", "fail"), ("borked", "borked", "n/a?"), "met:borked=?,n/a?=?", "none"),
        ("score", ("0.25", "0.5"), ("high", "high", "n/a?"), "score:high=?,n/a?=?", "1"),
    ],
)
def test_words_that_only_later_rows_have_are_named_with_the_command_that_imports_them(
    header: str,
    values: tuple[str, str],
    late: tuple[str, ...],
    option: str,
    answer: str,
    spb_here: Spb,
    tmp_path: Path,
) -> None:
    rows = [f"{judge},{m},q{n},{values[n % 2]}" for judge in MODELS for m in MODELS for n in (1, 2)]
    rows[-3:] = [",".join([*row.split(",")[:3], word]) for row, word in zip(rows[-3:], late, strict=True)]
    (tmp_path / "v.csv").write_text("\n".join([f"judge,model,question,{header}", *rows]), "utf-8")

    done = spb_here("import", tmp_path / "v.csv", "--study", "mine", "--store", tmp_path)
    [command] = [line for line in done.stdout.splitlines() if line.startswith("  spb import")]
    words = shlex.split(command)[1:]
    refused = spb_here(*words)
    again = spb_here(*(word.replace("=?", f"={answer}") for word in words))

    assert f"'{late[0]}' (2), 'n/a?' (1) of {option.partition(':')[0]}. To import" in " ".join(
        done.stdout.split()
    )
    assert option in words
    assert refused.returncode == 2
    assert again.returncode == 0, again.stderr
    assert "Left out" not in again.stdout
    statuses = Store(tmp_path).open("mine").judgments(["status"])["status"].to_pylist()
    assert statuses == ["ok"] * 15 + ["unparsed" if answer == "none" else "ok"] * 3


@pytest.mark.usefixtures("few_first_rows")
def test_words_of_a_file_that_was_added_are_explained_for_a_study_of_its_own(
    spb_here: Spb, tmp_path: Path
) -> None:
    imported(spb_here, tmp_path, ROWS)
    others = [row.replace(",q", ",p") for row in ROWS]
    (tmp_path / "v.csv").write_text(
        "\n".join(["judge,model,question,verdict", *others, "o3,o3,p1,odd"]), "utf-8"
    )

    done = spb_here("import", tmp_path / "v.csv", "--append", "--study", "mine", "--store", tmp_path)

    [command] = [line for line in done.stdout.splitlines() if line.startswith("  spb import")]
    assert "--value 'met:odd=?' --study mine-words" in command


def test_words_for_no_verdict_are_counted_in_the_report_unless_the_user_gave_them(
    spb_here: Spb, tmp_path: Path
) -> None:
    rows = [*ROWS, "o3,o3,q1,error", "o3,o3,q2,error", "o3,o3,q3,N/A", "o3,o3,q4,", "o3,o3,q5,odd"]
    (tmp_path / "v.csv").write_text("\n".join(["judge,model,question,verdict", *rows]), "utf-8")
    command = ("import", tmp_path / "v.csv", "--study", "mine", "--store", tmp_path)

    done = spb_here(*command, "--value", "met:odd=none")

    given = "if it is a verdict, give such as --value met:error=no"
    assert f"note: 'verdict' holds 'error' (2) and 'n/a' (1), read as no verdict ({given})" in done.stderr


def test_repeated_rows_are_named_with_the_way_to_import_runs(spb_here: Spb, tmp_path: Path) -> None:
    same = imported(spb_here, tmp_path, [*ROWS, *ROWS[:3]])
    (tmp_path / "other").mkdir()
    opposite = imported(spb_here, tmp_path / "other", [*ROWS, ROWS[0].replace("pass", "fail")])

    assert "Read as further trials: 3 judgments that an earlier row has already. If they are of" in same
    assert "1 judgment that an earlier row has already; where trials are split, none counts. If" in opposite
    assert "with --run NAME, from the second on with --append." in opposite
    assert opposite.endswith("may differ (for all 18, each by its first verdict: --repeats first).")


def test_all_that_a_table_lacks_is_asked_at_once(spb_here: Spb, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("\n".join(["foo,bar,baz,qux", *ROWS]), "utf-8")

    refused = spb_here("import", tmp_path / "v.csv", "--store", tmp_path)

    assert refused.returncode == 2
    for name in ("generator", "judge", "met", "instance_id"):
        assert f"--map {name}=FIELD" in refused.stderr
    assert "this reads 'qux' as met and 'baz' as instance_id; correct what is wrong, give" in refused.stderr
    assert "--map 'generator=?' --map 'judge=?'" in refused.stderr


def test_the_only_column_left_may_hold_the_verdicts(spb_here: Spb, tmp_path: Path) -> None:
    rows = [row.replace("pass", "4") for row in ROWS]
    (tmp_path / "v.csv").write_text("\n".join(["judge,model,question,odd", *rows]), "utf-8")

    refused = spb_here("import", tmp_path / "v.csv", "--store", tmp_path)

    assert "it may be 'odd'" in refused.stderr
    command = refused.stderr.splitlines()[-1]
    assert command.endswith(f" --map met=odd --set rubric_id=overall --store {tmp_path}")


@pytest.mark.parametrize(
    ("words", "notes", "source"),
    [
        ((), 1, "human"),
        (("--set", "reference_source=program"), 0, "program"),
    ],
)
def test_whose_truth_a_column_is_taken_for_is_said_unless_it_is_given(
    spb_here: Spb, tmp_path: Path, words: tuple[str, ...], notes: int, source: str
) -> None:
    rows = [f"{row},{'yes' if number % 3 else 'no'}" for number, row in enumerate(ROWS[:6])]
    path = tmp_path / "v.csv"
    path.write_text("\n".join(["judge,model,question,verdict,truth", *rows]), "utf-8")

    output = spb_here("import", path, "--study", "mine", "--store", tmp_path, *words)

    note = "'truth' says what is true, and nothing says who decided it: it is stored as people's; give --set"
    assert output.stderr.count(note) == notes
    stored = Store(tmp_path).open("mine").table("references", ["source"])
    assert set(stored["source"].to_pylist()) == {source}


def with_truth() -> list[str]:
    """Return nine verdicts on each of twelve questions, of which every third judge and question errs."""
    return [
        f"{judge},{model},q{n},{'yes' if is_true ^ errs else 'no'},{'yes' if is_true else 'no'}"
        for at, judge in enumerate(MODELS)
        for of, model in enumerate(MODELS)
        for n in range(12)
        for is_true, errs in [((n + of) % 2 == 0, (n + at) % 3 == 0)]
    ]


def test_verdicts_read_the_wrong_way_round_are_doubted_before_every_conclusion(
    spb_here: Spb, tmp_path: Path
) -> None:
    (tmp_path / "v.csv").write_text("\n".join(["judge,model,question,verdict,truth", *with_truth()]), "utf-8")
    command = ("import", tmp_path / "v.csv", "--replace", "--study", "mine", "--store", tmp_path)

    right = spb_here(*command)
    turned = spb_here(*command, "--value", "met:yes=no,no=yes")
    judges = spb_here("judges", "mine", "--store", tmp_path)
    info = spb_here("study", "info", "mine", "--store", tmp_path)
    study = Study(Store(tmp_path).open("mine"))
    shown = JUDGES.shown(study, {})
    with pytest.warns(UserWarning, match="read the wrong way round"):
        frame = study.judges()

    # 3 x 3 x 12 = 108 verdicts, a third of which, 36, are wrong
    sentence = "The judges agree with what is true in only 36 of 108 verdicts (33%)"
    remedy = "Check what --value met:... and --value reference_met:... say"
    assert sentence not in right.stdout
    for output in (turned.stdout, judges.stdout, info.stdout):
        assert " ".join(output.split()).startswith(sentence)
        assert remedy in " ".join(output.split())
    assert any(each.startswith(sentence) for each in shown.sentences)
    assert frame.attrs["remarks"][0].startswith(sentence)


def test_verdicts_read_the_wrong_way_round_on_criteria_of_one_sign_are_doubted(
    spb_here: Spb, tmp_path: Path
) -> None:
    head = "judge,model,question,criterion,points,verdict,truth"
    rows = [
        ",".join((judge, model, question, k, points, verdict, truth))
        for judge, model, question, verdict, truth in (row.split(",") for row in with_truth())
        for k, points in (("kind", "1"), ("rude", "-1"))
    ]
    passed = [
        row.replace(",yes,", ",pass,", 1).replace(",no,", ",fail,", 1)
        if ",1," in row
        else row.replace(",yes,", ",fail,", 1).replace(",no,", ",pass,", 1)
        for row in rows
    ]
    (tmp_path / "v.csv").write_text("\n".join([head, *passed]), "utf-8")
    command = ("import", tmp_path / "v.csv", "--replace", "--study", "mine", "--store", tmp_path)

    right = spb_here(*command, "--value", "met:pass=good,fail=bad")
    turned = spb_here(*command, "--value", "met:pass=yes,fail=no")

    # 3 x 3 x 12 = 108 verdicts of each sign, a third of which, 36, are wrong
    sentence = (
        "On criteria with points below 0 the judges agree with what is true in only 36 of 108 verdicts "
        "(33%), on the others in 72 of 108 verdicts (67%)"
    )
    assert " ".join(turned.stdout.split()).startswith(sentence)
    assert "On criteria with points" not in right.stdout
