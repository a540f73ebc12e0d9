"""Asking models: the only place that knows litellm, which it imports at the first call.

- `models`: `Models.ask`, one call with its retries, to a `Reply` or a `Failure`; a model's trouble is never
  raised.
- `gateway`: litellm set up to be quiet, and one call through it; `wire`: what happened on the network below.
- `batches`: many calls handed over at once; `batch_gateway`: litellm's functions for that.
- `replies`, `failures`: litellm's responses and exceptions read; `adapting`: parameters that a model refuses.
- `spec`: what a model's configuration says of calling it; `prices`: dollars for tokens; `secrets`:
  keys kept out of every text.
- `simulated`: `simulated/NAME` models, answered in this process.

Nothing here prints, logs a prompt or keeps a key.
"""

from engine.judges.batches import BatchError, Batches, BatchState
from engine.judges.models import Asked, Models

__all__ = ["Asked", "BatchError", "BatchState", "Batches", "Models"]
