"""Writes `docs/store.md` from the declaration of the tables.

Run `python -m tests.tools.docs.store > docs/store.md` after a change of `engine.schema`; a test fails while
the page on disk differs.
"""

import sys

from engine import schema
from engine.store.study_files import StudyInfo

_INTRO = """\
# The store

This page is generated from `engine/schema.py` (`python -m tests.tools.docs.store > docs/store.md`); edit it
there.

A study is a folder: `study.json` and the tables below, each a Parquet file (zstd) that pandas, DuckDB and
Polars can read directly; `judgments` is a folder of parts. The schema's version is {version}.
The same tables as Parquet, CSV (`instances.csv`) or JSON Lines (`instances.jsonl`) are the exchange format
that `spb import DIR --as tidy` reads: a table is one file or a folder of files, in one format. Ids are text,
exactly as written; an empty CSV cell in an optional column means no value; booleans are true, false, 1 or 0;
rows are counted from 1 without the header.

For other programs, [schema/store.json](schema/store.json) is the JSON Schema of the tables, and
[schema/scorecard.json](schema/scorecard.json) that of `spb measure scorecard --format json`. `spb study
schema` prints the first, `spb study schema MEASURE` those of measures; their `$id` ends in their version.

Every page of a file has Parquet's own checksum, and two entries of the file's metadata, `spb.pages` and
`spb.footer`, are CRC-32 of all pages together and of the footer. Whenever a file is read, the footer and the
pages that are read are verified; of a local file of up to 4 MiB, all of it. `spb study check` verifies every
file to the last byte, and names files without checksums: `spb study upgrade` writes those anew.

On S3 those who write to a study go one after the other, and a reader of a study that is replaced meanwhile
reads the new one. New studies have names that Windows can hold too (no `: ? * " < > |`, no `con`, no dot at
the end), with accents in one spelling.

Folders of a store whose names begin with a dot are not studies: `.runs` holds the journals of runs,
`.annotations` people's labels, `.packed` the packed judgments of large studies, which open at once.
Only `.packed` may be deleted at any time: it is rebuilt from the tables, or ahead of the first opening by
`spb study pack` ([A billion verdicts](scale.md)).
"""


def describe() -> str:
    """Return the text of `docs/store.md`."""
    sections = [_INTRO.format(version=schema.SCHEMA_VERSION), _describe_info()]
    sections += [_describe_table(table) for table in schema.TABLES.values()]
    return "\n".join(sections)


def _describe_info() -> str:
    fields = ", ".join(f"`{name}`" for name in StudyInfo.model_fields)
    return f"## study.json\n\nWhat the study is: {fields}. Other fields are kept as they are.\n"


def _describe_table(table: schema.Table) -> str:
    compulsory = "Every study has it. " if table.compulsory else ""
    key = ", ".join(f"`{name}`" for name in table.key)
    lines = [
        f"## {table.name}",
        "",
        f"{table.meaning[0].upper()}{table.meaning[1:]}. {compulsory}Key: {key}.",
        "",
        "| column | kind | meaning | where absent | allowed |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [_describe_column(column) for column in table.columns]
    return "\n".join(lines) + "\n"


def _describe_column(column: schema.Column) -> str:
    absent = "null" if column.default is None else f"`{column.default}`"
    cells = (
        f"`{column.name}`",
        "JSON text" if column.json else column.kind,
        column.meaning,
        "refused" if column.required else absent,
        _describe_values(column),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _describe_values(column: schema.Column) -> str:
    parts = []
    if column.refers:
        parts.append(f"in `{column.refers}`")
    parts += [f"`{choice}`" for choice in column.choices]
    if column.pattern:
        parts.append(f"text like `{column.pattern}`")
    if column.low is not None:
        parts.append(f"at least {column.low:g}")
    if column.high is not None:
        parts.append(f"at most {column.high:g}")
    return ", ".join(parts) or "any"


if __name__ == "__main__":
    sys.stdout.write(describe())
