"""A run's configuration: what is asked of which models, read from TOML and checked before anything is called.

- `fields`: the fields, their bounds and defaults; `secrets`: what looks like a key, and is never shown.
- `load`: TOML into fields, each mistake named with its place, value and choices.

It may import `engine.schema`, `engine.errors`, `engine.store`, `engine.paradigms`, `engine.datasets` and
pydantic.
"""

from engine.config.fields import Drawing, Limits, ModelConfig, PairRule, Price, RunConfig, Sample, Transform
from engine.config.load import load_config, parse_config

__all__ = [
    "Drawing",
    "Limits",
    "ModelConfig",
    "PairRule",
    "Price",
    "RunConfig",
    "Sample",
    "Transform",
    "load_config",
    "parse_config",
]
