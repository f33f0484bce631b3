"""The Django app of this room: for its tasks and its catalogues of translations."""

from django.apps import AppConfig


class LearnerConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.learner"
    label = "learner"
    verbose_name = "Learners' pages"
