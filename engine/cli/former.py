"""Former names of commands, which answer as they always have and name their successor on standard error."""

from engine.cli.output import note

FORMER: dict[str, tuple[str, str, str]] = {
    "demo": ("explorer", "demo", "open --demo"),
    "datasets": ("data", "datasets_app", "data"),
    "doctor": ("study.study_info", "doctor", "study info"),
    "metrics": ("measure.measures", "metrics_app", "measure"),
    "find": ("measure.slices", "find", "slices"),
    "power": ("plan.plan", "power", "plan power"),
    "simulate": ("plan.simulate", "simulate", "plan simulate"),
    "card": ("report", "card", "report --judge NAME"),
    "show": ("report", "show", "study show"),
    "grid": ("study.verdict_grid", "grid", "study grid"),
    "check-judge": ("gate", "check_judge", "gate"),
    "compare-runs": ("compare", "compare_runs", "compare"),
    "runs": ("run.runs", "runs_app", "run list"),
    "cache": ("run.cache", "cache_app", "run cache"),
    "reparse": ("run.reparse", "reparse", "run reparse"),
    "check": ("references", "check", "reference programs"),
    "committee": ("references", "committee", "reference committee"),
    "annotators": ("label.people", "annotators_app", "label people"),
    "annotations": ("groups", "annotations_app", "label"),
    "validate": ("study.study_upkeep", "validate", "study check"),
    "migrate": ("study.study_upkeep", "migrate", "study upgrade"),
    "pack": ("study.study_upkeep", "pack", "study pack"),
    "export": ("study.study_export", "export", "study export"),
    "schema": ("study.study_schema", "schema", "study schema"),
    "glossary": ("explain", "glossary", "explain"),
}
"""By name: the module of this package, the function or application in it, and the successor."""

FORMER_IN_GROUPS = {
    ("annotations", "create"): "label new",
    ("annotations", "export"): "label write",
    ("runs", "attach"): "run watch",
}

_called: list[str] = []
"""The former name by which the running command was called, if it was."""


def is_former() -> bool:
    """Return whether the command that is running was called by a former name."""
    return bool(_called)


def call_by(args: list[str]) -> None:
    """Note the name by which a command is called, and its successor if that name is a former one."""
    _called.clear()
    note(None)
    if args[0] not in FORMER:
        return
    name, successor = args[0], FORMER[args[0]][2]
    if len(args) > 1 and (args[0], args[1]) in FORMER_IN_GROUPS:
        name, successor = f"{name} {args[1]}", FORMER_IN_GROUPS[args[0], args[1]]
    call_by_former(name, successor, quiet=bool({"-q", "--quiet"} & set(args)))


def call_by_former(name: str, successor: str, *, quiet: bool = False) -> None:
    """Note that a command is called in a former way, and the present one."""
    _called.append(name)
    if not quiet:
        note(f"note: spb {name} is now spb {successor}")
