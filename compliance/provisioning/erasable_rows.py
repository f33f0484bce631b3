"""How a row of this room is known to be a person's: what their erasure clears here (see `facts.people.erasing`)."""

from compliance.facts.people.erasing import BY_PROFILE

WHOSE = {
    "provisioning_provisioneduser": BY_PROFILE,
    "provisioning_provisionedaddress": BY_PROFILE,
    "provisioning_employeenumber": BY_PROFILE,
}
