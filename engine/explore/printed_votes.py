"""Printed numbers that follow from judgments: which measure of a study gives each of a table's cells."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from engine.explore import published
from engine.explore.published import model_names, printed_cells
from engine.importers.formats import baseline_votes, dbg_files

if TYPE_CHECKING:
    from engine.arrays.study_arrays import StudyArrays

RUBRICS, BASELINE, DBG = published.PAPER, "evaluator-quality-baseline", "dbg-score"
PAPERS = {baseline_votes.FORMAT.source: BASELINE, dbg_files.FORMAT.source: DBG}
"""The papers, by the source that an import of their files has."""

Options = Mapping[str, Any]
OverJudges = Literal["n", "above", "below", "share_above", "mean"]
"""A number of all judges: how many have it, how many above or below 0, the share above, the mean."""

OVER_JUDGES: Mapping[OverJudges, Callable[[Sequence[float]], float]] = {
    "n": len,
    "above": lambda values: sum(value > 0 for value in values),
    "below": lambda values: sum(value < 0 for value in values),
    "share_above": lambda values: sum(value > 0 for value in values) / len(values),
    "mean": lambda values: sum(values) / len(values),
}


@dataclass(frozen=True)
class PrintedCell:
    """One printed number, and the measure, its options, row and field that give it.

    The field is multiplied by `scale`, of its complement to 1 if `complement`. `over_judges` counts or
    averages it over all judges that have it, in place of one judge's. `measure` is None where no file of the
    paper that is read has the votes behind it.
    """

    table: str
    row: str
    column: str
    text: str
    measure: str | None = None
    options: Options = field(default_factory=dict)
    judge: str = ""
    opponent: str | None = None
    field_name: str = ""
    scale: float = 1.0
    complement: bool = False
    over_judges: OverJudges | None = None

    def value_in(self, rows: Iterable[Mapping[str, Any]]) -> float | None:
        """Return the number behind the cell from its measure's rows; None where they have none."""
        if self.over_judges is None:
            place = (self.judge, self.opponent)
            row = next((row for row in rows if (row["judge"], row.get("opponent")) == place), None)
            return None if row is None else row[self.field_name]
        pooled = [row[self.field_name] for row in rows if row["judge"] and row.get("opponent") is None]
        values = [value for value in pooled if value is not None]
        return OVER_JUDGES[self.over_judges](values) if values else None

    def as_printed(self, value: float) -> str:
        """Return a computed value as the paper would print it: with its decimals, or as below its bound."""
        number = self.scale * (1 - value if self.complement else value)
        if self.text.startswith("<"):
            return self.text if number < float(self.text[1:]) else f"{number:.3f}"
        result = f"{number:.{len(self.text.partition('.')[2])}f}"
        return result.removeprefix("-") if float(result) == 0 else result

    def is_reproduced(self, value: float) -> bool:
        """Return whether a computed value has the printed digits; 0 and -0 are the same."""
        computed = self.as_printed(value)
        is_bound = self.text.startswith("<")
        return computed == self.text if is_bound else float(computed) == float(self.text)


def paper_of(study: "StudyArrays") -> str | None:
    """Return the paper whose own judgments a study holds; None for any other study."""
    if published.dataset_of(study) is not None:
        return RUBRICS
    return PAPERS.get(study.info.source or "")


def tables_of(study: "StudyArrays") -> tuple[str, ...]:
    """Return the tables of the study's paper whose numbers follow from its votes, in printed order."""
    return tuple(dict.fromkeys(cell.table for cell in cells_of(study)))


def cells_of(study: "StudyArrays") -> tuple[PrintedCell, ...]:
    """Return the cells of the tables of a study's paper, in printed order; none for a study of no paper."""
    paper = paper_of(study)
    return () if paper is None else cells_in(paper, published.dataset_of(study))


def cells_in(paper: str, dataset: str | None = None) -> tuple[PrintedCell, ...]:
    """Return the cells of a paper's tables of votes, in printed order; the rubric paper's of one data set."""
    models = model_names(paper)

    def cell(row: Mapping[str, str]) -> PrintedCell | None:
        if paper == RUBRICS:
            return _rubrics_cell(row, models, str(dataset))
        return _baseline_cell(row, models) if paper == BASELINE else _dbg_cell(row, models)

    cells = (cell(row) for row in printed_cells(paper) if row["table"] in TABLES[paper])
    return tuple(each for each in cells if each is not None)


