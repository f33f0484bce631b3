"""What this room keeps of one person (`tenancy.kept`): links to sign by, without the tokens that open them."""

from compliance.interfaces.pages.models import Link
from compliance.tenancy.kept import of_learner

PARTS = (of_learner("signing_links", Link),)
