"""The pages of this part."""

from django.utils.translation import gettext_lazy as _

from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.policies import views

_SEE = Permission.SEE

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("policies", "policies/", views.policies, _SEE, _("Policies"), section=Section.POLICY),
    ConsolePage("policy-page", "policies/of/<uuid:course_id>/", views.policy, _SEE, _("Policy")),
)
