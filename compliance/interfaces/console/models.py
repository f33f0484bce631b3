"""The console's own tables: access of staff, the access log, counted guesses at passwords, long work."""

import uuid
from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.utils.translation import gettext_lazy

from compliance.files import actions as files
from compliance.tenancy.models import CompanyRow


class StaffAccess(models.Model):
    """Until when a member of staff has access, and which companies they may see.

    Operators and compliance managers have access without such a row, and then see every company. An auditor always
    needs one, with an end.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="staff_access")
    valid_until = models.DateTimeField(
        null=True, blank=True, help_text=gettext_lazy("Access ends here. Auditors always need an end.")
    )
    every_company = models.BooleanField(
        default=False, help_text=gettext_lazy("May see every company, also later ones.")
    )
    organization_ids = ArrayField(
        models.UUIDField(),
        default=list,
        blank=True,
        verbose_name="companies",
        help_text=gettext_lazy("Otherwise only these: identifiers of companies, separated by commas."),
    )

    class Meta:
        verbose_name = "staff access"
        verbose_name_plural = "staff access"

    def __str__(self) -> str:
        return f"Access of {self.user}"


class AccessLog(models.Model):
    """One line for each page seen or act done by staff. Append-only, and a directory table: it spans companies.

    `reason` is what staff typed when they confirmed an act. It is kept only here, for ever, so the
    console asks them to write no names into it. Lines from before the log was chained have no `chain` or `number`.
    """

    append_only = True

    at = models.DateTimeField()
    user_id = models.BigIntegerField(null=True)
    username = models.CharField(max_length=150)
    groups = models.CharField(max_length=100, blank=True)
    address = models.CharField(max_length=45, blank=True)
    method = models.CharField(max_length=8)
    page = models.CharField(max_length=60)
    subject = models.TextField(blank=True)
    learner_profile_ids = ArrayField(models.UUIDField(), default=list, help_text="Whose records were seen or acted on.")
    everybody = models.BooleanField(default=False, help_text="Records of everybody in the company were within reach.")
    organization_id = models.UUIDField(null=True)
    status = models.PositiveSmallIntegerField()
    act = models.CharField(max_length=60, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    chain = models.UUIDField(null=True, help_text="The company's, or zeros for the deployment's.")
    number = models.BigIntegerField(null=True, help_text="Its place in the chain, from 1.")
    salt = models.CharField(max_length=32, blank=True, default="")
    previous_sha256 = models.CharField(max_length=64, blank=True, default="")
    digest = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["chain", "number"], name="access_line_once")]
        verbose_name = "line of the access log"
        verbose_name_plural = "access log"
        indexes = [
            models.Index(fields=["organization_id", "-id"], name="access_by_company"),
            models.Index(fields=["user_id", "-id"], name="access_by_staff"),
            models.Index(
                fields=["organization_id", "-at"], name="access_to_everybody", condition=models.Q(everybody=True)
            ),
            GinIndex(fields=["learner_profile_ids"], name="access_by_person", fastupdate=False),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.username} {self.page}"


class AccessChain(models.Model):
    """The end of one chain of the access log, and the result of its last verification. A directory table."""

    chain = models.UUIDField(primary_key=True)
    number = models.BigIntegerField(default=0)
    digest = models.CharField(max_length=64)
    verified_at = models.DateTimeField(null=True)
    fault = models.CharField(max_length=400, blank=True, default="")


class Guess(models.Model):
    """How many wrong passwords or codes came for one name or from one address in the running window.

    `subject` holds no name: only a digest of it.
    """

    subject = models.CharField(max_length=80, primary_key=True)
    tries = models.PositiveIntegerField()
    window_ends_at = models.DateTimeField()


class Job(CompanyRow):
    """Long work that staff began: its arguments, how far it is, how it ended. The worker reads it by its id.

    `upload_file_id` is the file it works on (a facts file, a package, a table); the file is removed when the job ends,
    because it may hold personal data. `message` stays, and no erasure clears it: it names nobody.
    """

    class State(models.TextChoices):
        """The state of a job. A draft holds an upload between its preview and its confirmation."""

        DRAFT = "draft", gettext_lazy("Draft")
        PREPARED = "prepared", gettext_lazy("Waits for a second person")
        DECLINED = "declined", gettext_lazy("Declined")
        WAITING = "waiting", gettext_lazy("Waiting")
        RUNNING = "running", gettext_lazy("Running")
        DONE = "done", gettext_lazy("Done")
        FAILED = "failed", gettext_lazy("Failed")

    job_id = models.UUIDField(default=uuid.uuid4, editable=False)
    act = models.CharField(max_length=60)
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT)
    user_id = models.BigIntegerField()
    username = models.CharField(max_length=150)
    confirmed_by = models.BigIntegerField(null=True, help_text="The second person, where one was needed.")
    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    total = models.BigIntegerField(default=0)
    done = models.BigIntegerField(default=0)
    told = models.JSONField(default=dict)
    message = models.CharField(max_length=500, blank=True, default="")
    findings = models.JSONField(default=list)
    upload_name = models.CharField(max_length=200, blank=True, default="")
    upload_file_id = models.UUIDField(null=True, help_text="The kept file of it; null without one.")
    upload = models.BinaryField(null=True, help_text="Uploads of before uploads were files. None is written any more.")
    erasures = models.BigIntegerField(
        default=0, help_text="How many erasures the company had made when the draft came: after another one it goes."
    )

    leads_to = models.CharField(
        max_length=300, blank=True, default="", help_text="The page on which its end shows: for who confirms twice."
    )
    language = models.CharField(
        max_length=35,
        blank=True,
        db_default="",
        help_text="That of the page on which it was begun: its result is in it.",
    )
    seen = models.BigIntegerField(
        default=0, help_text="The newest fact about whom or what the preview was: a later one shows it anew."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "job_id"], name="job_once")]
        indexes = [models.Index(fields=["organization_id", "-asked_at"], name="job_by_moment")]

    NOTHING: ClassVar[dict[str, Any]] = {"upload_file_id": None, "upload": None, "upload_name": "", "told": {}}
    """The values of these columns once it has ended: what it worked on, even a file name, may be personal data."""

    def end(self, state: str, message: str, now: datetime) -> None:
        """Stores how it ended, and removes what it worked on. Within the company's context."""
        files.let_go(self.organization_id, [self.upload_file_id])
        for name, value in ({"state": state, "message": message[:500], "finished_at": now} | self.NOTHING).items():
            setattr(self, name, value)
        self.save()
