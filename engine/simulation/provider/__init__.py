"""Simulated models that answer chat messages, so that a whole run works without a key.

- `settings`: what is planted in one model; `oracle`, `telling`: whose text is whose, told before the calls.
- `asked`: what a prompt asks for, read from its messages alone; `judging`, `writing`: the answers' contents.
- `model`: one model answering one call, with its faults; `draws`: chance that repeats itself.

A model sees messages, as any other does. Every draw depends on the model's seed, its name and the messages,
so that a call which is made again has the same answer. Nothing here imports litellm: calls that go through it
are handed on by `engine.judges`, and bulk users may call `SimulatedModel.answer` themselves.
"""

from engine.simulation.provider.model import Answer, SimulatedModel, Trouble
from engine.simulation.provider.oracle import Oracle
from engine.simulation.provider.settings import Planted, planted
from engine.simulation.provider.telling import tell_study

__all__ = ["Answer", "Oracle", "Planted", "SimulatedModel", "Trouble", "planted", "tell_study"]
