"""A receipt with its lines recomputed, and a policy version as people read and signed it."""

import uuid
from typing import Any, NamedTuple

from django.http import HttpResponse
from django.utils.translation import gettext as _

from compliance.facts.people import queries as people
from compliance.facts.policies import queries
from compliance.facts.policies.models import Receipt
from compliance.interfaces.console.errors import NothingThereError
from compliance.interfaces.console.visit import Visit
from compliance.interfaces.pages.signing_form import signature_values
from compliance.interfaces.pages.written_in import written_in
from compliance.proofs import digests
from compliance.proofs.instants import hashed_instant


class Line(NamedTuple):
    """A line that is hashed: its name and its text."""

    name: str
    says: str


class Check(NamedTuple):
    """One recomputed digest: its name, the stored and the computed value."""

    name: str
    stored: str
    computed: str

    @property
    def holds(self) -> bool:
        """Whether both are the same."""
        return self.stored == self.computed


def receipt(visit: Visit, receipt_id: uuid.UUID) -> HttpResponse:
    """The receipt, its place in the chain, and every digest computed anew from what is stored now."""
    organization_id = visit.organization.organization_id
    chain = queries.receipt_and_neighbours(organization_id, receipt_id)
    if 0 not in chain:
        raise NothingThereError(_("This company holds no such receipt."))
    found = chain[0]
    version = queries.version_row(organization_id, found.course_release_id)
    signature = queries.raw_signature(organization_id, receipt_id)
    lines = receipt_lines(organization_id, found)
    checks = [Check(_("Receipt hash"), found.receipt_sha256, digests.sha256_lines(line.says for line in lines))]
    before = chain.get(-1)
    checks.append(
        Check(
            _("Link to the receipt before"),
            found.previous_sha256,
            before.receipt_sha256 if before else (digests.ZERO_DIGEST if found.number == 1 else _("missing")),
        )
    )
    if 1 in chain:
        checks.append(Check(_("Link from the receipt after"), chain[1].previous_sha256, found.receipt_sha256))
    if version:
        checks.append(Check(_("Document"), found.document_sha256, digests.document_sha256(version.html)))
        checks.append(Check(_("Statement"), found.statement_sha256, digests.statement_sha256(version.statement)))
    if signature is not None:
        checks.append(Check(_("Signature"), found.signature_sha256 or "", _signature_sha256(signature)))
    visit.crumb(_("Policies"), "policies")
    title = _("Receipt %(number)s") % {"number": found.number}
    if version:
        visit.crumb(version.policy_title, "policy-page", course_id=version.course_id)
        title = _("Receipt: %(policy)s") % {"policy": version.policy_title}
    kept = queries.stored_receipt(organization_id, receipt_id)
    values = {
        "title": title,
        "receipt": found,
        "signer_company": kept.signer_company,
        "language": written_in(version.html) if version else None,
        **signature_values(kept),
        "before": before,
        "after": chain.get(1),
        "version": version,
        "person": people.person(organization_id, found.learner_profile_id),
        "signature_kept": signature is not None,
        "lines": lines,
        "checks": checks,
        "holds": all(check.holds for check in checks),
        "verified": "verify" in visit.request.GET,
    }
    return visit.render("console/see/receipt.html", values)


def receipt_lines(organization_id: uuid.UUID, found: Receipt) -> list[Line]:
    """The lines of the receipt hash rule, in order."""
    return [
        Line("constant", digests.RECEIPT_CONSTANT),
        Line("receipt_id", str(found.receipt_id)),
        Line("organization_id", str(organization_id)),
        Line("course_release_id", str(found.course_release_id)),
        Line("learner_profile_id", str(found.learner_profile_id)),
        Line("assignment_id", str(found.share_id)),
        Line("cycle_id", str(found.cycle_id)),
        Line("act", found.act),
        Line("statement_sha256", found.statement_sha256),
        Line("document_sha256", found.document_sha256),
        Line("signature_sha256", found.signature_sha256 or ""),
        Line("signed_at", hashed_instant(found.signed_at)),
        Line("previous_sha256", found.previous_sha256),
    ]


def _signature_sha256(signature: dict[str, Any]) -> str:
    if "typed" in signature:
        made: digests.Signature = digests.TypedSignature(signature["typed"])
    else:
        made = digests.DrawnSignature(tuple(tuple(stroke) for stroke in signature["drawn"]))
    return digests.signature_sha256(made) or ""


def policy(visit: Visit, course_release_id: uuid.UUID) -> HttpResponse:
    """A policy version, its digest recomputed, and its text as people read it."""
    organization_id = visit.organization.organization_id
    version = queries.version_row(organization_id, course_release_id)
    if version is None:
        raise NothingThereError(_("This company published no such version of a policy."))
    visit.crumb(_("Policies"), "policies")
    visit.crumb(version.policy_title, "policy-page", course_id=version.course_id)
    checks = [
        Check(_("Document"), version.document_sha256, digests.document_sha256(version.html)),
        Check(_("Statement"), version.statement_sha256, digests.statement_sha256(version.statement)),
        Check(
            _("Version digest"),
            version.version_digest,
            digests.policy_version_digest(
                course_id=version.course_id,
                version=version.version,
                document_sha256=version.document_sha256,
                statement_sha256=version.statement_sha256,
                act=version.act,
                effective_on=version.effective_on,
                change_kind=version.change_kind,
                renew_months=version.renew_months,
                doors=version.doors,
            ),
        ),
    ]
    named = {"policy": version.policy_title, "number": version.version}
    title = _("%(policy)s, version %(number)s") % named
    values = {"title": title, "version": version, "checks": checks, "language": written_in(version.html)}
    return visit.render("console/see/policy.html", values | {"holds": all(check.holds for check in checks)})
