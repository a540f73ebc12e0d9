"""The votes behind "Are LLM evaluators really narcissists?" (the evaluator quality baseline)."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import BadInputError
from engine.importers.import_options import ImportOptions
from engine.importers.reading.format import FileReader, ImportedField
from engine.importers.reading.json_rows import json_lines, json_object
from engine.importers.reading.rows import (
    BadRowError,
    ImportStats,
    Row,
    number_of,
    object_or_empty,
    objects,
    refuse,
)
from engine.importers.reading.study_builder import InstanceRows, StudyBuilder, StudyRows
from engine.phrases import quantity

GOLD = "gold"
"""The source of preferences that a file's `category` gives."""

_FILE = re.compile(r"[jk]_vs_r_game[12]\.jsonl(\.gz)?$|judge_swap_.+\.json(\.gz)?$", re.IGNORECASE)
_ONE_OBJECT = re.compile(r"\.json(\.gz)?$", re.IGNORECASE)
_LISTS = ("J_vs_R_game1", "J_vs_R_game2", "K_vs_R_game1", "K_vs_R_game2")
_DATA_SET_OF_OBJECTS = "quality"
"""The one data set whose votes are kept as an object for each judge, proxy and reference."""

_GAME = re.compile(r"game([12])$", re.IGNORECASE)
_COT = re.compile(r"(^|[\W_])cot($|[\W_])", re.IGNORECASE)
_COT_FIELD = "verdict_token_position"
_LABELS = {"lsp": True, "ilsp": False}
"""Whether the answer compared with the reference's is the better one."""

_JUDGED_PAIRWISE = ("alpaca_eval", "translation", "truthfulness", "cnn", "cnn2", "xsum")
"""The data sets in which gold judges say which of two answers is better; in others each is right or wrong."""

_FALLBACK = (0.33, 0.33, 0.34)


