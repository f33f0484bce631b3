"""Courses as source rows: releases, lessons, certificate editions. A policy is a course of kind policy."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from compliance.tenancy.models import CompanyRow


class Course(CompanyRow):
    """A course or policy and its current title (the one of the latest fact)."""

    course_id = models.UUIDField()
    kind = models.CharField(max_length=10, choices=[("training", "training"), ("policy", "policy")])
    created_at = models.DateTimeField()
    title = models.TextField()
    title_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "course_id"], name="course_once")]


class CertificateEdition(CompanyRow):
    """What certificates of a course state and how long they are valid, from `at` on. `title` null: none is issued."""

    fact_id = models.UUIDField()
    course_id = models.UUIDField()
    at = models.DateTimeField()
    title = models.TextField(null=True)
    kind = models.CharField(max_length=12, null=True)
    valid_months = models.PositiveSmallIntegerField(null=True)
    renew_days_before = models.PositiveSmallIntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["organization_id", "course_id"], name="edition_by_course")]


class Lesson(CompanyRow):
    """A lesson release: its fingerprint never changes, its title is the one of the latest fact."""

    lesson_release_id = models.UUIDField()
    course_id = models.UUIDField()
    title = models.TextField()
    title_at = models.DateTimeField()
    version = models.PositiveIntegerField(null=True)
    content_sha256 = models.CharField(max_length=64, null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "lesson_release_id"], name="lesson_once")]
        indexes = [models.Index(fields=["organization_id", "course_id"], name="lesson_by_course")]


class Release(CompanyRow):
    """A published version of a course, with the lessons it contains in order."""

    course_id = models.UUIDField()
    course_release_id = models.UUIDField()
    version = models.PositiveIntegerField()
    published_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)
    publisher_id = models.UUIDField(null=True)
    retake = models.BooleanField(default=False)
    content_sha256 = models.CharField(max_length=64, null=True)
    contents_sha256 = models.CharField(max_length=64, null=True)
    lesson_release_ids = ArrayField(models.UUIDField(), default=list)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "course_release_id"], name="release_once"),
            models.UniqueConstraint(fields=["organization_id", "course_id", "version"], name="release_version_once"),
        ]


class ReleaseContent(CompanyRow):
    """The content file of a release, and the words and manifest of its package where it came from one."""

    course_release_id = models.UUIDField()
    content = models.JSONField()
    manifest = models.JSONField(null=True)
    words = models.JSONField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["organization_id", "course_release_id"], name="content_once")]


class ReleaseMedia(CompanyRow):
    """A media file of the package of a release.

    `kept_file_id` is its file. Media from before media were kept as files have their `content` here until it is moved;
    those that were too large then have neither.
    """

    course_release_id = models.UUIDField()
    media_id = models.CharField(max_length=64)
    media_type = models.CharField(max_length=100)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()
    kept_file_id = models.UUIDField(null=True)
    content = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization_id", "course_release_id", "media_id"], name="media_once")
        ]
