"""The steps between a right password and a session."""

from allauth.account.authentication import get_authentication_records
from allauth.mfa.stages import AuthenticateStage
from django.http import HttpRequest


class SecondFactorStage(AuthenticateStage):
    """Asks for the second factor, unless the company's provider has proved that it asked for one."""

    def _should_handle(self, request: HttpRequest) -> bool:
        records = get_authentication_records(request, self.login.user)
        if any(record.get("method") == "mfa" and record.get("provider") for record in records):
            return False
        return bool(super()._should_handle(request))