class BaselineVotes(FileReader):
    """Reads a judge's votes on its own and on proxies' answers, each against a reference model's.

    `J_vs_R_game1.jsonl` and `J_vs_R_game2.jsonl` hold the judge's own answers, `K_vs_R_...` the proxies', in
    folders `<judge>/<reference>/` or `<judge>/<reference>/<proxy>/`. The rows, not folders, name the models.
    QuALITY's votes are one object for each judge, proxy and reference (`judge_swap_....json`) with the four
    lists, the judge's own votes repeated in each; `metadata` names the models.
    """

    suffixes = (".jsonl", ".json")
    expected = (
        "the votes of the evaluator quality baseline: a folder with J_vs_R_game1.jsonl, J_vs_R_game2.jsonl, "
        "K_vs_R_game1.jsonl and K_vs_R_game2.jsonl, or one of them, with example_id, judge, reference, "
        "response1_key, response2_key, raw_probs and category; or QuALITY's judge_swap_....json, with "
        "metadata and these four lists"
    )

    def __init__(self, path: Path, options: ImportOptions, tally: ImportStats) -> None:
        super().__init__(path, options, tally)
        self._folder = path if path.is_dir() else path.parent
        if path.is_dir():
            others = [file for file in self.files if not _FILE.match(file.name)]
            self.files = [file for file in self.files if _FILE.match(file.name)]
            if not self.files:
                raise BadInputError(f"{str(path)!r} holds no file of votes; expected {self.expected}")
            if others:
                example = self._place(others[0])
                tally.note(f"{quantity(len(others), 'other file')} not read, such as {example}")
        self._votes: dict[tuple[str | None, ...], tuple[str, tuple[Any, ...]]] = {}
        self._counts: Counter[str] = Counter()

    def rows(self) -> Iterator[Row]:
        """Yield each vote once; BadInputError if two files give different votes on the same comparison."""
        for file in self.files:
            name = self._place(file)
            latest: dict[tuple[str | None, ...], Row] = {}
            incomplete: list[Row] = []
            for row in self._rows_of(file, name):
                row = self._with_proxy(row, file)
                key = _comparison(row)
                if key is None:
                    incomplete.append(row)
                    continue
                if key in latest:
                    self._counts["earlier"] += 1
                latest[key] = row
            is_cot = bool(_COT.search(f"{self._folder.resolve().name}/{name}"))
            is_cot = is_cot or any(_COT_FIELD in row.values for row in latest.values())
            for key, row in latest.items():
                comparison = (*key, "cot" if is_cot else None)
                if self._is_new(comparison, row):
                    yield Row(name, row.number, {**row.values, "variant": "cot"} if is_cot else row.values)
            yield from incomplete

    def read(self, row: Row) -> StudyRows:
        """Return one vote, and which of the two answers is right or better."""
        judge, reference = row.text("judge"), row.text("reference")
        dataset, example = row.maybe_text("dataset"), row.text("example_id")
        sides = (row.text("response1_key"), row.text("response2_key"))
        target = _target(row, sides, judge)
        instance = example if dataset is None else f"{dataset}-{example}"
        rows = InstanceRows(instance, category=dataset)
        values = row.values.get("raw_probs")
        probabilities = None if values is None else _probabilities(values)
        vote = {"status": "unparsed"} if probabilities is None else _vote(probabilities, sides)
        variant = "forced" if probabilities is not None and len(probabilities) == 2 else "forced_tie"
        rows.judgment(
            judge,
            "pairwise",
            target,
            opponent=reference,
            first="opponent" if sides[0] == "reference" else "generator",
            variant=row.maybe_text("variant") or variant,
            raw=row.maybe_text("generated_text"),
            **vote,
        )
        self._count(probabilities)
        better = _LABELS.get((row.maybe_text("category") or "").lower())
        if better is None:
            self._counts["unlabelled"] += 1
        elif dataset in _JUDGED_PAIRWISE:
            rows.preference(GOLD, "generator" if better else "opponent", target, reference)
        else:
            rows.rubric("correct", criterion="The answer is correct.")
            rows.reference("program", target, "correct", met=better)
            rows.reference("program", reference, "correct", met=not better)
        return rows.tables

    def finish(self, builder: StudyBuilder) -> None:
        """Say what was counted as the authors count it, and if the data sets have two kinds of truth."""
        notes = {
            "earlier": "{} with a later vote on the same comparison in the same file: the last one counts",
            "copies": "{} in a second file, with the same vote: they count once",
            "fallback": "{} with .33 / .33 / .34, which the authors' program wrote for want of others: "
            "votes like any other",
            "neither": "{} with no probability for either answer: a tie, which counts for neither of them",
            "folder": "{} without a proxy: the folder's name is the proxy's",
            "unlabelled": "{} without a category lsp or ilsp: which answer is better is not known",
        }
        for code, text in notes.items():
            if n := self._counts[code]:
                self.tally.note(text.format(quantity(n, "row")))
        if builder.rows.get("references") and builder.rows.get("preferences"):
            self.tally.note(
                "some data sets have right and wrong answers (references), others better ones only "
                f"(preferences of {GOLD!r}, which come first): read the former with --category NAME "
                "--reference program"
            )

    def _rows_of(self, file: Path, name: str) -> Iterator[Row]:
        """Yield a file's votes with the fields that the rows of the other layout have."""
        if not _ONE_OBJECT.search(file.name):
            yield from json_lines(file, self.tally, self.expected, name)
            return
        content = json_object(file, self.expected)
        models = object_or_empty(content.get("metadata"))
        lists = {key: content[key] for key in _LISTS if isinstance(content.get(key), list)}
        if not models or not lists:
            raise refuse(name, "it lacks metadata, or the four lists of votes", self.expected)
        for key, votes in lists.items():
            compared = "judge" if key.startswith("J") else "proxy"
            sides = (compared, "reference") if key.endswith("1") else ("reference", compared)
            shared = {
                "judge": models.get("judge"),
                "reference": models.get("reference"),
                "proxy": models.get("proxy") if compared == "proxy" else None,
                "dataset": _DATA_SET_OF_OBJECTS,
                "comparison_type": key,
                "response1_key": sides[0],
                "response2_key": sides[1],
            }
            for row in objects(f"{name}, {key}", votes, self.tally):
                yield Row(row.file, row.number, {**shared, **row.values})

    def _with_proxy(self, row: Row, file: Path) -> Row:
        """Return a row of a file in `<reference>/<proxy>/` with its folder's name where it names no proxy."""
        keys = (row.values.get("response1_key"), row.values.get("response2_key"))
        folder = file.resolve().parent
        is_of_proxy = "proxy" in keys and not row.values.get("proxy")
        if not is_of_proxy or folder.parent.name != row.values.get("reference"):
            return row
        self._counts["folder"] += 1
        return Row(row.file, row.number, {**row.values, "proxy": folder.name})

    def _place(self, file: Path) -> str:
        """Return a file's place, since the names alone are the same in every folder."""
        return file.relative_to(self._folder).as_posix()

    def _is_new(self, key: tuple[str | None, ...], row: Row) -> bool:
        """Return whether no file had this comparison; BadInputError if one had it with another vote."""
        vote = (repr(row.values.get("raw_probs")), row.values.get("category"))
        file, earlier = self._votes.setdefault(key, (row.file, vote))
        if file == row.file:
            return True
        if earlier != vote:
            raise BadInputError(
                f"{row.file}, row {row.number}: the vote on example {key[4]!r} of {key[1]} against "
                f"{key[2]} is {vote[0][:80]}, in {file} it is {earlier[0][:80]}; import one of the two "
                "folders alone"
            )
        self._counts["copies"] += 1
        return False

    def _count(self, probabilities: tuple[float, ...] | None) -> None:
        self._counts["fallback"] += probabilities == _FALLBACK
        self._counts["neither"] += probabilities is not None and sum(probabilities[:2]) == 0


