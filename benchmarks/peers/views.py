"""The page in plain DRF: a model serializer and a paginator over a queryset, with an API key.

`now` lists the current rows; `simple` and `tracked` list the rows as of a moment with django-simple-history and
django-pghistory. All have the fields of our row, join the person, and list the key's company only.
"""

import hashlib
from datetime import datetime
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db.models import QuerySet, prefetch_related_objects
from django.utils.dateparse import parse_datetime
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, ValidationError
from rest_framework.generics import ListAPIView
from rest_framework.pagination import CursorPagination, LimitOffsetPagination
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import CharField, ModelSerializer, UUIDField

from benchmarks.peers.models import SimpleRecord, TrainingRecord
from compliance.access.models import ApiKey

PAGE = 200
EVENTS: Any = apps.all_models["peers"]["trackedrecordevent"]  # made by pghistory


class KeyAuthentication(BaseAuthentication):
    """Looks up the key's digest by the ORM. It counts no limits, because plain DRF has none."""

    def authenticate(self, request: Request) -> tuple[ApiKey, ApiKey]:
        """The key, as user and as credentials."""
        kind, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if kind != "Bearer":
            raise NotAuthenticated
        key = ApiKey.objects.filter(digest=hashlib.sha256(token.encode()).digest(), revoked_at=None).first()
        if key is None:
            raise AuthenticationFailed
        return key, key


class MayReadTraining(BasePermission):
    """The key holds the scope."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether it does."""
        key: Any = request.auth
        return "training:read" in key.scopes


class TrainingRecordSerializer(ModelSerializer[Any]):
    """All fields of a row, the person's name and address joined."""

    learner_profile_id = UUIDField(source="profile_id")
    person_name = CharField(source="profile.person_name")
    work_email = CharField(source="profile.work_email")

    class Meta:
        model = TrainingRecord
        exclude = ["id", "profile"]


class SimpleRecordSerializer(TrainingRecordSerializer):
    """The same fields of simple-history's rows: instances of the model as they were."""

    class Meta:
        model = SimpleRecord
        exclude = ["id", "profile"]


class TrackedRecordSerializer(TrainingRecordSerializer):
    """The same fields of pghistory's events."""

    class Meta:
        model = EVENTS
        exclude = ["id", "profile", "pgh_id", "pgh_created_at", "pgh_label", "pgh_obj", "pgh_context"]


class Cursors(CursorPagination):
    """Two hundred rows per page in a stable order, without a total."""

    page_size = PAGE
    ordering: Any = "id"


class EventCursors(Cursors):
    """The same for events, in the order that DISTINCT ON needs."""

    ordering = ("pgh_obj_id", "-pgh_created_at")


class Offsets(LimitOffsetPagination):
    """Two hundred rows from an offset on, with the exact total: DRF's own way to have one."""

    default_limit = PAGE


class CountedCursors(Cursors):
    """The same cursors with the exact total, which DRF's cursors lack."""

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any] | None:
        """Reads the page, and counts the rows of all pages."""
        self.total = queryset.count()
        return super().paginate_queryset(queryset, request, view)

    def get_paginated_response(self, data: Any) -> Response:
        """The page with the total."""
        response = super().get_paginated_response(data)
        response.data["total"] = self.total
        return response


class Records(ListAPIView):
    """Rows of the key's company, 200 a page."""

    authentication_classes = [KeyAuthentication]
    permission_classes = [MayReadTraining]
    pagination_class = Cursors

    def company(self) -> UUID:
        """The key's."""
        key: Any = self.request.auth
        company: UUID = key.organization_id
        return company

    def as_at(self) -> datetime:
        """The moment of the question."""
        moment = parse_datetime(self.request.query_params.get("as_at", ""))
        if moment is None:
            raise ValidationError({"as_at": "An instant."})
        return moment


class Now(Records):
    """The current rows."""

    serializer_class = TrainingRecordSerializer

    def get_queryset(self) -> QuerySet[TrainingRecord]:
        """One query a page with its join."""
        records: Any = TrainingRecord
        found: QuerySet[TrainingRecord] = records.objects.filter(organization_id=self.company())
        return found.select_related("profile")


class Simple(Records):
    """The rows as of a moment under django-simple-history."""

    serializer_class = SimpleRecordSerializer

    def get_queryset(self) -> QuerySet[Any]:
        """`as_of`, which is an anti-join over the history."""
        records: Any = SimpleRecord.history.as_of(self.as_at()).filter(organization_id=self.company())
        return records.order_by("id")

    def paginate_queryset(self, queryset: Any) -> Any:
        """The page with its people, read again: instances made by `as_of` lose what was selected with them."""
        page = super().paginate_queryset(queryset) or []
        prefetch_related_objects(page, "profile")
        return page


class Tracked(Records):
    """The rows as of a moment under django-pghistory: the newest event of each row, as its documentation proposes."""

    serializer_class = TrackedRecordSerializer
    pagination_class = EventCursors

    def get_queryset(self) -> QuerySet[Any]:
        """DISTINCT ON the row."""
        return (
            EVENTS.objects.filter(organization_id=self.company(), pgh_created_at__lte=self.as_at())
            .distinct("pgh_obj_id")
            .select_related("profile")
        )
