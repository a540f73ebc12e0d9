"""How our verdicts compare with the official ones; `python -m tests.checkers.agreement` records it.

It writes only the table between the two marks of docs/checkers.md; the data are in `../shared/data/ifeval`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as pq

from engine.checkers.checks_by_id import SHIPPED, make_check
from engine.checkers.counts import Check
from engine.checkers.verdicts import judge

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data" / "ifeval"
PAGE = ROOT / "docs" / "checkers.md"
BEGIN, END = "<!-- agreement: begin -->", "<!-- agreement: end -->"
IFEVAL = SHIPPED[:25]  # rules of other origin come after IFEval's
ASIDE = (1122, 1129, 2785)
"""The official code draws a random letter for `#` and `!` (1122, 1129); 2785 was edited upstream."""


@dataclass(frozen=True)
class Difference:
    """A verdict that differs."""

    checker: str
    key: int
    model: str
    side: str
    ours: bool | None
    official: bool


@dataclass
class Agreement:
    """Verdicts compared, by checker (strict and loose count separately), and those that differ."""

    compared: dict[str, int] = field(default_factory=lambda: dict.fromkeys(IFEVAL, 0))
    differences: list[Difference] = field(default_factory=list)

    @property
    def share(self) -> float:
        """The share of all verdicts that agree."""
        return 1 - len(self.differences) / sum(self.compared.values())


def measure(data: Path = DATA) -> Agreement:
    """Compare all verdicts on the responses of ten models; a null response counts as blank."""
    checks = _checks(data)
    texts = {
        (row["model"], row["key"]): row["response"] or ""
        for row in pq.read_table(data / "responses.parquet").to_pylist()
    }
    agreement = Agreement()
    for row in pq.read_table(data / "verdicts.parquet").to_pylist():
        if row["key"] in ASIDE:
            continue
        checker = row["instruction_id"]
        ours = judge(checks[row["key"], row["index"]], texts[row["model"], row["key"]])
        agreement.compared[checker] += 2
        for side, verdict in (("strict", ours.strict), ("loose", ours.loose)):
            if verdict != row[side]:
                difference = Difference(checker, row["key"], row["model"], side, verdict, row[side])
                agreement.differences.append(difference)
    return agreement


def table(agreement: Agreement) -> str:
    """Return the numbers and the list of differences as Markdown."""
    differing = {name: [d for d in agreement.differences if d.checker == name] for name in IFEVAL}
    lines = ["| checker | verdicts | agree | differ |", "|---|---:|---:|---:|"]
    for name, count in agreement.compared.items():
        bad = len(differing[name])
        lines.append(f"| `{name}` | {count:,} | {100 * (1 - bad / count):.2f} % | {bad or ''} |")
    total = sum(agreement.compared.values())
    lines.append(f"| all | {total:,} | {100 * agreement.share:.2f} % | {len(agreement.differences)} |")
    lines += ["", "| differs | key | model | side | ours | official |", "|---|---:|---|---|---|---|"]
    for d in sorted(agreement.differences, key=lambda d: (d.checker, d.key, d.model, d.side)):
        lines.append(
            f"| `{d.checker}` | {d.key} | {d.model} | {d.side} | {_word(d.ours)} | {_word(d.official)} |"
        )
    return "\n".join(lines) + "\n"


def put_into(page: Path, text: str) -> None:
    """Put the text between the page's two marks."""
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n{text}{END}{after}", "utf-8")


def _checks(data: Path) -> Mapping[tuple[int, int], Check]:
    rows = map(json.loads, (data / "input_data.jsonl").read_text("utf-8").splitlines())
    return {
        (row["key"], place): make_check(checker, kwargs)
        for row in rows
        for place, (checker, kwargs) in enumerate(zip(row["instruction_id_list"], row["kwargs"], strict=True))
    }


def _word(met: bool | None) -> str:
    return "no verdict" if met is None else "met" if met else "not met"


if __name__ == "__main__":
    put_into(PAGE, table(measure()))
