"""A server on 127.0.0.1 that speaks the chat protocol of OpenAI and misbehaves on command.

- `script`: the words of a script, and which of them comes next for a call.
- `http`: one connection: a request read, an answer or its misbehaviour written.
- `batches`: calls handed over in files, and their answers.
- `limits`: limits like those of providers; `pacing`: runs under them, simulated and by a bare client.
- `server`: the server, its counters, and running it in a thread beside a test.
- `responses`: a server that answers with the responses of a test; `spending`: runs under a cap.
- `billing`: a server that keeps the bill, also of answers that are late or cannot be read.
- `likelihoods`: a server that returns log-probabilities of its prompts, like vLLM.
- `continuing`: a server of text completions that gives the probabilities of the next tokens.

`python -m loopback --port 0` (in `tests/`, or `python -m tests.loopback`) runs it as a process of its own; it
prints its address as the first line, and `GET /seen` returns its counters.
"""

from .batches import Batches
from .billing import BillingServer, Charged, billing
from .continuing import Continuations, continuing
from .likelihoods import Likelihoods, weighing
from .responses import Response, ResponseServer, completion_with, giving
from .script import WORDS, Script
from .server import Call, Loopback, running, serving

__all__ = [
    "WORDS",
    "Batches",
    "BillingServer",
    "Call",
    "Charged",
    "Continuations",
    "Likelihoods",
    "Loopback",
    "Response",
    "ResponseServer",
    "Script",
    "billing",
    "completion_with",
    "continuing",
    "giving",
    "running",
    "serving",
    "weighing",
]
