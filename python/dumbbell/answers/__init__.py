"""Answers: which arm of a study is better, by how much, from where on, and how sure that is.

Examples
--------
>>> from dumbbell.answers import answer, default_questions
>>> print(answer(result, default_questions(result.study)))  # doctest: +SKIP
"""

from dumbbell.answers.compare import Question, asked_metrics, default_places, default_questions
from dumbbell.answers.words import Answer, answer

__all__ = ["Answer", "Question", "answer", "asked_metrics", "default_places", "default_questions"]
