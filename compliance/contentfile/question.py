"""Questions: in a block, and where a film pauses."""

from collections.abc import Mapping
from typing import Any, Final

from compliance.contentfile import limits
from compliance.contentfile.faults import FaultCode, Path, quoted
from compliance.contentfile.walk import Key, Shape, Walk, boolean, integer, is_valid_slug, one_of, slug, text_id

KINDS: Final = ("single", "multiple", "true_false")


def _question_id(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if not is_valid_slug(walk, value, path, FaultCode.INVALID_ID, "question"):
        return
    if value in walk.question_ids:
        walk.add(
            FaultCode.DUPLICATE_QUESTION_ID,
            path,
            f"The question id {quoted(value)} is taken; question ids of a course are all different.",
        )
    walk.question_ids.add(value)


def _choices(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    most = (limits.CHOICES_MAX, FaultCode.TOO_MANY_CHOICES, "a question has")
    choices = walk.items(value, path, what="choices", most=most)
    if choices and len(choices) < limits.CHOICES_MIN:
        walk.add(FaultCode.TOO_FEW_CHOICES, path, "A question needs at least two choices; add one.")
    taken: dict[str, Path] = {}
    sentence = "The choice id {} is taken; choices of a question have different ids."
    for index, choice in enumerate(choices):
        here = (*path, index)
        walk.check_object(choice, here, _CHOICE, prefix, what="a choice")
        walk.claim(choice, here, taken, FaultCode.DUPLICATE_CHOICE_ID, sentence)


_CHOICE: Final[Shape] = {
    "id": Key(slug(FaultCode.INVALID_ID, "choice")),
    "text": Key(text_id),
    "correct": Key(boolean),
    "feedback": Key(text_id, required=False),
}

QUESTION: Final[Shape] = {
    "id": Key(_question_id),
    "kind": Key(one_of(*KINDS)),
    "prompt": Key(text_id),
    "choices": Key(_choices),
    "feedback": Key(text_id, required=False),
    "attempts": Key(integer(1, limits.ATTEMPTS, "attempts"), required=False),
}


def check_question(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    """A question object, as in a film's question scene."""
    if walk.check_object(value, path, QUESTION, prefix, what="a question"):
        check_choices(walk, value, path)


def check_choices(walk: Walk, question: Mapping[str, Any], path: Path) -> None:
    """Compare the number of choices and of correct ones with the kind of question."""
    choices = question.get("choices")
    kind = question.get("kind")
    if not isinstance(choices, list) or len(choices) < limits.CHOICES_MIN:
        return
    here = (*path, "choices")
    if kind == "true_false" and len(choices) != 2:
        walk.add(
            FaultCode.TOO_MANY_CHOICES, here, f"A true_false question has two choices; this one has {len(choices)}."
        )
    marks = [choice.get("correct") if isinstance(choice, dict) else None for choice in choices]
    if not all(mark is True or mark is False for mark in marks):
        return
    right = sum(1 for mark in marks if mark)
    if right == 0:
        walk.add(FaultCode.NO_CORRECT_CHOICE, here, "No choice is correct; mark one.")
    elif right > 1 and kind in ("single", "true_false"):
        walk.add(
            FaultCode.TOO_MANY_CORRECT_CHOICES,
            here,
            f"{right} choices are correct; mark one, or make the kind multiple.",
        )
