"""Which rows of this room are about a person, for their erasure to clear (see `facts.people.erasing`)."""

from compliance.facts.people.erasing import BY_PROFILE

WHOSE = {
    "provisioning_provisioneduser": BY_PROFILE,
    "provisioning_provisionedaddress": BY_PROFILE,
    "provisioning_employeenumber": BY_PROFILE,
}
