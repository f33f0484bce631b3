"""The addresses below /proof/v1, one for each register. The gate of the API resolves them (`api.gate`)."""

from rest_framework.routers import SimpleRouter

from compliance.catalogue import REGISTERS
from compliance.interfaces.proof import openapi, views

router = SimpleRouter(trailing_slash=False, use_regex_path=False)
for register in REGISTERS.values():
    router.register(f"proof/v1/{register.name}", views.viewset_of(register), register.name)
router.register("proof/v1/openapi.json", openapi.ContractViewSet, "openapi")

urlpatterns = router.urls
