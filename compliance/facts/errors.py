"""Errors of recording facts. One class for each reason, so that each interface can answer it in its way."""

from compliance.errors import ComplianceError


class FactsError(ComplianceError):
    """Root of the errors of the rooms of facts."""


class UnresolvedReferenceError(FactsError):
    """The fact names something that neither the stored facts nor the file contain."""


class AlreadyExistsError(FactsError):
    """The identifier is already in use."""


class RefusedByRuleError(FactsError):
    """At the moment of the fact the rules do not allow it (resuming the active, waiving the completed)."""


class ErasedPersonError(FactsError):
    """The person was erased at the company's instruction; erased profiles accept no facts."""


class InvalidContentError(FactsError):
    """A document that the fact carries (a content file, a policy's HTML) breaks its format."""


class FutureFactError(FactsError):
    """The fact takes effect too far in the future."""


class FactIdReusedError(FactsError):
    """The company has recorded this fact_id with other content."""


class NotAllowedToTellError(FactsError):
    """The caller may not record this kind of fact, or names another person as the one who acted."""


class InvalidFactError(FactsError):
    """A field breaks the form of its kind of fact (see docs/schemas/facts.json)."""


class ImportUnderWayError(FactsError):
    """Another import of the company lasts longer than this one may wait. Nothing was recorded; try again."""
