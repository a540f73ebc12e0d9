"""What the columns of a table are, guessed from their names and values where the user did not say.

A guess is stated in the report of the import. Where two columns fit equally well nothing is guessed: the
choice is left to the user. Each module guesses the columns of one subject, all of them in one `GuessedTable`.
"""

from collections.abc import Collection, Mapping, Sequence

from engine.importers.option_spelling import OptionSpelling
from engine.importers.tables.guessing.authors import take_author_beside_judge, take_authors
from engine.importers.tables.guessing.binary_scores import read_binary_scores
from engine.importers.tables.guessing.criteria import (
    assume_one_criterion,
    take_axis,
    take_criterion_id,
    take_finer_criterion,
)
from engine.importers.tables.guessing.criterion_columns import may_be_scores, take_criterion_columns
from engine.importers.tables.guessing.guess import Guess
from engine.importers.tables.guessing.guessed_table import GuessedTable
from engine.importers.tables.guessing.judge_or_author import tell_judge_from_author
from engine.importers.tables.guessing.judges import judges_of, name_wide_judges, take_judge
from engine.importers.tables.guessing.orders import assume_order, read_order, take_order
from engine.importers.tables.guessing.points import take_points
from engine.importers.tables.guessing.question_ids import (
    leave_question_open,
    take_id_of_prompt,
    take_question,
)
from engine.importers.tables.guessing.repeats import leave_runs_open, take_runs
from engine.importers.tables.guessing.scales import take_scale
from engine.importers.tables.guessing.several_names import several_names
from engine.importers.tables.guessing.sides import read_sides
from engine.importers.tables.guessing.texts import (
    take_responses,
    take_texts_and_labels,
    take_texts_of_any_name,
)
from engine.importers.tables.guessing.truths import (
    assume_source,
    take_annotator,
    take_truth,
    take_truth_of_key_or_program,
)
from engine.importers.tables.guessing.verdict_or_truth import tell_verdicts_from_truth
from engine.importers.tables.guessing.verdicts import (
    columns_of_numbers,
    columns_without_verdicts,
    read_ok,
    take_choice_of_sides,
    take_verdicts,
    take_verdicts_of_bad,
)
from engine.importers.tables.guessing.winners import leave_flag_of_winner_open, take_winner_and_loser
from engine.importers.tables.table_sample import FirstRows


def guess_columns(
    sample: FirstRows,
    mapped: Mapping[str, str | None],
    same_named: Mapping[str, str],
    *,
    spelling: OptionSpelling,
    wide: Sequence[str] = (),
    criteria: Sequence[str] = (),
    columns: bool = True,
    explained: Collection[str] = (),
) -> Guess:
    """Return a guess of the columns that are not known, and of what no column says.

    `mapped` has the columns that the user gave, each with the table's column, or None for a constant;
    `same_named` those of our names; `wide` are the columns of judges that the user named, `criteria` those of
    criteria, `explained` our columns whose values the user gave a meaning; `spelling` is how the user writes
    options. If not `columns`, the user named all that are needed: no further one is read.
    """
    table = GuessedTable(
        sample, mapped, same_named, wide=wide, criteria=criteria, spelling=spelling, explained=explained
    )
    _take_columns(table)
    contradicted = several_names(table)
    unread_judges = judges_of(table)
    if not columns:
        table.forget_guesses()
        table.result.unread_judges = unread_judges
    _guess_beyond_columns(table, scores_have_criterion=columns)
    if not columns:
        table.result.open.clear()
    table.result.contradicted = contradicted
    table.result.no_verdicts = columns_without_verdicts(table)
    table.result.numbers = columns_of_numbers(table)
    table.result.scores = frozenset(c for c in table.result.numbers if may_be_scores(table.sample, c))
    table.result.places = {name: column for name, column in table.places.items() if column is not None}
    return table.result


def _take_columns(table: GuessedTable) -> None:
    """Take columns subject by subject: what is known of one says what is left for the next."""
    take_winner_and_loser(table)
    take_authors(table)
    take_judge(table)
    take_author_beside_judge(table)
    tell_judge_from_author(table)
    take_verdicts(table)
    take_truth(table)
    take_question(table)
    take_order(table)
    take_responses(table)
    take_runs(table)
    take_texts_and_labels(table)
    take_criterion_id(table)
    take_id_of_prompt(table)
    take_texts_of_any_name(table)
    tell_verdicts_from_truth(table)
    take_choice_of_sides(table)
    leave_flag_of_winner_open(table)
    take_truth_of_key_or_program(table)
    take_criterion_columns(table)
    take_verdicts_of_bad(table)
    take_finer_criterion(table)
    leave_question_open(table)
    take_axis(table)
    take_points(table)
    take_annotator(table)
    take_scale(table)


def _guess_beyond_columns(table: GuessedTable, *, scores_have_criterion: bool) -> None:
    """Guess what no column says: judges' names, meanings of values, order, source and the only criterion."""
    name_wide_judges(table)
    read_binary_scores(table)
    read_order(table)
    read_sides(table)
    read_ok(table)
    assume_order(table)
    assume_source(table)
    assume_one_criterion(table, of_scores=scores_have_criterion)
    leave_runs_open(table)
