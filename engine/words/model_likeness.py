"""Whether places of options attract raters as they attract models, in sentences."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.measures.undefined_reasons import REASONS
from engine.phrases import how_many, part_of
from engine.words.no_numbers import judges_without
from engine.words.pairs import first_few
from engine.words.written_numbers import in_sentence

if TYPE_CHECKING:
    from engine.measures.row_types import ModelLikenessRow

WHAT_IT_SAYS = (
    "This cannot show that a model filled in a form: a person who favours the first or the last place is "
    "attracted too, and a model may not be. Orders must be chosen by chance; few forms show nothing."
)


def likeness_words(rows: "Sequence[ModelLikenessRow]") -> str:
    """Say whose scores are clearly likelier with the pull of models, and of how many whose kind is known."""
    defined = [row for row in rows if row["log_ratio"] is not None]
    if not defined:
        codes = dict.fromkeys(row["reasons"].get("log_ratio") for row in rows)
        reasons = "; ".join(REASONS[code] for code in codes if code in REASONS)
        return f"No rater's scores can be held against those of models here: {reasons}."
    like = sorted((row for row in defined if _is_clear(row)), key=lambda row: -float(row["log_ratio"]))
    ratios = [(row["log_ratio"], row["log_ratio_low"], row["log_ratio_high"]) for row in like]
    names = [f"{row['judge']}, {in_sentence(*ratio)}" for row, ratio in zip(like, ratios, strict=True)]
    scores = f"The scores of {part_of(len(like), len(defined), 'rater')}"
    text = (
        f"{scores} are clearly likelier if places attract the rater as they attract models than with "
        f"{defined[0]['against']}"
    )
    text += f" (natural log of the ratio: {first_few(names, '; ')})." if names else "."
    for kind, several in (("model", "models"), ("person", "people")):
        alike = [row for row in defined if row["known_as"] == kind]
        if alike and len(alike) < len(defined):
            of = f"{len(alike)} known {kind if len(alike) == 1 else several}"
            text += f" Among {of}: {how_many(sum(map(_is_clear, alike)), len(alike))}."
    return " ".join(filter(None, (text, judges_without(defined, "log_ratio_low", "No interval"))))


def _is_clear(row: "ModelLikenessRow") -> bool:
    return row["log_ratio_low"] is not None and row["log_ratio_low"] > 0 and not row["small"]
