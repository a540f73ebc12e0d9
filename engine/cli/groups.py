"""Commands that hold others: `spb run`, `spb study`, `spb label`, `spb reference` and `spb plan`."""

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperGroup

from engine.cli import references, report
from engine.cli.former import FORMER_IN_GROUPS
from engine.cli.label import label_files, label_status, label_tasks, people
from engine.cli.plan import plan, simulate
from engine.cli.run import cache, reparse, run, run_example, runs
from engine.cli.study import (
    pins,
    study_export,
    study_info,
    study_schema,
    study_upkeep,
    verdict_grid,
    verdict_list,
)


class RunGroup(TyperGroup):
    """The commands of `spb run`; any word that is none of them is the configuration of `spb run start`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put `start` before a configuration and its options; `--example` is `example`."""
        first = args[0] if args else ""
        if first == "--example":
            args = [first := "example", *args[1:]]
        if first not in self.commands and first not in ("-h", "--help"):
            args = ["start", *args]
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help of `start`, which needs no name, a configuration, and the other commands."""
        from engine.collect.plan.example_configuration import SMALLEST

        start = self.commands["start"]
        start.format_help(typer.Context(start, info_name=ctx.info_name, parent=ctx.parent), formatter)
        with formatter.section("The smallest CONFIG.toml; `spb run example STUDY` prints a longer one"):
            formatter.write("".join(f"  {line}\n" for line in SMALLEST.splitlines()))
        self.format_commands(ctx, formatter)


def _group(words: str, cls: type[TyperGroup] = TyperGroup) -> typer.Typer:
    return typer.Typer(cls=cls, help=words, no_args_is_help=True, rich_markup_mode=None)


run_app = _group("Collect answers and judgments from models.", RunGroup)
run_app.command("start")(run.run)
run_app.command("example")(run_example.example)
run_app.command("list")(runs.list_runs)
run_app.command("show")(runs.show_run)
run_app.command("watch")(runs.attach)
run_app.command("stop")(runs.stop_run)
run_app.command("reparse")(reparse.reparse)
run_app.add_typer(cache.cache_app, name="cache")

study_app = _group("Look at a stored study, check it, and take it elsewhere.")
study_app.command("info")(study_info.doctor)
study_app.command("list")(study_info.list_studies)
study_app.command("check")(study_upkeep.validate)
study_app.command("grid")(verdict_grid.grid)
study_app.command("verdicts")(verdict_list.verdicts)
study_app.command("pins")(pins.pins)
study_app.command("pin")(pins.pin)
study_app.command("unpin")(pins.unpin)
study_app.command("show")(report.show)
study_app.command("export")(study_export.export)
study_app.command("upgrade")(study_upkeep.migrate)
study_app.command("pack")(study_upkeep.pack)
study_app.command("schema")(study_schema.schema)

_LABELLING: dict[str, Callable[..., None]] = {
    "new": label_tasks.create,
    "list": label_tasks.list_tasks,
    "assign": label_tasks.assign_people,
    "status": label_status.status,
    "template": label_files.template,
    "write": label_files.export,
    "import": label_files.import_labels,
    "close": label_tasks.close,
}
_FORMER_LABELLING = {
    successor: name for (group, name), successor in FORMER_IN_GROUPS.items() if group == "annotations"
}

label_app = _group("Let people label: tasks, and the people themselves.")
annotations_app = _group("Manage labelling tasks.")
"""The former application of `spb label`."""
for _name, _function in _LABELLING.items():
    label_app.command(_name)(_function)
    annotations_app.command(_FORMER_LABELLING.get(f"label {_name}", _name))(_function)
label_app.add_typer(people.annotators_app, name="people")

reference_app = _group("Write references: of checkers, or of a committee of judges.")
reference_app.command("programs")(references.check)
reference_app.command("committee")(references.committee)

plan_app = _group("Plan a study: how large it must be, and what it would find.")
plan_app.command("power")(plan.power)
plan_app.command("simulate")(simulate.simulate)
