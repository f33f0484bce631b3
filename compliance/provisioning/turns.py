"""The lock of a company's provisioning: only one transaction at a time may look for a person and create them."""

import uuid

from compliance.tenancy import sql


def wait(organization_id: uuid.UUID) -> None:
    """Returns when nobody else provisions people of the company; others then wait until this transaction ends.

    Read the clock afterwards, so that what is recorded is later than what was waited for.
    """
    sql.fetch("SELECT pg_advisory_xact_lock(hashtextextended(%s, 7643))", [str(organization_id)])
