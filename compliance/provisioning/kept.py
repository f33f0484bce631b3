"""What this room keeps of one person (`tenancy.kept`)."""

from compliance.provisioning.models import EmployeeNumber, ProvisionedUser
from compliance.tenancy.kept import of_learner

PARTS = (
    of_learner("identity_providers", ProvisionedUser),
    of_learner("employee_number", EmployeeNumber),
)
