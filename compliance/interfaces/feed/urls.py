"""The addresses below /feed/v1. The gate of the API resolves them (`api.gate`)."""

from rest_framework.routers import SimpleRouter

from compliance.interfaces.feed import openapi, views

router = SimpleRouter(trailing_slash=False, use_regex_path=False)
router.register("feed/v1/changes", views.ChangesViewSet, "changes")
router.register("feed/v1/openapi.json", openapi.ContractViewSet, "openapi")

urlpatterns = router.urls
