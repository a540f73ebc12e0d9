"""What the name of a column of verdicts says: who decided them, that true is bad, or that it has none."""

from collections.abc import Set

from engine.importers.tables.table_columns import plain

_OF_PROGRAMS = frozenset(
    (
        *("unit_test", "unit_tests", "unittest", "unittests", "tests_passed", "test_passed", "passes_tests"),
        *("passed_tests", "test_result", "test_results", "test_outcome", "tests", "exact_match", "em"),
        *("compiles", "compiled", "executes", "runs_ok", "regex_match", "string_match", "checker_result"),
        *("program_result", "program_verdict", "tests_pass", "all_tests_passed", "pass_tests"),
    )
)
"""Names of columns that have what a program or a test found."""

_OF_KEYS = frozenset(
    (
        *("reference", "answer_key", "key_label", "reference_value", "gold_answer_correct", "label_gold"),
        *("gold_standard", "target", "expected", "expected_verdict", "expected_label", "official_label"),
    )
)
"""Names of columns that have what is true by a key, if their values are verdicts."""

_OF_LOSERS = frozenset(
    ("loser", "lost", "losing", "loses", "rejected", "worse", "worst", "dispreferred", "beaten")
)
"""Words in the name of a column that says who lost a pair."""

_TRUE_IF_OF_NO_JUDGE = frozenset(
    (
        *("correct", "is_correct", "passed", "is_pass", "pass", "met", "is_met", "success", "succeeded"),
        *("criterion_met", "criteria_met", "satisfied", "solved", "is_solved", "ok", "accepted", "resolved"),
        *("answer_correct", "is_right", "right", "valid", "is_valid", "outcome", "result"),
    )
)
"""Names of columns that have verdicts, or what is true if no judge decides their values."""

_OF_PEOPLE = frozenset(
    (
        *("human", "people", "expert", "gold", "annotator", "labeler", "labeller", "crowd", "worker", "sme"),
        *("specialist", "qa", "lawyer", "attorney", "physician", "doctor", "clinician", "nurse", "medic"),
        *("editor", "teacher", "linguist"),
    )
)
"""How the name of a column begins or ends that has what people say is true: `human_stars`."""

_OF_PEOPLE_OR_JUDGES = frozenset(("rater", "reviewer"))
"""The like, for people only where another column has the judges."""

REMARKS = frozenset(
    (
        *("latency", "cost", "tokens", "time", "seconds", "reason", "reasoning", "explanation", "raw"),
        *("confidence", "prob", "response", "text"),
    )
)
"""Words in the name of a column that is about a judge and holds no verdicts."""

_SOMETHING_ELSE = REMARKS | frozenset(
    (
        *("id", "ids", "no", "number", "idx", "index", "name", "names", "n", "count", "counts", "std", "sd"),
        *("var", "variance", "agreement", "kappa", "alpha", "answer", "output", "comment", "note", "notes"),
        *("model", "models", "age", "order", "weight", "run", "batch", "duration", "source"),
    )
)
"""Words in the name of a column that is about people or judges and does not have their verdicts."""

_BAD = frozenset(
    (
        *("violation", "violations", "violated", "violates", "error", "errors", "fail", "fails", "failed"),
        *("failure", "bad", "hallucination", "hallucinations", "hallucinated", "hallucinates", "toxic"),
        *("toxicity", "refused", "refusal", "refuses", "unsafe", "harmful", "harm", "incorrect", "wrong"),
        *("mistake", "mistakes", "bug", "buggy", "defect", "unmet", "biased", "flagged", "rejected"),
        *("flaw", "flaws", "flawed", "fault", "faults", "faulty", "defects", "defective"),
        *("invalid", "unsatisfied", "unfaithful", "irrelevant", "misleading", "noncompliant", "jailbroken"),
    )
)
"""Words of a column's name by which true is bad, most probably."""

_OF_AMOUNT = frozenset(
    (
        *("score", "scores", "rate", "rating", "level", "degree", "severity", "share", "fraction", "percent"),
        *("pct", "prob", "probability", "risk", "index", "mean", "avg", "average", "median", "total"),
        *("count", "counts", "number", "num", "n", "no", "of", "final", "overall"),
    )
)
"""Words beside one for something bad, or of ranks, in the name of a column that says how much there is."""

_RANKS = frozenset(("rank", "ranks", "ranking", "rankings", "place", "placement", "position", "standing"))
"""Words in the name of a column whose lowest value is the best, most probably."""

_NEGATIONS = frozenset(("no", "not", "non", "free", "without"))

