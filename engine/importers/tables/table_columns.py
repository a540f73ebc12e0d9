"""The columns of a table of judgments, and the names that other tables have for them.

Each column is declared once, with its meaning and its synonyms, which say where a column that nobody named is
read from. The synonyms are in groups, the most telling first: the first group that a table has decides, and
two columns of one group are asked about.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of ours, its meaning, and its synonyms, in groups that `|` separates."""

    name: str
    meaning: str
    synonyms: str = ""

    def groups(self) -> list[list[str]]:
        """Return the groups of names, our own first."""
        return [[self.name], *(group.split() for group in self.synonyms.split("|"))]


_TRUTH = """
    reference_verdict human_winner human_preference human_choice human_vote human_label human_verdict
    human_judgment human_judgement human_score human_rating human_grade human_mark human_annotation
    human_decision humanjudgement human_outcome gold gold_label gold_winner gold_score gold_grade gold_rating
    gold_verdict gold_preference gt gt_label gt_score gt_winner ground_truth ground_truth_label true_label
    true_winner truth expert_label expert_winner expert_choice expert_score expert_grade expert_rating
    expert_mark expert_verdict label_human winner_human correct_winner expected_winner reference_label
    reference_winner correct_verdict true_verdict correct_score true_score correct_label correct_preference
    true_preference
    | human expert humans majority_vote human_majority target_label
    """
"""Names of what is true or better according to people or a key, whatever the verdict is about."""

RUN = "run_id"
"""A column of that name is one of runs only if its values show it: tools give each call an id so called."""

