"""What the columns of a table are called on the page, in plain words."""

from engine.importers.column_candidates import JUDGES

LABELS = {
    "judge": "Who judged",
    "generator": "Who wrote the answer",
    "opponent": "Other answer's author",
    "first": "Which answer was shown first",
    "choice": "Winner",
    "met": "Verdict (passed?)",
    "score": "Score",
    "p_generator": "Probability",
    "paradigm": "How it was judged",
    "variant": "Version of the judge's prompt",
    "run_id": "Run, such as the night",
    "status": "Whether there is a verdict",
    "explanation": "Judge's reason",
    "raw": "Judge's full reply",
    "instance_id": "Question number",
    "prompt": "Question's text",
    "category": "Kind of task",
    "theme": "Topic",
    "language": "Language",
    "reference_answer": "Answer known to be good",
    "rubric_id": "Criterion number",
    "criterion": "Criterion's text",
    "points": "Criterion's weight",
    "axis": "Quality that the criterion is about",
    "response": "Answer's text",
    "opponent_response": "Other answer's text",
    "reference_met": "Correct verdict (person or program)",
    "reference_score": "Correct score (person or program)",
    "reference_source": "Who gave the correct verdict",
    "preference": "Correct winner (person or program)",
    "annotator": "Person who gave the correct verdict",
    JUDGES: "Verdicts of the judge that it names",
}
"""The words for each of our columns, by its name."""
