"""The Django app of this room."""

from django.apps import AppConfig


class SignInConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.console.sign_in"
    label = "sign_in"
    verbose_name = "Sign-in"