def _comparison(row: Row) -> tuple[str | None, ...] | None:
    """Return data set, judge, reference, proxy, example and order of a vote; None if one is not named."""
    try:
        names = [row.text(name) for name in ("judge", "reference", "example_id", "response1_key")]
        judge, reference, example, first = names
        order = "reference" if first == "reference" else "other"
        return row.maybe_text("dataset"), judge, reference, row.maybe_text("proxy"), example, order
    except BadRowError:
        return None


def _target(row: Row, sides: tuple[str, str], judge: str) -> str:
    """Return the model whose answer is compared with the reference's; BadRowError if the row contradicts."""
    others = [side for side in sides if side != "reference"]
    if len(others) != 1 or others[0] not in ("judge", "proxy"):
        raise BadRowError("response1_key and response2_key are not an answer and the reference", sides)
    game = _GAME.search(row.maybe_text("comparison_type") or "")
    if game and (game[1] == "1") != (sides[1] == "reference"):
        raise BadRowError(
            "comparison_type says another order than response1_key", row.text("comparison_type")
        )
    if others[0] == "judge":
        return judge
    proxy = row.text("proxy")
    if proxy == judge:
        raise BadRowError("the proxy is the judge itself", proxy)
    return proxy


def _probabilities(values: object) -> tuple[float, ...]:
    """Return the probabilities of A, B and, where it was offered, a tie."""
    numbers = [number_of(value) for value in values] if isinstance(values, list) else []
    present = tuple(number for number in numbers if number is not None and 0 <= number <= 1)
    if len(numbers) not in (2, 3) or len(present) != len(numbers):
        raise BadRowError("raw_probs are not two or three probabilities", values)
    return present


def _vote(probabilities: tuple[float, ...], sides: tuple[str, str]) -> dict[str, Any]:
    """Return the vote by its probabilities; the text's first token need not name an answer.

    Where neither answer has any, it is a tie that counts for neither. Without a tie on offer the two need not
    add up to 1: they are normalized, and `p_mass` is their sum.
    """
    one, two, tie = (*probabilities, 0.0)[:3]
    own, other = (two, one) if sides[0] == "reference" else (one, two)
    mass = min(one + two + tie, 1.0)
    if own + other == 0:
        return {"status": "ok", "choice": "tie", "p_generator": 0.5, "p_tie": 1.0, "p_mass": mass}
    choice = "tie"
    if own != other and max(own, other) > tie:
        choice = "generator" if own > other else "opponent"
    vote = {"status": "ok", "choice": choice, "p_generator": own / (own + other), "p_mass": mass}
    return vote | ({"p_tie": tie / (one + two + tie)} if len(probabilities) == 3 else {})


FORMAT = BaselineVotes.as_format(
    "evaluator-quality-baseline",
    "Evaluator quality baseline",
    "https://github.com/djroytburg/sanity_checks_for_self_preference",
    ImportedField("dataset", "instances.category", "also the beginning of instance_id"),
    ImportedField("example_id", "instances.instance_id"),
    ImportedField("judge", "judgments.judge"),
    ImportedField("proxy", "judgments.generator", "of K files; else the judge"),
    ImportedField("reference", "judgments.opponent"),
    ImportedField("response1_key, response2_key", "judgments.first"),
    ImportedField(
        "raw_probs", "judgments.choice, p_generator, p_tie, p_mass", "A, B and, where offered, a tie"
    ),
    ImportedField("generated_text", "judgments.raw", "never the verdict"),
    ImportedField("variant", "judgments.variant", "forced_tie, forced or cot"),
    ImportedField(
        "category",
        "references.met, or preferences.outcome",
        "lsp: the answer is right, ilsp: the reference's",
    ),
    options=(),
    signs=(("comparison_type", "response1_key", "response2_key", "raw_probs"),),
    object_signs=(("metadata.judge", "metadata.reference", "J_vs_R_game1"),),
)