TABLES = {
    RUBRICS: ("Table 1", "Table 2"),
    BASELINE: ("Table 1", "Table 9", "Table 10", "Table 11", "Table 12", "Table 13"),
    DBG: ("Table 2", "Table 3"),
}
"""The tables whose numbers follow from votes."""

_BY_EXAMPLE = (
    "On MATH500, MBPP+ and MMLU an example counts once, with the mean of its proxies (pool examples); on the "
    "others each pair of an example and a proxy does (pool pairs). p is one-sided."
)
NOTES = {
    (RUBRICS, "Table 1"): (
        "Single criteria, whole study, no filters.",
        "The paper's family ratio includes the judge itself; hspp_family is that of its family alone.",
    ),
    (RUBRICS, "Table 2"): (
        "Single criteria, whole study, no filters.",
        "Of lost comparisons that the judge overestimated, l2w became wins; the rest, l2t, became ties.",
    ),
    (BASELINE, "Table 1"): (
        _BY_EXAMPLE,
        "A row pools all references: a study with some of them gives another number.",
        "On QuALITY each pair of an example and a proxy counts with the judge's own vote repeated.",
        "On CNN and XSUM the two probabilities do not quite add up to 1; here they are normalized.",
    ),
    **dict.fromkeys(
        ((BASELINE, "Table 9"), (BASELINE, "Table 10"), (BASELINE, "Table 11")),
        (
            "A row for each judge, a column for each reference model; in brackets in the paper is orig.",
            "Each pair of an example and a proxy counts once (pool pairs), unlike in Table 1.",
        ),
    ),
    (BASELINE, "Table 12"): (
        "Of the judges in this study with lost and won examples: the entropy gap, and how many above 0.",
        "The row Overall is not computed: its printed counts do not add up.",
    ),
    (BASELINE, "Table 13"): (
        "Each pair of an example and a proxy counts once (pool pairs). p is one-sided.",
    ),
    (DBG, "Table 2"): ("AlpacaEval. Gold judges by their mean vote over both orders, ties one half.",),
    (DBG, "Table 3"): ("AlpacaEval: how often the first model lets its own answer win over the second's.",),
}
"""What each table's numbers rest on, and why some may differ."""

_RUBRIC_FIELDS: Mapping[str, tuple[str, str]] = {
    "MRA": ("accuracy", "mra"),
    "HSPP-Rub. (Self)": ("hspp", "hspp_self"),
    "HSPP-Rub. (Fam.)": ("hspp", "hspp_family_with_self"),
}
_TURNED_FIELDS = {"Self": "l2w_share_self", "Other": "l2w_share_other"}
"""The share of overestimated comparisons that became wins; ties (l2t) are its complement."""

_BASELINE_FIELDS = {
    "ILSP orig (%)": ("ilsp_matched", 100.0),
    "ILSP upd (%)": ("ilsp_updated", 100.0),
    "N": ("n", 1.0),
    "Rel. change (%)": ("relative_change", 1.0),
    "p": ("p", 1.0),
}
_RIGHT_OR_WRONG = {"variant": "forced_tie", "reference": "program"}
_BETTER = {"variant": "forced", "pool": "pairs"}
_DATA_SETS: Mapping[str, Options] = {
    "MATH500": {"category": ["math500"], **_RIGHT_OR_WRONG},
    "MBPP+": {"category": ["mbpp-plus"], **_RIGHT_OR_WRONG},
    "MMLU": {"category": ["mmlu"], **_RIGHT_OR_WRONG},
    "Quality": {"category": ["quality"], "variant": "forced", "reference": "program", "pool": "pairs"},
    "Alpaca Eval": {"category": ["alpaca_eval"], **_BETTER},
    "(Trans)": {"category": ["translation"], **_BETTER},
    "(Truth)": {"category": ["truthfulness"], **_BETTER},
    "CNN": {"category": ["cnn"], **_BETTER},
    "XSUM": {"category": ["xsum"], **_BETTER},
}
_BY_REFERENCE: Mapping[str, Options] = {
    table: {"category": [category], **_RIGHT_OR_WRONG, "pool": "pairs"}
    for table, category in (("Table 9", "math500"), ("Table 10", "mbpp-plus"), ("Table 11", "mmlu"))
}
"""The options of the tables with a column for each reference model."""

