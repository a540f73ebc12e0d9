"""What an import says of its models: absent names, several names of one model, judges that may be people."""

import re
from collections.abc import Collection, Iterable, Mapping

from engine.importers.option_spelling import OptionSpelling
from engine.importers.reading.rows import ImportStats
from engine.importers.reading.study_builder import StudyBuilder
from engine.phrases import join_names

_MOST_PAIRS = 5
_PEOPLE = re.compile(r"(human|person|people|annotator|rater|expert|crowd|worker)[-_ ]?\d*$", re.IGNORECASE)


def note_models(tally: ImportStats, builder: StudyBuilder, one_name: Mapping[str, str]) -> str:
    """Note models that are not in the file, and judges that look like people; return what of names of one."""
    corrections = builder.corrections
    if as_before := builder.named_as_before:
        pairs = [f"{old!r} is {new!r}" for old, new in as_before.items()]
        tally.note(f"models are named as in this study's other imports: {join_names(pairs, _MOST_PAIRS)}")
    for model in [name for name in corrections.names if corrections.new_name(name) not in builder.models]:
        tally.note(f"the models file names {model!r}, which the import does not have")
    names_doubt = _of_one_model(one_name, builder, tally.spelling) if one_name else ""
    if names_doubt:
        tally.note(names_doubt, is_doubt=True)
    if people := [name for name in builder.judges if _PEOPLE.match(name)]:
        tally.note(
            f"{', '.join(people[:5])} look like people, not judges: import what they say as references, from "
            f"a table ({tally.spelling.columns({'reference_met': 'FIELD'})}, or "
            f"{tally.spelling.name('preference')}, and {tally.spelling.name('reference_source')})",
            is_caution=True,
        )
    return names_doubt


def spell_families(builder: StudyBuilder, stored: Iterable[str] = ()) -> str:
    """Spell families that were given as known ones, among them the `stored` ones; return what changed."""
    builder.corrections, changed = builder.corrections.with_known_families(builder.models, stored)
    pairs = [f"{old!r} is {new!r}" for old, new in changed.items()]
    return f"families are spelt as others that are known: {join_names(pairs, _MOST_PAIRS)}" if pairs else ""


def _of_one_model(one_name: Mapping[str, str], builder: StudyBuilder, spelling: OptionSpelling) -> str:
    """Return that names may be of one model, whose own answers are then not all known as such."""
    shown = dict([*one_name.items()][:_MOST_PAIRS])
    both = [f"{name!r} ({_roles(name, builder)}) and {model!r} ({_roles(model, builder)})"
            for name, model in shown.items()]  # fmt: skip
    n_more = len(one_name) - len(shown)
    more = f"; so may {n_more:,} more {'pair' if n_more == 1 else 'pairs'}" if n_more else ""
    may_be = f"may {'each ' if len(one_name) > 1 else ''}be one model under two names"
    columns = ("judge", "generator", *(("opponent",) if builder.comparisons else ()))
    remedy = spelling.one_name(shown, columns)
    return (
        f"{', '.join(both)} {may_be}, whose verdicts on its own answers do not count as such{more}; if so, "
        f"give {remedy}"
    )


def _roles(model: str, builder: StudyBuilder) -> str:
    roles: dict[str, Collection[str]] = {"judges": builder.judges, "answers": builder.generators}
    return " and ".join(role for role, models in roles.items() if model in models)
