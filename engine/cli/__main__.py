"""`python -m engine.cli`: the commands, for programs that start them with their own interpreter."""

from engine.cli import main

main()
