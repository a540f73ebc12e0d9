"""What is said of a study whose judgments a program drew."""

SIMULATED = {
    "simulated": "Simulated: a program drew all judgments of this study. They say nothing about real models.",
    "mixed": "Partly simulated: a program drew some judgments of this study.",
}
"""The warning on a study with simulated judgments, by its provenance."""
