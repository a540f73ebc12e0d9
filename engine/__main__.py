"""The process of the command `spb`, and `python -m engine`: quiet if it is stopped while modules load."""

import sys


def main() -> None:
    """Run the command line; stopped before that is there, say so without a traceback."""
    try:
        from engine.cli import main as run
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)  # as engine.cli.exit_codes has it
    run()


if __name__ == "__main__":
    main()
