"""The turn for a company's provisioning: only one transaction at a time may look for a person and create them."""

import uuid

from compliance.tenancy.turns import wait_for_turn


def wait(organization_id: uuid.UUID) -> None:
    """Returns when nobody else provisions people of the company; others then wait until this transaction ends."""
    wait_for_turn(organization_id, "provisioning")
