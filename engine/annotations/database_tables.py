"""The tables of the annotation database, and their version."""

import sqlalchemy as sa
from sqlalchemy import JSON, Column, ForeignKey, ForeignKeyConstraint, Index, Integer, Table, Text

SCHEMA_VERSION = 2

METADATA = sa.MetaData()

VERSION = Table("spb_schema", METADATA, Column("version", Integer, primary_key=True))

ANNOTATORS = Table(
    "annotators",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("role", Text, nullable=False),  # annotator or coordinator
    Column("token_sha256", Text, unique=True),  # null: on this machine only, without a link
    Column("created_at", Text, nullable=False),  # all times: ISO 8601, UTC
    Column("email", Text),  # of their login, in small letters
    Index("annotators_by_email", "email", unique=True),
)

TASKS = Table(
    "tasks",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("study", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("guidelines", Text, nullable=False),
    Column("overlap", Integer),  # people for each item; null: everybody who is assigned
    Column("seed", Integer, nullable=False),
    Column("options", JSON, nullable=False),  # how the items were selected
    Column("created_at", Text, nullable=False),
    Column("closed", sa.Boolean, nullable=False),
)

ITEMS = Table(
    "items",
    METADATA,
    Column("task", Text, ForeignKey("tasks.name"), primary_key=True),
    Column("item", Text, primary_key=True),
    Column("role", Text, nullable=False),  # item, gold or practice
    Column("payload", JSON, nullable=False),  # what an annotator may see: texts
    Column("feedback", JSON),  # practice items only: what is shown after an answer
    Column("hidden", JSON, nullable=False),  # models, verdicts, automatic labels, gold; never shown
)

ASSIGNMENTS = Table(
    "assignments",
    METADATA,
    Column("task", Text, primary_key=True),
    Column("annotator", Text, ForeignKey("annotators.name"), primary_key=True),
    Column("place", Integer, primary_key=True),  # in the annotator's own random order, from 1
    Column("item", Text, nullable=False),
    Column("round", Integer, nullable=False),  # 0 practice, 1, or 2 for a hidden repeat
    Column("shown", JSON, nullable=False),  # the order of the responses on the screen
    ForeignKeyConstraint(["task", "item"], ["items.task", "items.item"]),
)

LABELS = Table(
    "labels",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("submission", Text, nullable=False, unique=True),  # made by the client; a repeat adds nothing
    Column("task", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("place", Integer, nullable=False),
    Column("act", Text, nullable=False),  # label, skip, report or undo
    Column("undoes", Integer, ForeignKey("labels.id")),
    Column("value", JSON(none_as_null=True)),  # about responses, never about sides
    Column("confidence", Text),
    Column("reason", Text),
    Column("comment", Text),
    Column("seconds", sa.Float),
    Column("created_at", Text, nullable=False),
    ForeignKeyConstraint(
        ["task", "annotator", "place"], ["assignments.task", "assignments.annotator", "assignments.place"]
    ),
    Index("labels_of_a_person", "task", "annotator", "place"),
    Index("labels_in_order", "task", "annotator", "id"),
    Index("labels_undone", "undoes"),
)
"""Rows are only ever added. At each place, the latest label or skip that no row undoes counts."""

DECISIONS = Table(
    "decisions",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("task", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("value", JSON(none_as_null=True)),  # null takes an earlier decision back
    Column("reason", Text),
    Column("by", Text, ForeignKey("annotators.name"), nullable=False),
    Column("created_at", Text, nullable=False),
    ForeignKeyConstraint(["task", "item"], ["items.task", "items.item"]),
)
"""Rows are only ever added; the latest for an item counts."""
