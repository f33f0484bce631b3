"""The product's addresses, and the peer's page beside them."""

from django.urls import path

from benchmarks.peers.views import TrainingRecordViewSet
from config.urls import urlpatterns as _ours

urlpatterns = [*_ours, path("peer/training-records", TrainingRecordViewSet.as_view({"get": "list"}))]
