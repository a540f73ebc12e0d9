"""Families guessed from models' names, and what of a name made the guess; people correct it in a CSV file.

What is guessed: the family (by the words of the name), the provider's prefix, a date of a snapshot, a
quantisation, and a fine-tune. Models whose names differ by date or quantisation only are told of: for them
«its own response» is a question to think about.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine import schema
from engine.errors import BadInputError, bad_row
from engine.text_files import text_of

NAMED = "name"
"""The column of a models file that renames a model: the name that it shall have in the study."""

_FAMILIES = (
    # Names that hold another family's name come first: a distilled or tuned model is kin to its base.
    ("Qwen", r"qwen|qwq|qvq|openthinker|marco-?o1"),
    (
        "Llama",
        r"llama|vicuna|alpaca(?!_?eval)|koala|guanaco|wizardlm|tulu|nemotron|hermes|openbuddy|stable-?beluga",
    ),
    ("Gemma", r"gemma"),
    ("Gemini", r"gemini|palm|bard|bison"),
    ("Mistral", r"mi[sx]tral|ministral|codestral|magistral|devstral|zephyr|openchat|starling"),
    ("Claude", r"claude"),
    ("GPT", r"gpt(?!-?j|-?neo)|davinci|text-(?:ada|babbage|curie)|(?:^|[^a-z0-9])o[134](?:$|[^a-z0-9])"),
    ("DeepSeek", r"deepseek"),
    ("Grok", r"grok"),
    ("Command", r"command-?(?:r|a|light|nightly|xlarge)|(?:^|[^a-z])c4ai|(?:^|[^a-z])aya"),
    ("Phi", r"(?:^|[^a-z])phi(?:$|[^a-z])"),
    ("Yi", r"(?:^|[^a-z])yi(?:$|[^a-z])"),
    ("GLM", r"glm"),
    ("Kimi", r"kimi|moonshot"),
    ("Falcon", r"falcon"),
    ("OLMo", r"olmo"),
    ("Granite", r"granite"),
    ("Nova", r"(?:^|[^a-z])nova(?:$|[^a-z])"),
    ("Jamba", r"jamba"),
    ("MPT", r"(?:^|[^a-z])mpt(?:$|[^a-z])"),
    ("Pythia", r"pythia|dolly|oasst|open-?assistant"),
    ("InternLM", r"internlm"),
    ("Baichuan", r"baichuan"),
)
_BY_FAMILY = tuple((family, re.compile(pattern)) for family, pattern in _FAMILIES)

_DATE = re.compile(
    r"[-_@](?P<date>20\d\d[-_]?(?:0[1-9]|1[0-2])[-_]?(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|1[0-2])[-_]20\d\d"
    r"|(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|2[3-6](?:0[1-9]|1[0-2]))(?=$|[-_:])"
)
_QUANTISED = re.compile(
    r"[-_.:](?P<how>gptq|awq|gguf|ggml|exl2|bnb|nf4|fp8|fp4|(?:b?fp|bf)16|int[48]|w[48]a(?:8|16)"
    r"|[48][-_]?bits?|i?q[2-8](?:_[0-9k](?:_[sml])?|_k_[sml])?)(?=$|[-_.:])",
    re.IGNORECASE,
)
_TUNED = re.compile(
    r"distill|vicuna|alpaca(?!_?eval)|koala|guanaco|wizardlm|tulu|hermes|zephyr|dolly|openchat|starling|beluga"
    r"|[-_](?:dpo|sft|ppo|rlhf|orpo|simpo|kto|lora|qlora|finetuned?|ft|uncensored|abliterated)(?=$|[-_])"
    r"|^ft:",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Guess:
    """What a model's name tells.

    `twin` is the name without date and quantisation; `known` says whether the family was recognised.
    """

    model: str
    family: str
    known: bool
    twin: str
    date: str | None = None
    quantised: str | None = None
    tuned: bool = False

    @property
    def words(self) -> str:
        """What was found in the name, for people."""
        parts = [
            f"snapshot {self.date}" if self.date else "",
            f"quantised ({self.quantised})" if self.quantised else "",
            "fine-tune or distilled" if self.tuned else "",
            "" if self.known else "family not recognised: it stands alone",
        ]
        return ", ".join(part for part in parts if part)


def guess(model: str) -> Guess:
    """Return what a model's name tells."""
    bare = model.rpartition("/")[2].lower()
    quantised = _QUANTISED.search(bare)
    bare = _QUANTISED.sub("", bare)
    date = _DATE.search(bare)
    twin = _DATE.sub("", bare).removesuffix("-latest")
    family = next((family for family, pattern in _BY_FAMILY if pattern.search(model.lower())), None)
    return Guess(
        model,
        family or model,
        family is not None,
        twin,
        date["date"] if date else None,
        quantised["how"] if quantised else None,
        bool(_TUNED.search(model)),
    )


def twins(models: Iterable[str]) -> list[list[str]]:
    """Return groups of models whose names differ by date, quantisation or provider's prefix only."""
    groups: dict[str, list[str]] = {}
    for model in models:
        groups.setdefault(guess(model).twin, []).append(model)
    return [group for group in groups.values() if len(group) > 1]


@dataclass(frozen=True, slots=True)
class Corrections:
    """What a models file says: the rows of `models` by the name in the study, and how names are changed."""

    rows: Mapping[str, Mapping[str, str]]
    names: Mapping[str, str]

    def named(self, model: str) -> str:
        """Return the name that a model of the file shall have."""
        return self.names.get(model, model)

    def row(self, model: str) -> dict[str, Any]:
        """Return the row of `models`: what the file says, else the guessed family."""
        said = dict(self.rows.get(model, {}))
        said.setdefault("family", guess(model).family)
        return {"model": model, **said}


NONE = Corrections({}, {})


def read_corrections(path: Path) -> Corrections:
    """Read a models file: CSV with `model`, and of `family`, `name` and the columns of `models` any.

    Raises BadInputError that names the row and the column.
    """
    try:
        lines = list(csv.DictReader(io.StringIO(text_of(path), newline=""), restkey="", restval=""))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInputError(f"{str(path)!r} cannot be read ({error}); give a CSV file of models") from error
    allowed = (*schema.MODELS.names, NAMED)
    rows: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        for column in line:
            if column not in allowed:
                told = f"there is a column {column!r}" if column else "it has more cells than the header"
                raise bad_row(path.name, number, told, f"give some of {', '.join(allowed)}")
        model = line.get("model", "")
        if not model or model in names:
            told = f"the model is {model!r}" + (", which stands there twice" if model else "")
            raise bad_row(path.name, number, told, "give each model as the imported file names it, once")
        names[model] = name = line.get(NAMED) or model
        said = {c: v for c, v in line.items() if v and c not in ("model", NAMED)}
        if rows.setdefault(name, said) != said and said:
            rows[name] = {**rows[name], **said}
    if not lines:
        raise BadInputError(f"{path.name}: it has no row; give the columns {', '.join(allowed)}")
    return Corrections(rows, names)


def as_csv(models: Iterable[str]) -> str:
    """Return a models file with the guesses, to be corrected."""
    import io

    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["model", "family", NAMED])
    writer.writerows([model, guess(model).family, ""] for model in models)
    return text.getvalue()
