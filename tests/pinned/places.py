"""Where the pinned names are declared: the only imports to adapt after a move."""

from engine.arrays.left_out import CODES as LEFT_OUT
from engine.checkers.checks_by_id import SHIPPED as CHECKERS
from engine.cli import app
from engine.cli.former import FORMER
from engine.cli.measure import measures as COMMANDS  # noqa: N812
from engine.collect.configuration.config import RunConfig
from engine.collect.run.run_report import RunReport
from engine.explore.find_slices import FIND
from engine.findings.claims import Claim
from engine.findings.findings import COLUMNS as CLAIM_COLUMNS
from engine.findings.rules import RULES
from engine.importers.datasets.catalogue import catalogue as datasets
from engine.importers.format_loading import AS_A_WHOLE, by_rows
from engine.measures.catalogue import MEASURES
from engine.measures.undefined_reasons import REASONS
from engine.schema import TABLES
from engine.slices import FLAGS, GROUPINGS
from engine.store.study_files import StudyInfo

FORMATS = tuple(form.name for form in AS_A_WHOLE)
FOREIGN = tuple(form.name for form in by_rows())

__all__ = [
    "CHECKERS",
    "CLAIM_COLUMNS",
    "COMMANDS",
    "FIND",
    "FLAGS",
    "FOREIGN",
    "FORMATS",
    "FORMER",
    "GROUPINGS",
    "LEFT_OUT",
    "MEASURES",
    "REASONS",
    "RULES",
    "TABLES",
    "Claim",
    "RunConfig",
    "RunReport",
    "StudyInfo",
    "app",
    "datasets",
]
