"""The addresses of /v1, one for each way of reading a register. The gate resolves them; none has a trailing slash."""

from rest_framework.routers import SimpleRouter

from compliance.interfaces.api import openapi, views
from compliance.registers.listings import LISTINGS

router = SimpleRouter(trailing_slash=False, use_regex_path=False)
for page, listing in LISTINGS.items():
    router.register(f"v1/{listing.register.path}", views.viewset_of(listing), page)
router.register("v1/snapshot", views.SnapshotViewSet, "snapshot")
router.register("v1/openapi.json", openapi.ContractViewSet, "openapi")

urlpatterns = router.urls