TABLE_COLUMNS: tuple[TableColumn, ...] = (
    TableColumn(
        "judge",
        "the model that judged",
        """
        judge_model judge_name judge_id judge_model_name judge_model_id judge_llm judged_by
        model_judge llm_judge grader grader_model grader_name graded_by grading_model evaluator
        evaluator_model evaluator_name eval_model evaluation_model evaluated_by rater rater_model
        rated_by scorer scorer_model scored_by reviewer reviewer_model reviewed_by assessor
        assessed_by critic critic_model autorater verifier verifier_model judges
        | annotator annotator_model annotator_name annotated_by labeler labeled_by voter voted_by
        """,
    ),
    TableColumn(
        "generator",
        "the model that wrote the answer",
        """
        generator_model generator_name generated_by answered_by answerer answer_model
        answering_model response_model response_by response_source model_response_by responder
        respondent candidate candidate_model evaluated_model model_evaluated judged_model
        model_judged test_model model_test tested_model model_under_test target_model evaluatee
        contestant written_by writer author author_model output_model completion_model model_answered
        policy_model
        | model model_name model_id llm llm_name system system_name assistant_model
        | assistant student
        """,
    ),
    TableColumn(
        "opponent",
        "pairs: the model that wrote the other answer",
        """
        opponent_model other_model baseline_model baseline reference_model compared_with compared_to
        competitor competitor_model rival versus vs
        """,
    ),
    TableColumn(
        "first",
        "pairs: which was shown first",
        """
        shown_first first_shown presented_first first_presented first_model first_response
        first_position which_first is_first_a presentation_order response_order display_order
        ab_order order_shown swapped is_swapped was_swapped swap flipped is_flipped was_flipped flip
        reversed is_reversed shown_on_top on_top displayed_first first_displayed first_answer
        answer_order order_of_answers order_of_responses ab_swapped order_swapped position_swapped
        positions_swapped answers_swapped responses_swapped sides_swapped order_flipped
        | order position_order presentation
        """,
    ),
    TableColumn(
        "choice",
        "pairs: which won",
        """
        winner judge_winner llm_winner pairwise_winner winning_model model_winner winner_model
        preferred preferred_model preferred_response preferred_answer preferred_output better
        better_response better_model judge_choice pairwise_choice judge_vote llm_vote
        judge_preference llm_preference chosen chosen_model selected selection pick picked vote
        decision verdict final_verdict final_decision judge_verdict judge_decision judge_label
        ruling judge_ruling final_ruling
        | outcome result label judgment judgement judge_judgment prediction best preference
        | answer
        """,
    ),
    TableColumn(
        "met",
        "whether the criterion is met",
        """
        passed is_correct is_met is_pass criterion_met criteria_met satisfied judge_verdict
        judge_label judge_decision judge_judgment judge_judgement verdict final_verdict correct
        success succeeded ruling judge_ruling final_ruling
        | pass ok label judgment judgement decision outcome result grade prediction pred predicted vote
        mark judge_says judge_said llm_says judge_vote llm_vote judge_pred judge_prediction judge_mark
        judge_grade judge_result llm_verdict llm_label llm_judgment
        """,
    ),
    TableColumn(
        "score",
        "the score, divided by `scale` if that is set",
        """
        rating judge_score judge_rating llm_score llm_rating eval_score evaluation_score
        overall_score overall_rating final_score final_rating grade stars score_value
        | overall total total_score mark marks value quality quality_score verdict result label
        judgment
        | points_given points_awarded
        """,
    ),
    TableColumn("p_generator", "pairs: the probability of choosing `generator`"),
    TableColumn("paradigm", "the paradigm; else the one that the verdict suggests"),
    TableColumn(
        "variant",
        "the prompt template's name",
        """
        prompt_template prompt_version prompt_variant prompt_name judge_prompt_name template setting
        """,
    ),
    TableColumn(
        RUN,
        "the run of the judgment, such as the night; else import",
        """
        run_name run eval_run judge_run night run_date
        """,
    ),
    TableColumn("status", "ok, unparsed, refused or error"),
    TableColumn(
        "explanation",
        "the judge's reason",
        """
        reason reasoning rationale justification judge_reasoning judge_explanation judge_reason
        judge_rationale judge_feedback
        | feedback critique comment
        | note notes comments remark remarks
        """,
    ),
    TableColumn(
        "raw",
        "the judge's whole answer",
        """
        raw_output raw_judgment raw_judgement judge_output judge_response judge_completion
        raw_verdict judgment_text judging_response judgement_text judge_raw
        """,
    ),
    TableColumn(
        "scale",
        "what a score is divided by: the top of its scale",
        """
        out_of score_out_of max_score score_max maximum_score max_grade grade_max max_rating rating_max
        max_points points_max maximum_points points_possible possible_points max_mark max_marks
        full_marks total_marks max_value scale_max scale_top top_of_scale highest_score
        | max maximum
        """,
    ),
    TableColumn(
        "instance_id",
        "the question's id; else made from the prompt",
        """
        question_id prompt_id item_id instance example_id sample_id qid query_id task_id problem_id
        case_id test_case_id scenario_id doc_id document_id dialogue_id conversation_id input_id
        question_no question_number question_idx question_index prompt_idx example_idx item_no q_id
        outer_id
        | item example sample case scenario test_id question prompt q
        | id idx uid uuid session_id task topic_id key
        """,
    ),
    TableColumn(
        "prompt",
        "the question's text",
        """
        question question_text prompt_text user_prompt user_query user_message instruction
        instructions input_text problem_statement task_prompt
        | input query problem user task_description message
        """,
    ),
    TableColumn(
        "category",
        "its kind of task",
        """
        task_category task_type category_name domain subset dataset
        """,
    ),
    TableColumn("theme", "its topic, or that of the criterion", "topic topic_name"),
    TableColumn(
        "language",
        "its language",
        """
        lang
        """,
    ),
    TableColumn("segment", "a division of your own, such as channel or difficulty"),
    TableColumn(
        "reference_answer",
        "an answer known to be good",
        """
        gold_answer reference_response expected_answer expected_output ideal_answer correct_answer
        """,
    ),
    TableColumn(
        "rubric_id",
        "the criterion's id; else made from the criterion",
        """
        criterion_id rubric_name criterion_name crit_id crit_name crit
        | dimension aspect metric metric_name attribute
        """,
    ),
    TableColumn(
        "criterion",
        "the criterion's text",
        """
        criteria rubric rubric_text criterion_text crit_text
        | check requirement
        """,
    ),
    TableColumn(
        "points",
        "the criterion's weight",
        """
        weight weights criterion_weight criterion_points rubric_weight rubric_points score_weight
        check_weight item_weight weighting point_value pts signed_weight
        | polarity sign valence criterion_polarity rubric_polarity criterion_sign
        """,
    ),
    TableColumn("axis", "the quality that the criterion is about"),
    TableColumn(
        "response",
        "the model's answer",
        """
        model_response response_text model_output model_answer generated_text candidate_response
        answer_text
        | answer output completion generation reply
        """,
    ),
    TableColumn(
        "opponent_response",
        "the opponent's answer",
        """
        baseline_response other_response
        """,
    ),
    TableColumn("reference_met", "whether the criterion is truly met", _TRUTH),
    TableColumn("reference_score", "the true score", _TRUTH),
    TableColumn(
        "reference_source", "the source of the reference: human:<id>, program or another name; else human"
    ),
    TableColumn("preference", "pairs: which is truly better", _TRUTH),
    TableColumn(
        "annotator",
        "the person who gave the reference, by any id",
        """
        annotator_id annotator_name worker_id worker rater_id labeler_id labeler user_id human_id
        person participant_id annotated_by labeled_by voter voter_id
        """,
    ),
)

