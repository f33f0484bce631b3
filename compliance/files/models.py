"""Which files a company keeps, and where the object of each is stored."""

import uuid

from django.db import models

from compliance.tenancy.models import CompanyRow


class KeptFile(CompanyRow):
    """A file: the name, the place and the digests of its object.

    The row exists before the object is written and until the object is deleted, so an unused object is found by its
    row. It has no personal data: the displayed name of a file is stored where the file is referred to.
    """

    class Purpose(models.TextChoices):
        """What a file is kept for. It is part of the object's name, so that rules of a bucket can depend on it."""

        PACK = "pack"
        EXPORT = "export"
        UPLOAD = "upload"
        MEDIA = "media"

    class Place(models.TextChoices):
        """Where an object is stored: the name of a storage in STORAGES."""

        FOLDER = "folder"
        BUCKET = "bucket"

    class State(models.TextChoices):
        """Whether the object is being written, exists, or is to be removed."""

        WRITING = "writing"
        KEPT = "kept"
        LEAVING = "leaving"

    file_id = models.UUIDField(default=uuid.uuid4, editable=False)
    purpose = models.CharField(max_length=10, choices=Purpose)
    place = models.CharField(max_length=10, choices=Place)
    state = models.CharField(max_length=10, choices=State, default=State.WRITING)
    begun_at = models.DateTimeField()
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    pieces = models.BinaryField(default=b"", help_text="The SHA-256 of each piece of the content, one behind another.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "file_id"], name="kept_file_once")]
        indexes = [
            models.Index(
                fields=["organization_id", "state", "begun_at"],
                name="kept_file_to_clear",
                condition=~models.Q(state="kept"),
            ),
            models.Index(fields=["organization_id", "place", "file_id"], name="kept_file_by_place"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name of the object: the company first, then an unguessable identifier."""
        return name_of(self.organization_id, self.purpose, self.file_id)


class FilesFolder(models.Model):
    """The folder in which this deployment keeps files, by the mark in it. A directory table of one row.

    A machine whose folder has another mark, or none, would not find what another machine has kept.
    """

    folder_id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    only = models.BooleanField(default=True, unique=True, editable=False)


def name_of(organization_id: uuid.UUID, purpose: str, file_id: uuid.UUID) -> str:
    """The name of the object of a file in every storage."""
    return f"{organization_id}/{purpose}/{file_id}"
