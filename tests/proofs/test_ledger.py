"""The digest of a line of the ledger, computed by hand."""

from hashlib import sha256

from compliance.proofs.ledger import line_hasher


def test_a_line_is_the_sha256_of_its_fields_joined_by_line_feeds():
    fields = ["1", "0" * 64, "fact", "team_created", "at", "recorded", "digest", "about", "console", "", "ada", ""]
    assert line_hasher("company")(*fields) == sha256("\n".join(["svc.fact/1", "company", *fields]).encode()).digest()