COLUMNS: dict[str, str] = {column.name: column.meaning for column in TABLE_COLUMNS}
"""The columns that `--map` and `--set` can name, with their meanings."""

DECLARED = {column.name: column for column in TABLE_COLUMNS}

VERDICTS = ("choice", "met", "score", "p_generator")
"""The columns of what judges said."""

TRUTHS = ("preference", "reference_met", "reference_score")
"""The columns of what is true."""

ANY_TEXT = ("text", "content")
"""Names of other tables' columns that may have the text of anything."""

SIDE_MARKS: tuple[tuple[str, str], ...] = (
    ("a", "b"),
    ("1", "2"),
    ("0", "1"),
    ("left", "right"),
    ("first", "second"),
    ("top", "bottom"),
)
"""How the names of two columns about the two responses of a pair differ: `model_a` and `model_b`."""

_MODEL_WORDS = frozenset(
    (
        *("model", "models", "generator", "system", "candidate", "llm", "contestant", "fighter", "player"),
        *("assistant", "agent", "competitor", "source", "author", "by", "name", "writer", "responder"),
    )
)
_TEXT_WORDS = frozenset(
    ("response", "answer", "output", "completion", "text", "generation", "reply", "conversation", "candidate")
)

_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_REMARK = re.compile(r"\s*[(\[][^)\]]*[)\]]\s*$")
"""What a column's name says in brackets at its end: `score (1-10)`."""


@lru_cache(maxsize=10_000)
def plain(name: str) -> str:
    """Return a column's name in small letters with `_` between its words: `judgeModel` is `judge_model`."""
    bare = _REMARK.sub("", name) or name
    return "_".join(re.findall(r"[^\W_]+", _CASE.sub("_", bare))).casefold()


def matching(columns: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the columns with one of these plain names.

    A path counts by its last word too, if the object before it says nothing: `metadata.judge_model`. What
    ends in `llm` is called as if it ended in `model`: `author_llm`.
    """
    wanted = set(names)
    return [column for column in columns if not wanted.isdisjoint(_forms(column))]


def imported_as(name: str) -> list[str]:
    """Return our columns that an import may fill from a column of this name, the most telling name first."""
    own = plain(name)
    places = {
        column.name: place
        for column in TABLE_COLUMNS
        for place, group in reversed([*enumerate(column.groups())])
        if own in group
    }
    return sorted(places, key=places.__getitem__)


_CONTAINERS = frozenset(
    (
        *("metadata", "meta", "config", "info", "params", "settings", "run", "header", "experiment", "data"),
        *("result", "results", "sample", "item", "example", "instance", "record", "case", "task", "question"),
        *("evaluation", "eval", "judgment", "judgement", "verdict", "output", "score", "scores", "labels"),
    )
)
"""Names of objects that say nothing about whose their fields are."""


def _forms(column: str) -> list[str]:
    *outer, last = column.split(".")
    forms = [plain(column)]
    if outer and plain(outer[-1]) in _CONTAINERS:
        forms.append(plain(last))
    return [*forms, *(form.removesuffix("llm") + "model" for form in forms if form.endswith("_llm"))]


@dataclass(frozen=True, slots=True)
class SidedColumns:
    """Two columns whose names differ in the mark of a side only, and the words that they share."""

    first: str
    second: str
    words: frozenset[str]

    @property
    def may_be_models(self) -> bool:
        return bool(self.words & _MODEL_WORDS)

    @property
    def may_be_texts(self) -> bool:
        return bool(self.words & _TEXT_WORDS) and not self.words & (_MODEL_WORDS - {"candidate", "assistant"})


def side_marks(first: str, second: str) -> tuple[str, str] | None:
    """Return the one word in which each of two names differs from the other, such as left and right."""
    words, others = _words(first), _words(second)
    own, other = set(words) - set(others), set(others) - set(words)
    return (own.pop(), other.pop()) if len(own) == len(other) == 1 else None


def _words(column: str) -> tuple[str, ...]:
    return tuple(re.sub(r"(?<=[a-z])(?=\d$)", "_", plain(column)).split("_"))


def sided(columns: Iterable[str]) -> list[SidedColumns]:
    """Return the pairs of columns that differ in the mark of a side only."""
    by_words: dict[tuple[str, ...], str] = {}
    for column in columns:
        by_words.setdefault(_words(column), column)
    pairs = []
    for words, column in by_words.items():
        for place, word in enumerate(words):
            for first, second in SIDE_MARKS:
                other = (*words[:place], second, *words[place + 1 :])
                if word == first and other in by_words:
                    pairs.append(SidedColumns(column, by_words[other], frozenset(words) - {word}))
    return pairs
