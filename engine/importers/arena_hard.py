"""Arena-Hard: judgments of each model against a baseline, in two games."""

from typing import Any, ClassVar

from engine.importers.benches import BenchReader
from engine.importers.reading.format import ImportedField
from engine.importers.reading.rows import (
    BadRowError,
    InstanceRows,
    Row,
    StudyRows,
    text_or_none,
    verdict,
)

BASELINE = "gpt-4-0314"

BASELINES = {"hard_prompt": "o3-mini-2025-01-31", "creative_writing": "gemini-2.0-flash-001"}

"""The default baselines for files that do not name it: of version 2.0 by category, else of version 0.1."""

_LABELS = {
    **dict.fromkeys(("A>>B", "A>B", "B<A", "B<<A"), "A"),
    **dict.fromkeys(("B>>A", "B>A", "A<B", "A<<B"), "B"),
    **dict.fromkeys(("A=B", "B=A"), "tie"),
}


class ArenaHard(BenchReader):
    """Reads judgments of each model against a baseline, in two games."""

    expected = (
        "a judgment file of Arena-Hard-Auto (JSON Lines with question_id or uid, model, judge and games, a "
        "list of objects with score), or the benchmark's folder with question.jsonl, model_answer and "
        "model_judgment"
    )

    keys: ClassVar = {"uid": "category", "question_id": "cluster"}

    def judgment_rows(self, row: Row, key: str) -> StudyRows:
        games, model = row.list_of("games"), row.text("model")
        judge, baseline = self.options.judge or row.text("judge"), self._baseline(row)
        if not 1 <= len(games) <= 2:
            raise BadRowError("not two games", len(games))
        rows = InstanceRows(row.text(key), category=row.maybe_text("category"))
        for place, game in enumerate(games):
            # The baseline is A in the first game, the model in the second.
            first, second = ("generator", "opponent") if place else ("opponent", "generator")
            result: dict[str, Any] = {"status": "error"}
            if game is not None:
                game_row = row.within(f"games[{place}]", game)
                judgment = game_row.values.get("judgment")
                raw = judgment.get("answer") if isinstance(judgment, dict) else judgment
                label = str(game_row.values.get("score")).replace("[", "").replace("]", "").strip()
                winner = {"A": first, "B": second, "tie": "tie"}.get(_LABELS.get(label, ""))
                result = {"raw": text_or_none(raw), **verdict("choice", winner)}
            rows.judgment(judge, "pairwise", model, opponent=baseline, first=first, **result)
        return rows.tables

    def _baseline(self, row: Row) -> str:
        baseline = self.options.baseline or row.maybe_text("baseline")
        if baseline is None and "uid" in row.values:
            baseline = BASELINES.get(str(row.values.get("category")))
            if baseline is not None:
                self.tally.note(f"the baseline is not named: {baseline!r} is taken, that of version 2.0")
        if baseline is None:
            self.tally.note(
                f"the baseline is not named: {BASELINE!r} is taken, that of version 0.1; give --baseline if "
                "it was another"
            )
        return baseline or BASELINE


FORMAT = ArenaHard.as_format(
    "arena-hard",
    "Arena-Hard judgments",
    "https://github.com/lmarena/arena-hard-auto",
    ImportedField("question_id, uid", "instances.instance_id"),
    ImportedField("category, cluster", "instances.category"),
    ImportedField("turns, prompt", "instances.prompt", "question.jsonl"),
    ImportedField("choices, messages", "responses.text", "model_answer"),
    ImportedField("judge", "judgments.judge"),
    ImportedField("model", "judgments.generator"),
    ImportedField("baseline", "judgments.opponent", "if it is not named, --baseline"),
    ImportedField("games[].score", "judgments.choice, first", "game 1: baseline first; null is unparsed"),
    ImportedField("games[].judgment", "judgments.raw"),
    options=("judge", "baseline"),
    signs=(("games", "model", "judge"), ("games", "model", "question_id"), ("games", "uid")),
)
