"""The turn that a company's provisioning takes: whoever looks for a person, to make them if need be, is alone."""

import uuid

from compliance.tenancy import sql


def wait(organization_id: uuid.UUID) -> None:
    """Returns when nobody else provisions people of the company; nobody begins until this transaction ends.

    The moment of what is recorded is to be asked for afterwards, so that it is later than what was waited for.
    """
    sql.fetch("SELECT pg_advisory_xact_lock(hashtextextended(%s, 7643))", [str(organization_id)])