_REFERENCE_FIELDS = {"orig": "ilsp_matched", "upd": "ilsp_updated"}
_GAP_COLUMNS: Mapping[str, tuple[OverJudges, float]] = {
    "N": ("n", 1.0),
    "Pos.": ("above", 1.0),
    "Neg.": ("below", 1.0),
    "% Pos.": ("share_above", 100.0),
    "Mean entropy gap": ("mean", 1.0),
}
_WITH_THOUGHT = {"variant": "cot", "reference": "program", "pool": "pairs"}
_DATA_SETS_WITH_THOUGHT: Mapping[str, Options] = {
    "Math500": {"category": ["math500"], **_WITH_THOUGHT},
    "MMLU": {"category": ["mmlu"], **_WITH_THOUGHT},
    "MBPP-Plus": {"category": ["mbpp-plus"], **_WITH_THOUGHT},
}
"""The options by which the authors' numbers are computed, by the data set in a row's name."""


def _rubrics_cell(row: Mapping[str, str], models: Mapping[str, str], dataset: str) -> PrintedCell | None:
    """Return a cell of the rubric paper's tables; None for a column of another data set.

    Its Table 2 is of IFEval only.
    """
    options: dict[str, Any] = {"paradigm": "single_rubric"}
    judge, column = models.get(row["row"], ""), row["column"]
    if row["table"] == "Table 2":
        whose, kind, _ = column.split(" ")
        if dataset != "IFEval" or whose not in _TURNED_FIELDS:
            return None
        place, options["level"] = (row["table"], row["row"], column, row["value"]), "instance"
        field_name, complement = _TURNED_FIELDS[whose], kind == "l2t"
        return PrintedCell(*place, "hspp", options, judge, None, field_name, 100.0, complement)
    name = column.removeprefix(f"{dataset} ")
    if name == column or name not in _RUBRIC_FIELDS:
        return None
    measure, field_name = _RUBRIC_FIELDS[name]
    return PrintedCell(
        row["table"], row["row"], name, row["value"], measure, options, judge, None, field_name
    )


def _gap_cell(row: Mapping[str, str]) -> PrintedCell | None:
    """Return a cell of the table of entropy gaps; None for its row over all data sets."""
    options = {each["category"][0]: each for each in _DATA_SETS.values()}.get(row["row"])
    if options is None:
        return None
    number, scale = _GAP_COLUMNS[row["column"]]
    place = (row["table"], row["row"], row["column"], row["value"])
    return PrintedCell(
        *place, "quality-baseline", options, "", None, "entropy_gap", scale, over_judges=number
    )


def _baseline_cell(row: Mapping[str, str], models: Mapping[str, str]) -> PrintedCell | None:
    """Return a cell of the quality baseline's tables; without a measure if its votes cannot be read."""
    if row["table"] == "Table 12":
        return _gap_cell(row)
    place = (row["table"], row["row"], row["column"], row["value"])
    if row["table"] in _BY_REFERENCE:
        reference, kind, _ = row["column"].rsplit(" ", 2)
        settings, name = _BY_REFERENCE[row["table"]], _REFERENCE_FIELDS[kind]
        return PrintedCell(*place, "quality-baseline", settings, row["row"], reference, name, 100.0)
    data_sets = _DATA_SETS if row["table"] == "Table 1" else _DATA_SETS_WITH_THOUGHT
    parts = row["row"].split(" / ")
    options = data_sets.get(parts[0]) or data_sets.get(row["row"].rpartition(" ")[2])
    name, scale = _BASELINE_FIELDS[row["column"]]
    if options is None or row["row"] not in models:
        return PrintedCell(*place)
    return PrintedCell(*place, "quality-baseline", options, models[row["row"]], None, name, scale)


def _dbg_cell(row: Mapping[str, str], models: Mapping[str, str]) -> PrintedCell | None:
    """Return a cell of the DBG tables: of a pair "A, B" the judge's or the gold judges' share of wins."""
    one, two = (models.get(name, name) for name in row["row"].split(", "))
    options: dict[str, Any] = {"category": ["alpaca_eval"], "variant": "default"}
    judge, opponent, name, complement = one, two, "win_rate", False
    if row["table"] == "Table 3":
        options["variant"] = dbg_files.FEWSHOT if row["column"].startswith("Few-shot") else "default"
    else:
        winner, _, by = row["column"].partition(" wins by ")
        if by.startswith("Gold"):
            name = "gold_win_rate"
        elif by.startswith("Model B"):
            judge, opponent = two, one
        complement = winner != ("A" if judge == one else "B")
    place = (row["table"], row["row"], row["column"], row["value"])
    return PrintedCell(*place, "dbg", options, judge, opponent, name, 100.0, complement)
