"""Run the server as a separate process until it is stopped."""

import argparse
import asyncio
import contextlib
import sys

from .script import Script
from .server import Loopback


def main() -> None:
    """Parse the arguments and serve; the first line on standard output is the address."""
    parser = argparse.ArgumentParser(prog="python -m loopback", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any that is free")
    parser.add_argument("--script", type=Script.from_json, default=Script(), help="as JSON")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--forget", action="store_true", help="count requests, but keep no list of them")
    arguments = parser.parse_args()
    server = Loopback(arguments.script, delay_s=arguments.delay, remember=not arguments.forget)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(
            server.serve(lambda: sys.stdout.write(f"{server.url}\n") and sys.stdout.flush(), arguments.port)
        )


if __name__ == "__main__":
    main()
