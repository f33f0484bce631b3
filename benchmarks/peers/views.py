"""The page as plain DRF gives it: a model serializer and cursor pagination."""

from rest_framework.pagination import CursorPagination
from rest_framework.serializers import CharField, ModelSerializer, UUIDField
from rest_framework.viewsets import ReadOnlyModelViewSet

from benchmarks.peers.models import TrainingRecord


class TrainingRecordSerializer(ModelSerializer):
    """All fields of a row, the person's name and address joined."""

    learner_profile_id = UUIDField(source="profile_id")
    person_name = CharField(source="profile.person_name")
    work_email = CharField(source="profile.work_email")

    class Meta:
        model = TrainingRecord
        exclude = ["id", "profile"]


class Pages(CursorPagination):
    """Two hundred rows a page, in a stable order."""

    page_size = 200
    ordering = "id"


class TrainingRecordViewSet(ReadOnlyModelViewSet):
    """One query a page with its join."""

    queryset = TrainingRecord.objects.select_related("profile")
    serializer_class = TrainingRecordSerializer
    pagination_class = Pages
