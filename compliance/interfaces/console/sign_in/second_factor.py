"""The adapter for allauth's second factors: seals secrets, and in production keeps the last factor."""

from typing import Any

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext, gettext_lazy

from compliance.interfaces.console.sign_in import devices, sealing, sessions
from compliance.interfaces.console.sign_in.models import UsedCode


class StaffSecondFactors(DefaultMFAAdapter):
    """Second factors of staff accounts."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": gettext_lazy("This code is not right, or was used already. Wait for the next one."),
        "cannot_delete_authenticator": gettext_lazy(
            "This is your only second factor, and without one nobody comes in. Add another one first."
        ),
    }

    def encrypt(self, text: str) -> str:
        """Seals a secret for the database."""
        return sealing.seal(text)

    def decrypt(self, encrypted_text: str) -> str:
        """Unseals a secret from the database. Raises UnreadableSecretError."""
        return sealing.unseal(encrypted_text)

    def can_delete_authenticator(self, authenticator: Authenticator) -> bool:
        """False for the last second factor if one is required."""
        if not settings.CONSOLE_SECOND_FACTOR_REQUIRED or authenticator.type not in sessions.FACTORS:
            return True
        return factors(authenticator.user).exclude(pk=authenticator.pk).exists()

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        """The name that a new passkey gets when its owner types none."""
        return gettext("Passkey %(count)s") % {
            "count": Authenticator.objects.filter(user_id=user.pk, type=type).count() + 1
        }

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """The relying party of passkeys: the host in the address, under our name."""
        return super().get_public_key_credential_rp_entity() | {"name": gettext("Compliance records")}


def factors(user: User) -> "QuerySet[Any]":
    """The second factors of `user` other than recovery codes: apps and passkeys."""
    return Authenticator.objects.filter(user_id=user.pk, type__in=sessions.FACTORS)


def is_enrolled(user: User) -> bool:
    """Whether `user` has a second factor."""
    return bool(factors(user).exists())


def reset(user: User) -> None:
    """Removes every second factor, known device and session of `user`, who then needs an invitation."""
    with transaction.atomic():
        UsedCode.objects.filter(authenticator__user_id=user.pk).delete()
        Authenticator.objects.filter(user_id=user.pk).delete()
        devices.forget(user)
        sessions.end_all(user)


def reseal_all() -> int:
    """Seals every stored secret under the newest key. Returns how many. Raises UnreadableSecretError."""
    done = 0
    for pk in Authenticator.objects.values_list("pk", flat=True):
        with transaction.atomic():
            row = Authenticator.objects.select_for_update().filter(pk=pk).first()
            if row is None:
                continue
            sealed = {name: sealing.reseal(row.data[name]) for name in ("secret", "seed") if name in row.data}
            if sealed:
                row.data |= sealed
                row.save(update_fields=["data"])
                done += 1
    return done
