"""All listings, by the page of each register: what the API, the console, exports and evidence read."""

from compliance.registers import certificates, courses, people, policies, training
from compliance.registers.pages import Listing

LISTINGS: dict[str, Listing] = {
    listing.register.page: listing
    for module in (training, people, certificates, courses, policies)
    for listing in module.LISTINGS
}
