"""The questions that findings answer."""

from typing import Literal

Question = Literal["who", "order", "where", "ranking", "committee", "advice", "changed"]

QUESTIONS: dict[Question, str] = {
    "who": "Which judges favour themselves?",
    "order": "Whose votes depend on the order of two answers?",
    "where": "Where do they favour themselves most?",
    "ranking": "How does it affect a ranking?",
    "committee": "Does a committee help, and what would it cost?",
    "advice": "What should I do?",
    "changed": "What has changed since the last run?",
}
"""The questions that claims answer, in order of presentation."""
