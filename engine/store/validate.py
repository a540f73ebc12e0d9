"""The integrity of a stored study, by the checks of an import."""

from engine import schema
from engine.errors import BadInputError
from engine.store.checks import Known, TableCheck, TableReport, check_info, missing_table
from engine.store.files import StudyFiles
from engine.store.sources import Source, from_tables


def validate_study(study: StudyFiles) -> list[TableReport]:
    """Check every row of every table and return what was read.

    Raises BadInputError for the first row that an import would refuse, or a part that is not there;
    StoreError for a file that cannot be read.
    """
    for part in study.parts():
        if not study.location.child(part).exists():
            raise BadInputError(
                f"judgments: the part {part!r} that study.json lists is not there; import the study again"
            )
    known = Known()
    reports = []
    for name, table in schema.TABLES.items():
        if not study.has(name):
            if table.compulsory:
                raise missing_table(name)
            continue
        check = TableCheck(_source(study, table), known)
        for _ in check.batches():
            pass
        check.refuse_repeated(*check.repeated())
        if name != "judgments":
            known.learn(table, study.table(name))
        reports.append(check.report())
    check_info(study.info, study.table("models"))
    return reports


def _source(study: StudyFiles, table: schema.Table) -> Source:
    if table.name == "judgments":
        return from_tables(table, study.judgment_batches())
    return from_tables(table, study.table(table.name))
