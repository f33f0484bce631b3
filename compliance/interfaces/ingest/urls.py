"""The addresses below /in/v1. The gate of the API resolves them (`api.gate`)."""

from rest_framework.routers import SimpleRouter

from compliance.interfaces.ingest import openapi, views

router = SimpleRouter(trailing_slash=False, use_regex_path=False)
router.register("in/v1/facts", views.FactsViewSet, "facts")
router.register("in/v1/openapi.json", openapi.ContractViewSet, "openapi")

urlpatterns = router.urls
