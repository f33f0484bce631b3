"""What this room keeps of one person (`tenancy.kept`)."""

from compliance.provisioning.models import EmployeeNumber, ProvisionedAddress, ProvisionedUser
from compliance.tenancy.kept import of_learner

PARTS = (
    of_learner("identity_providers", ProvisionedUser),
    of_learner("identity_provider_addresses", ProvisionedAddress),
    of_learner("employee_number", EmployeeNumber),
)