_OF_JUDGES = frozenset(
    ("judge", "judged", "judges", "llm", "verdict", "verdicts", "says", "vote", "judgment")
)

_AUTHORS = frozenset(
    (
        *("system", "engine", "author", "writer", "translator", "generator", "responder"),
        *("candidate", "contestant", "assistant", "bot", "chatbot"),
    )
)
"""How the name of a column ends that says who wrote an answer: `mt_system`."""

_OF_ANSWERS = frozenset(
    (
        *("pass", "passed", "passes", "ok", "okay", "good", "success", "succeeded", "successful", "solved"),
        *("accepted", "acceptable", "compliant", "score", "scores", "grade", "mark", "rating"),
    )
)
_RIGHT = frozenset(("correct", "right", "valid"))
"""Words of a column's name by which true may say how the answer did, the latter if no verdict is right."""

_OF_VERDICTS = frozenset(("verdict", "label", "decision", "judgment", "judgement", "met"))

TRUE_OR_FALSE = {"true": "false", "t": "f", "1": "0", "1.0": "0.0", "yes": "no", "y": "n"}
"""Verdicts that do not say by themselves whether they are good, each with its opposite."""


def is_of_program(column: str) -> bool:
    """Return whether a name says that a program or a test decided."""
    return _last(column) in _OF_PROGRAMS


def is_of_key(column: str) -> bool:
    """Return whether a name says that the values are true by a key."""
    return _last(column) in _OF_KEYS


def may_be_true(column: str) -> bool:
    """Return whether a name may say what is true, if no judge decides the values."""
    return _last(column) in _TRUE_IF_OF_NO_JUDGE


def is_of_people(column: str, *, beside_judges: bool) -> bool:
    """Return whether a name begins or ends with a word for people and says that they judged.

    A rater is a person only `beside_judges`, where another column has these.
    """
    words = _last(column).split("_")
    ends = {word.removesuffix("s") for word in (words[0], words[-1])}
    people = _OF_PEOPLE | _OF_PEOPLE_OR_JUDGES if beside_judges else _OF_PEOPLE
    return len(words) > 1 and not ends.isdisjoint(people) and not is_called_something_else(column)


def is_called_something_else(column: str) -> bool:
    """Return whether a name says that the values are no verdicts, whoever they are of."""
    return not _SOMETHING_ELSE.isdisjoint(_last(column).split("_"))


def is_plainly_of_judges(column: str) -> bool:
    """Return whether a name says that judges gave the values."""
    return not _OF_JUDGES.isdisjoint(_last(column).split("_"))


def is_called_author(column: str) -> bool:
    """Return whether the last word of a name is one for what wrote an answer, and none is of judges."""
    return _last(column).split("_")[-1] in _AUTHORS and not is_plainly_of_judges(column)


def is_called_bad(column: str) -> bool:
    """Return whether a name says that something is bad."""
    words = _last(column).split("_")
    return not _BAD.isdisjoint(words) and _NEGATIONS.isdisjoint(words)


def is_amount_of_bad(column: str) -> bool:
    """Return whether a name says how much of something bad there is, and nothing else: `error_rate`."""
    return is_called_bad(column) and {*_last(column).split("_")} <= _BAD | _OF_AMOUNT


def is_rank(column: str) -> bool:
    """Return whether a name is one of ranks, of which the first is the best: `rank`, `mean_rank`."""
    words = {*_last(column).split("_")}
    return not words.isdisjoint(_RANKS) and words <= _RANKS | _OF_AMOUNT


def true_is_bad(column: str, values: Set[str]) -> bool:
    """Return whether a name says that something is bad, and the values leave open which of them is."""
    return is_called_bad(column) and bool(values) and values <= {*TRUE_OR_FALSE, *TRUE_OR_FALSE.values()}


def may_be_of_answer(column: str) -> bool:
    """Return whether true may say, by a column's name, that the answer did well, and not that it does so."""
    words = {*_last(column).split("_")}
    is_right = not words.isdisjoint(_RIGHT) and words.isdisjoint(_OF_VERDICTS)
    is_of_answer = is_right or not words.isdisjoint(_OF_ANSWERS)
    return is_of_answer and words.isdisjoint(_BAD | _NEGATIONS)


def _last(column: str) -> str:
    return plain(column.rpartition(".")[2])


def says_who_lost(column: str) -> bool:
    """Return whether the name of a column is of the one that lost a pair."""
    return not _OF_LOSERS.isdisjoint(plain(column.rpartition(".")[2]).split("_"))
