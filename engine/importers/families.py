"""Family, maker and origin of a model, inferred from its name."""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.importers.model_names.family_catalogue import Catalogue, Family, Tuning, catalogue, first_match
from engine.importers.model_names.name_parts import SIZE, NameParts, split_name, without_maker
from engine.importers.model_names.name_remarks import models_before_remarks

State = Literal["sure", "unsure", "unknown"]

_AFTER_ITS_NAME = "no known family, so called after its name"


@dataclass(frozen=True, slots=True)
class ModelName:
    """What a model's name says.

    `family` is never empty: if `state` is `unknown` it is the stem of the name. `maker` made the pretrained
    weights, `tuner` tuned them. `base_model` is the pretrained model and `tuned_from` the model that was
    tuned; `distilled_from` are the models whose outputs it was trained on. Each is None, or empty, if the
    name does not say. `twin` is the name without provider, snapshot and quantisation: models with the same
    twin are one model in several forms.
    """

    model: str
    family: str
    state: State
    twin: str
    maker: str | None = None
    tuner: str | None = None
    provider: str | None = None
    base_model: str | None = None
    tuned_from: str | None = None
    distilled_from: tuple[str, ...] = ()
    snapshot: str | None = None
    quantised: str | None = None
    reason: str = ""

    @property
    def words(self) -> str:
        """What the name says beyond the family, in words."""
        parts = [
            f"snapshot {self.snapshot}" if self.snapshot else "",
            f"quantised ({self.quantised})" if self.quantised else "",
            f"tuned by {self.tuner}" if self.tuner else "",
            f"tuned from {self.tuned_from}" if self.tuned_from else "",
            f"trained on outputs of {', '.join(self.distilled_from)}" if self.distilled_from else "",
            f"not sure: {self.reason}" if self.state == "unsure" else "",
            _AFTER_ITS_NAME if self.state == "unknown" else "",
        ]
        return ", ".join(part for part in parts if part)

    @property
    def question(self) -> str | None:
        """The question that people must answer about the family; None if it is sure."""
        if self.state == "sure":
            return None
        return f"{self.model}: {self.family!r}? {self.reason or _AFTER_ITS_NAME}"


@lru_cache(maxsize=4096)
def resolve(model: str) -> ModelName:
    """Return what a model's name says about its family, maker, provider and what it was trained from.

    Providers, owners, snapshots and quantisation are split off; the rest is matched against the words of
    families and tunings. The state is `unsure`, which becomes a question, if the name has words of several
    families, if its makers used the name for several, or if only its size suggests a family, from somebody
    who is not a known maker. It is `unknown` if no word is known: the family is then the name's stem, which
    `zog-chat-7b` shares with `Zog-2`.
    """
    names = catalogue()
    parts = split_name(model, names)
    families, tuning = _matches(parts.core, names)
    while not families and tuning is None and (shorter := without_maker(parts, names)):
        parts = shorter
        families, tuning = _matches(parts.core, names)
    family, reason, teachers = _family_of(families, tuning, parts, names)
    state: State = "unsure" if reason else "sure"
    if family is None:
        family = next((each.name for each in names.families if parts.owner in each.owners), None)
    if family is None:
        family, state = _by_size(parts, names), "unsure"
        reason = f"nothing but its size says so; {stem(parts.bare)!r} otherwise"
        if family is None:
            state, reason = "unknown", ""
    family = family or stem(parts.bare)
    base, parent = _lineage(parts, family, tuning, names)
    entry = names.family(family)
    owner = names.makers.get(parts.owner) if parts.owner else None
    return ModelName(
        model=model,
        family=family,
        state=state,
        twin=parts.core,
        maker=entry.maker if entry else owner or parts.owner or None,
        tuner=parts.fine_tuned_by or (tuning.tuner if tuning else None),
        provider=parts.provider or (owner if entry and entry.kind == "closed" else None),
        base_model=base,
        tuned_from=parent,
        distilled_from=teachers,
        snapshot=parts.snapshot,
        quantised=parts.quantised,
        reason=reason,
    )


def _matches(core: str, names: Catalogue) -> tuple[list[Family], Tuning | None]:
    """Return the families in the order of their words, a longer word hiding one inside it, and the tuning."""
    tuning = next((each for each in names.tunings if first_match(each.words, core)), None)
    spans = [
        (match.start(), match.end(), family)
        for family in names.families
        for word in family.patterns
        for match in word.finditer(core)
        if match.group()
    ]
    visible = [
        (start, end, family)
        for start, end, family in spans
        if not any(
            other is not family and low <= start and end <= high and high - low > end - start
            for low, high, other in spans
        )
    ]
    families = dict.fromkeys(family for _, _, family in sorted(visible, key=lambda span: span[:2]))
    return list(families), tuning


