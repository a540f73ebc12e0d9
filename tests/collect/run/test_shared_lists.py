"""`spb run` over lists of rubrics that are the same in several orderings."""

import json
from collections import Counter
from pathlib import Path

from collect.run.small import config_text, write_folder
from command_line import Spb

from engine.store import Store
from engine.store.study_files import StudyFiles


def _config(tmp_path: Path, orderings: list[str], rubrics: int = 1) -> Path:
    """Write a configuration in which a and b judge lists, in these orderings, of as many rubrics."""
    folder = write_folder(tmp_path / "data", rubrics=rubrics)
    text = config_text(folder, paradigms=["all_rubrics"], orderings=orderings)
    path = tmp_path / "run.toml"
    path.write_text(text.replace("openai/", "simulated/"), "utf-8")
    return path


def _run(spb_here: Spb, config: Path, store: Path) -> dict[str, object]:
    report: dict[str, object] = json.loads(
        spb_here("run", config, "--store", store, "--format", "json").stdout
    )
    return report


def _verdicts(study: StudyFiles) -> Counter[tuple[str, str, str, bool | None]]:
    names = ("ordering", "judge", "instance_id", "generator", "met")
    rows = study.judgments(names).to_pylist()
    return Counter((row["ordering"], *(row[name] for name in names[1:])) for row in rows)


def test_a_single_rubric_is_judged_once_and_stored_for_both_orderings(tmp_path: Path, spb_here: Spb) -> None:
    config = _config(tmp_path, ["original", "reversed"])

    report = _run(spb_here, config, tmp_path / "store")

    # two judges on two responses to each of three instances; the other 12 would be the same calls
    assert (report["planned"], report["calls"]) == (12, 12)
    verdicts = _verdicts(Store(tmp_path / "store").open("s"))
    original = {each[1:]: n for each, n in verdicts.items() if each[0] == "original"}
    assert len(original) == 12
    assert original == {each[1:]: n for each, n in verdicts.items() if each[0] == "reversed"}


def test_the_order_effect_reads_both_orderings_of_the_same_instances(tmp_path: Path, spb_here: Spb) -> None:
    config = _config(tmp_path, ["original", "reversed"])
    _run(spb_here, config, tmp_path / "store")

    answer = spb_here("measure", "order-effect", "s", "--store", tmp_path / "store", "--format", "json")

    whole = [row for row in json.loads(answer.stdout)["rows"] if row["position"] is None]
    assert {(row["judge"], row["ordering"], row["n_verdicts"]) for row in whole} == {
        (judge, ordering, 6) for judge in ("a", "b") for ordering in ("original", "reversed")
    }


def test_an_ordering_that_is_added_later_takes_the_answers_that_hold_for_it(
    tmp_path: Path, spb_here: Spb
) -> None:
    _run(spb_here, _config(tmp_path, ["original"]), tmp_path / "store")

    report = _run(spb_here, _config(tmp_path, ["original", "reversed"]), tmp_path / "store")

    assert report["calls"] == 0
    orderings = Counter(each[0] for each in _verdicts(Store(tmp_path / "store").open("s")))
    assert orderings == {"original": 12, "reversed": 12}


def test_two_rubrics_have_two_lists_in_three_orderings(tmp_path: Path, spb_here: Spb) -> None:
    config = _config(tmp_path, ["original", "reversed", "rotated"], rubrics=2)

    report = _run(spb_here, config, tmp_path / "store")

    assert report["calls"] == 24  # 12 lists, each forwards and backwards
    study = Store(tmp_path / "store").open("s")
    rows = study.judgments(["ordering", "call_id", "cost_usd", "prompt_tokens"]).to_pylist()
    assert Counter(row["ordering"] for row in rows) == {"original": 24, "reversed": 24, "rotated-2": 24}
    shared = [row for row in rows if row["ordering"] == "rotated-2"]
    assert {row["prompt_tokens"] for row in shared} == {None}
    assert {row["cost_usd"] for row in shared} == {0.0, None}
    assert not {row["call_id"] for row in shared} & {r["call_id"] for r in rows if r not in shared}


def test_a_shared_answer_that_is_redone_is_shared_anew(tmp_path: Path, spb_here: Spb) -> None:
    config = _config(tmp_path, ["original", "reversed"])
    text = config.read_text("utf-8")
    config.write_text(text.replace("[models.b]", "simulated = { unparsed = 1.0 }\n[models.b]"), "utf-8")
    _run(spb_here, config, tmp_path / "store")
    config.write_text(text, "utf-8")

    spb_here("run", config, "--store", tmp_path / "store", "--redo", "unparsed")

    study = Store(tmp_path / "store").open("s")
    rows = study.judgments(["ordering", "status"]).to_pylist()
    assert Counter((row["ordering"], row["status"]) for row in rows) == {
        ("original", "ok"): 12,
        ("reversed", "ok"): 12,
    }
    assert spb_here("study", "check", "s", "--store", tmp_path / "store").returncode == 0
