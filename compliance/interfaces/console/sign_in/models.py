"""The tables of sign-in: sessions, devices, invitations, used codes, letters to send, company accounts.

All rows belong to staff accounts, not to companies, and are removed with the account.
"""

import uuid

from django.conf import settings
from django.db import models


class StaffSession(models.Model):
    """A session of the console. Deleting the row ends the session.

    `second_factor_at` is when this session passed a second factor; without it, the session has no access once the
    account has one. Only an invitation sets `may_enrol_until`.
    """

    session_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="staff_sessions")
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    second_factor_at = models.DateTimeField(null=True)
    may_enrol_until = models.DateTimeField(null=True)
    network = models.CharField(max_length=64, blank=True)
    device = models.CharField(max_length=200, blank=True)

    def __str__(self) -> str:
        return f"Session of {self.user_id} since {self.began_at:%Y-%m-%d %H:%M}"


class Device(models.Model):
    """A browser in which an account signed in before. Its guesses are counted separately from those of strangers."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="devices")
    token_sha256 = models.CharField(max_length=64)
    first_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "token_sha256"], name="device_once")]

    def __str__(self) -> str:
        return f"Device of {self.user_id}"


class Invitation(models.Model):
    """Allows one account, once, to choose a password and to enrol its first second factor."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitation")
    code_sha256 = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField()
    made_by = models.CharField(max_length=150)
    ends_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Invitation of {self.user_id} until {self.ends_at:%Y-%m-%d %H:%M}"


class UsedCode(models.Model):
    """The newest counter (RFC 6238) for which a code of an authenticator app was accepted."""

    authenticator = models.OneToOneField("mfa.Authenticator", on_delete=models.CASCADE, primary_key=True)
    counter = models.BigIntegerField()

    def __str__(self) -> str:
        return f"Code {self.counter} of {self.authenticator_id}"


class Letter(models.Model):
    """A letter about an account that has not been sent yet. `address` is the account's at the time of the change."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="letters")
    address = models.EmailField()
    kind = models.CharField(max_length=40)
    at = models.DateTimeField()
    network = models.CharField(max_length=64, blank=True)
    device = models.CharField(max_length=200, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    sealed = models.TextField(
        blank=True, default="", help_text="The code of an invitation that the letter brings, sealed; it goes with it."
    )

    class Meta:
        indexes = [models.Index(fields=["due_at"], name="letter_by_due")]

    def __str__(self) -> str:
        return f"{self.kind} to {self.user_id}"


class CompanyAccount(models.Model):
    """The account at the company's OpenID Connect provider by which a member of staff may sign in.

    An administrator links it, by the provider's subject or by an e-mail address. The first sign-in with that address,
    verified by the provider, sets the subject, and from then on only the subject counts. Whoever changes the link
    unbinds it, so that the next sign-in binds it anew.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="company_account")
    email = models.EmailField("e-mail address there", blank=True, help_text="Counts until the first sign-in with it.")
    issuer = models.CharField(max_length=255, blank=True, editable=False)
    subject = models.CharField(
        max_length=255, blank=True, help_text="The provider's own identifier (`sub`). Fixed by the first sign-in."
    )
    bound_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name = "company account"
        verbose_name_plural = "company account"
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="subject_once", condition=~models.Q(subject=""))
        ]

    def __str__(self) -> str:
        return f"Company account of {self.user}"
