"""Conversations of several turns, answered and judged by simulated models."""

import json
from pathlib import Path

from collect.run.small import write_folder

from engine.collect.configuration.read_config import parse_config
from engine.collect.run.start import run
from engine.store import Store

TURNS = [
    {"role": "system", "content": "Be short."},
    {"role": "user", "content": "Is it warm?"},
    {"role": "assistant", "content": "It is."},
    {"role": "user", "content": "And tomorrow?"},
]
CONTENT = [{"type": "text", "text": "One part."}, {"type": "text", "text": "Another."}]
PARTS = [{"role": "user", "content": CONTENT}]
TEXT = """
study = "s"
data = "{folder}"
generators = ["a", "b", "c"]
judges = ["a", "b"]
paradigms = {paradigms}
[models.a]
model = "simulated/a"
family = "x"
[models.b]
model = "simulated/b"
family = "y"
[models.c]
model = "simulated/c"
family = "z"
"""


def judged(tmp_path: Path, store: Store, paradigms: list[str]) -> None:
    """Let simulated models answer conversations and judge the answers."""
    folder = write_folder(tmp_path / "data", instances=2)
    both = enumerate((TURNS, PARTS))
    prompts = [{"instance_id": f"i0000{n}", "prompt": json.dumps(turns)} for n, turns in both]
    (folder / "instances.jsonl").write_text("".join(json.dumps(row) + "\n" for row in prompts), "utf-8")
    run(parse_config(TEXT.format(folder=folder, paradigms=json.dumps(paradigms))), store)
