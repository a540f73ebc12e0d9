"""Clients that send the same questions to one server, each in a process of its own.

`python callers.py litellm|judges|inspect URL CALLS CONCURRENCY`. The part for inspect_ai imports nothing
else, since it runs in another environment.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator

QUESTION = 'Does the answer meet the criterion? Say {"criteria_met": true} or {"criteria_met": false}.'
PADDING = "It rained on the hills, and the river rose a little. " * 35  # the prompt is then about 2 kB


def prompts(calls: int) -> Iterator[str]:
    """Yield the questions, all different."""
    return (f"Question {number}. {PADDING}\n{QUESTION}" for number in range(calls))


async def at_once(calls: int, concurrency: int, ask: Callable[[str], Awaitable[object]]) -> None:
    """Send all questions, `concurrency` at a time."""
    waiting = prompts(calls)

    async def worker() -> None:
        for prompt in waiting:
            await ask(prompt)

    await asyncio.gather(*(worker() for _ in range(concurrency)))


def with_litellm(url: str, calls: int, concurrency: int) -> None:
    """Send the questions through bare litellm."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.suppress_debug_info = True

    async def ask(prompt: str) -> object:
        messages = [{"role": "user", "content": prompt}]
        return await litellm.acompletion("openai/m", messages, api_base=url, api_key="none", max_retries=0)

    asyncio.run(at_once(calls, concurrency, ask))


def with_judges(url: str, calls: int, concurrency: int) -> None:
    """Send the questions through `engine.collect.client.model_client`."""
    from engine.collect.client.model_client import Models
    from engine.collect.configuration.config import ModelConfig

    async def ask_all() -> None:
        async with Models({"m": ModelConfig(model="openai/m", api_base=url)}) as models:

            async def ask(prompt: str) -> object:
                return await models.ask("m", [{"role": "user", "content": prompt}])

            await at_once(calls, concurrency, ask)

    asyncio.run(ask_all())


def with_inspect(url: str, calls: int, concurrency: int) -> None:
    """Send the questions through inspect_ai's evaluation of one task."""
    os.environ |= {"LOOPBACK_BASE_URL": url, "LOOPBACK_API_KEY": "none"}
    from inspect_ai import Task, eval  # noqa: A004
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import generate

    task = Task(dataset=[Sample(input=prompt) for prompt in prompts(calls)], solver=generate())
    with tempfile.TemporaryDirectory() as logs:
        done = eval(
            task,
            model="openai-api/loopback/m",
            max_connections=concurrency,
            max_samples=2 * concurrency,
            display="none",
            log_dir=logs,
            log_realtime=False,
            score_display=False,
        )
    if done[0].status != "success":
        raise SystemExit(f"inspect_ai: {done[0].error}")


if __name__ == "__main__":
    client = {"litellm": with_litellm, "judges": with_judges, "inspect": with_inspect}[sys.argv[1]]
    client(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
