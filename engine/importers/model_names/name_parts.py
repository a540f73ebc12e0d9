"""A model's name split up: provider, owner, snapshot, quantisation, and the rest, which names its family."""

import re
import unicodedata
from dataclasses import dataclass, replace

from engine.importers.model_names.family_catalogue import Catalogue

SIZE = re.compile(
    r"(?<![a-z0-9.])(?:\d+x)?\d+(?:[.p]\d+)?b(?![a-z])(?:-?a\d+(?:\.\d+)?b(?![a-z]))?", re.IGNORECASE
)
"""A number of parameters in a name: `8b`, `8x7b`, `30b-a3b`."""


@dataclass(frozen=True, slots=True)
class NameParts:
    """A name split up: `bare` as written, `core` in lower case without snapshot and quantisation."""

    bare: str
    core: str
    owner: str | None
    provider: str | None
    snapshot: str | None
    quantised: str | None
    fine_tuned_by: str | None = None

    @property
    def series(self) -> str:
        """The name as written without snapshot and quantisation."""
        return _SNAPSHOT.sub("", _QUANTISATION.sub("", self.bare))


_REGION = re.compile(r"^(?:us|eu|apac|global|regional|jp|au|ca|us-gov)\.(?=[a-z0-9]+\.)")
_DOTTED_OWNER = re.compile(
    r"^(?P<owner>anthropic|meta|amazon|mistral|cohere|ai21|deepseek|qwen|openai|stability|writer|minimax"
    r"|moonshot|moonshotai|nvidia|google|zai|[a-z][a-z0-9]{2,}(?=.*-v\d:\d+$))\.(?=[a-z])"
)
_ROUTING_TAG = re.compile(
    r":(?:free|nitro|beta|thinking|online|extended|floor|exacto|batch)$|-v\d:\d+$|:latest$|@default$"
    r"|\s*\((?:free|batch|fc|prompt|global|regional|self-moderated|beta)\)$",
    re.IGNORECASE,
)
_SLASH = re.compile(r"(?<!<)/(?![^()]*\))")
"""Separates parts of a path; not within brackets, as in `Claude 3.5 Sonnet (06/20)`, or in a tag's end."""
_BETWEEN = re.compile(r"[-_ :/@+()\[\]{},;|~'\"`\u2018\u2019\u201c\u201d]+")
_MARKS = re.compile("[\u0300-\u036f]")
_ANNOTATOR = re.compile(r"^(?:weighted_)?alpaca_eval_(?=[a-z])")
_SNAPSHOT = re.compile(
    r"[-_@](?P<date>20\d\d[-_]?(?:0[1-9]|1[0-2])[-_]?(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|1[0-2])[-_]20\d\d"
    r"|(?:0[1-9]|1[0-2])[-_](?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"|2[3-6](?:0[1-9]|1[0-2]))(?=$|[-_:])"
)
_QUANTISATION = re.compile(
    r"[-_.:](?P<how>gptq|awq|gguf|ggml|exl[23]|bnb|nf4|nvfp4|mxfp4|fp8|fp4|(?:b?fp|bf)16|int[48]|w[48]a(?:8|16)"
    r"|mlx|native-4bit|(?:bnb-)?[3-8][-_]?bits?|i?q[2-8](?:_[0-9k](?:_[sml]{1,2})?|_k_[sml])?)(?=$|[-_.:])",
    re.IGNORECASE,
)
_PATH_WORDS = ("models", "fireworks", "foundation-model", "inference-profile", "hf", "publishers")


def _plain(text: str) -> str:
    """Return a name without accents, typographic letters and hyphens (`Sabi\u00e1` gives `Sabia`)."""
    decomposed = unicodedata.normalize("NFKD", text).replace("\u2010", "-").replace("\u2013", "-")
    return unicodedata.normalize("NFC", _MARKS.sub("", decomposed))


def split_name(model: str, names: Catalogue) -> NameParts:
    """Split a name into provider, owner, snapshot, quantisation and the rest; drop routing tags."""
    plain = _plain(model).strip()
    is_path = plain.startswith(("/", ".", "~/"))
    pieces = [piece for piece in _SLASH.split(plain) if piece] or [model]
    if not is_path and any(" " in piece for piece in pieces[:-1]):
        pieces = [plain]
    provider = None
    while len(pieces) > 1:
        first = pieces[0].lower().lstrip("~")
        name = names.providers.get("arn" if first.startswith("arn:") else first)
        if name is None and first not in _PATH_WORDS:
            break
        provider, pieces = provider or name, pieces[1:]
    owner = pieces[-2].lower().lstrip("~") if len(pieces) > 1 and not is_path else None
    bare, tuned_by = pieces[-1], None
    if bare.lower().startswith("ft:"):
        _, bare, *parts = bare.split(":")
        tuned_by = parts[0] if parts and parts[0] else "somebody"
    bare = _REGION.sub("", bare)
    if match := _DOTTED_OWNER.match(bare.lower()):
        owner, bare = match["owner"], bare[match.end() :]
        provider = provider or names.providers["bedrock"]
    bare = _ANNOTATOR.sub("", _ROUTING_TAG.sub("", bare))
    core = bare.lower()
    quantised = _QUANTISATION.search(core)
    core = _BETWEEN.sub("-", _QUANTISATION.sub("", core)).strip("-")
    snapshot = _SNAPSHOT.search(core)
    core = _SNAPSHOT.sub("", core).removesuffix("-latest").strip("-")
    core = re.sub(r"(?<=\d)p(?=\d)", ".", core)
    if owner == "deepseek" and re.match(r"[rv]\d", core):
        core = f"{owner}-{core}"
    date, how = snapshot and snapshot["date"], quantised and quantised["how"]
    return NameParts(bare, core, owner, provider, date, how, tuned_by)


def without_maker(parts: NameParts, names: Catalogue) -> NameParts | None:
    """Return a name without the maker or provider that it begins with (`databricks-`); None without one."""
    first, _, rest = parts.core.partition("-")
    if not rest or not (first in names.makers or first in names.providers):
        return None
    bare = re.sub(rf"^{re.escape(first)}[-_ .]+", "", parts.bare, flags=re.IGNORECASE)
    owner = first if first in names.makers else parts.owner
    provider = parts.provider or names.providers.get(first)
    return replace(parts, bare=bare, core=rest, owner=owner, provider=provider)