def _by_size(parts: NameParts, names: Catalogue) -> str | None:
    """Return the family whose weights are mostly tuned at a name's size; None if the size says nothing.

    It says nothing if the owner is a known maker or names models after itself, and so trains its own weights.
    """
    size = SIZE.search(parts.core)
    if size is None or parts.owner is None or parts.owner in names.makers:
        return None
    owner, series = (re.sub(r"[^a-z]", "", text) for text in (parts.owner, stem(parts.bare)))
    if owner.startswith(series[:5]) or series.startswith(owner[:5]):
        return None
    return names.sizes.get(size[0].lower().partition("b")[0])


def _family_of(
    families: list[Family], tuning: Tuning | None, parts: NameParts, names: Catalogue
) -> tuple[str | None, str, tuple[str, ...]]:
    """Return the family, the reason it is not sure, and the teachers.

    The family is None if no word is known, and empty if the words leave it open. The reason is empty if the
    family is sure.
    """
    teachers = tuning.teachers if tuning else ()
    several = "models of that name have several bases"
    if tuning is not None and tuning.firm:
        return tuning.family, several if tuning.unsure else "", teachers
    open_, closed, brands = (
        [family.name for family in families if family.kind_in(parts.core) == kind]
        for kind in ("open", "closed", "brand")
    )
    holds = f"its name holds {' and '.join(family.name for family in families)}"
    borrowed = f"{holds}, as names of others' models do too"
    if len(open_) == 1 and not closed:
        is_doubtful = tuning is None and _is_borrowed(families, parts, names)
        return open_[0], borrowed if is_doubtful else "", teachers
    if len(open_) == 1:
        # Only its maker can tune a closed model: named after open weights with a size, it is a teacher.
        is_teacher = families[0].name == open_[0] and SIZE.search(parts.core) and "+" not in parts.bare
        return open_[0], "" if is_teacher else holds, (*teachers, *closed)
    if len(open_) > 1:
        parents = open_[:-1] if "distill" in parts.core else []
        return open_[-1], holds, (*teachers, *parents, *closed)
    if tuning is not None and (tuning.family or not closed):
        is_doubtful = tuning.unsure or not tuning.family
        return tuning.family, holds if closed else several if is_doubtful else "", (*teachers, *closed)
    if candidates := closed or brands:
        if _is_borrowed(families, parts, names):
            return candidates[0], borrowed, teachers
        return candidates[0], holds if len(candidates) > 1 else "", teachers
    return None, "", ()


def _is_borrowed(families: list[Family], parts: NameParts, names: Catalogue) -> bool:
    """Return whether somebody else may have used a family's word in the name of their own model.

    A brand after another name may only say how that model was tuned. A closed family's word in a name with a
    size, or after a stranger's name, may only say whose outputs it was trained on.
    """
    family, core = families[0], parts.core
    while not (leads := any(word.match(core) for word in family.patterns)):
        first, _, rest = core.partition("-")
        if not rest or not (first in names.makers or first in names.providers):
            break
        core = rest
    stranger = parts.owner is not None and parts.owner not in names.makers
    size = SIZE.search(core)
    if family.loose and not first_match(family.words, core):  # only words that others use as well
        return stranger or not leads
    kind = family.kind_in(core)
    if kind == "closed":
        return bool(stranger and size) or bool((stranger or size) and not leads)
    if kind == "brand":
        return not leads
    word = first_match(family.patterns, core)
    follows_size = size is not None and word is not None and word.start() > size.end() + 1
    is_distilled = size is None and "distill" in core
    before_size = follows_size and not SIZE.search(core, word.start() if word else 0)
    return stranger and (is_distilled or before_size)


_CHAT = re.compile(r"[-_. ](?:instruct|chat|it|hf|thinking)(?:[-_]hf)?(?=$|[-_.: ])", re.IGNORECASE)
_VERSION = re.compile(r"^[-_]v\d+(?:\.\d+)*", re.IGNORECASE)


