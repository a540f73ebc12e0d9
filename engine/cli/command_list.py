"""The commands of `spb`, in the order of its help; those of a group, such as `spb study`, are in `groups`."""

COMMANDS: tuple[tuple[str, str, str], ...] = (
    ("open", "explorer", "open_explorer"),
    ("import", "importing.import_study", "import_study"),
    ("try", "run.try_models", "try_models"),
    ("data", "data", "datasets_app"),
    ("atlas", "atlas", "atlas_app"),
    ("judges", "judges", "judges"),
    ("audit", "audit", "audit"),
    ("measure", "measure.measures", "metrics_app"),
    ("slices", "measure.slices", "find"),
    ("report", "report", "report"),
    ("freeze", "freezing", "freeze"),
    ("reproduce", "freezing", "reproduce"),
    ("gate", "gate", "check_judge"),
    ("compare", "compare", "compare_runs"),
    ("run", "groups", "run_app"),
    ("label", "groups", "label_app"),
    ("reference", "groups", "reference_app"),
    ("plan", "groups", "plan_app"),
    ("study", "groups", "study_app"),
    ("explain", "explain", "explain"),
)
"""Command, module of this package, and function, or the Typer application of a group of commands."""

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("judges STUDY", "Do the judges favour their own answers?"),
    ("measure which-judge STUDY", "Which judge should I use, and for what?"),
    ("judges STUDY --by COLUMN", "How is it by topic, difficulty or criterion?"),
    ("slices STUDY", "Where do they favour themselves most?"),
    ("measure delta STUDY", "Is a judge lenient in general?"),
    ("study verdicts STUDY", "Which verdicts are behind a number?"),
    ("compare STUDY BEFORE AFTER", "Did a judge change between two runs?"),
    ("measure list", "What else can be measured?"),
)
"""What people come to ask, below the list of commands, with the command that answers it."""
