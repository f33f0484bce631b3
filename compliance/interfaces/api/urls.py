"""The addresses of /v1. The gate resolves them; they carry no trailing slash."""

from typing import Any

from django.urls import path

from compliance.interfaces.api import openapi, views

LIST: dict[str, Any] = {"get": "list"}

urlpatterns = [
    path("v1/training-records", views.TrainingRecordViewSet.as_view(LIST), name="training-records"),
    path("v1/training-records/period", views.TrainingRecordViewSet.as_view({"get": "period"}), name="period"),
    path("v1/people", views.PersonViewSet.as_view(LIST), name="people"),
    path("v1/certificates", views.CertificateViewSet.as_view(LIST), name="certificates"),
    path("v1/courses", views.CourseViewSet.as_view(LIST), name="courses"),
    path("v1/policies", views.PolicyViewSet.as_view(LIST), name="policies"),
    path("v1/policy-records", views.PolicyRecordViewSet.as_view(LIST), name="policy-records"),
    path("v1/acknowledgements", views.AcknowledgementViewSet.as_view(LIST), name="acknowledgements"),
    path("v1/snapshot", views.SnapshotViewSet.as_view({"get": "retrieve"}), name="snapshot"),
    path("v1/openapi.json", openapi.ContractViewSet.as_view({"get": "retrieve"}), name="openapi"),
]