def _lineage(
    parts: NameParts, family: str, tuning: Tuning | None, names: Catalogue
) -> tuple[str | None, str | None]:
    """Return the pretrained model and the model that was tuned, each None if nothing names it."""
    if parts.fine_tuned_by:
        return None, parts.bare
    size = SIZE.search(parts.core)
    if tuning is not None and tuning.family == family and (tuning.base or tuning.parent):
        return _with_size(tuning.base, size), _with_size(tuning.parent, size)
    entry = names.family(family)
    bare = parts.series
    word = (
        first_match(entry.patterns, bare.lower().replace("_", "-"))
        if entry and entry.kind == "open"
        else None
    )
    if word is None:
        return None, None
    tail = bare[word.start() :]
    chat, size = _CHAT.search(tail), SIZE.search(tail)
    if chat is not None:
        parent, rest = tail[: chat.end()], tail[chat.end() :]
        if version := _VERSION.match(rest):
            parent, rest = parent + version[0], rest[version.end() :]
        return tail[: chat.start()], parent if rest or word.start() else None
    if size is not None and (word.start() or tail[size.end() :].strip("-_. ")):
        end = size.end()
        if version := _VERSION.match(tail[end:]):
            end += version.end()
        return (tail[:end], None) if word.start() or tail[end:] else (None, None)
    return None, None


def _with_size(name: str | None, size: re.Match[str] | None) -> str | None:
    """Return a model's name, with the size of the model tuned from it if it has none itself."""
    if name is None or size is None or SIZE.search(name.lower()):
        return name
    return f"{name}-{size[0].upper()}"


def stem(model: str) -> str:
    """Return what the names of an unknown maker's models share: the first word that is not general.

    Case, digits at its end, and what follows are left out: `MiniMax-Text-01` and `minimax-m2` give `minimax`.
    General words before it (`my`, `open`, `tiny`) are kept; a name with only these is returned unchanged.
    """
    words: list[str] = []
    for token in re.findall(r"(?:</|[^-_ ./:@+])+", model.lower()):
        word = re.sub(r"[\d.]+[bkm]?$", "", token)
        if not word:
            if words:
                break
            continue
        words.append(word)
        if word not in catalogue().general:
            return "-".join(words)
    return model


def spelling_key(name: str) -> str:
    """Return what spellings of one name share, without letter case, quotes and the signs between words.

    `Claude 3.5 Sonnet` is `claude-3-5-sonnet`.
    """
    return re.sub(r"[-._\s'\"`\u2018\u2019\u201c\u201d]+", "-", name).strip("-").casefold()


def _without_path(name: str) -> str:
    """Return the spelling of a name without the providers and owners before its last slash."""
    return spelling_key(name.rpartition("/")[2])


def other_names(
    models: Iterable[str],
    judges: Collection[str],
    authors: Collection[str],
    are_side_by_side: Callable[[str, str], bool] = lambda one, other: True,  # noqa: ARG005 - of any two
) -> dict[str, list[str]]:
    """Return models that judge or answer under a name of their own, and may be another one: by that one.

    A judge without answers may be the author whose name differs from its own only as those of `twins` do; an
    author that does not judge may be a judge whose name is spelt otherwise or has another provider, and any
    of the twins that no judge was shown on one question with it, as `are_side_by_side` says. A judge may also
    be the author with whose name its own begins, before words such as `says`.
    """
    others: dict[str, list[str]] = {}
    for group in twins(models):
        answering = [model for model in group if model in authors]
        both = [model for model in answering if model in judges]
        for model in group:
            if model not in authors:
                targets = both or answering
            elif model not in judges:
                name = _without_path(model)
                targets = [
                    each for each in both if _without_path(each) == name or not are_side_by_side(model, each)
                ]
            else:
                continue
            if targets:
                others.setdefault(targets[0], []).append(model)
    by_another = {name for names in others.values() for name in names}
    alone = [model for model in judges if model not in authors and model not in by_another]
    for judge, author in models_before_remarks(alone, authors).items():
        others.setdefault(author, []).append(judge)
    return others


def twins(models: Iterable[str]) -> list[list[str]]:
    """Return groups of models whose names differ only by snapshot, quantisation, provider or spelling.

    They are shown together, since it is debatable which responses are then a judge's own.
    """
    groups: dict[str, list[str]] = {}
    for model in models:
        groups.setdefault(spelling_key(resolve(model).twin), []).append(model)
    return [group for group in groups.values() if len(group) > 1]


NEW_NAME, QUESTION = "name", "question"
"""Columns of a models file: a model's name in the study, and the open question, which is not read."""
