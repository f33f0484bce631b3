"""What can go wrong when facts are recorded. One class per reason, so that each interface can answer it."""

from compliance.errors import ComplianceError


class FactsError(ComplianceError):
    """Root of the errors of the rooms of facts."""


class UnresolvedReferenceError(FactsError):
    """The fact names something that neither the company's store nor the file knows."""


class AlreadyExistsError(FactsError):
    """The identifier names something that exists already."""


class RefusedByRuleError(FactsError):
    """At the moment of the fact the rules do not allow it (resuming the active, waiving the completed)."""


class ErasedPersonError(FactsError):
    """The person was erased at the company's instruction; erased profiles accept no facts."""


class InvalidContentError(FactsError):
    """A document that the fact carries (a content file, a policy's HTML) breaks its format."""


class FutureFactError(FactsError):
    """The fact takes effect too far in the future."""


class FactIdReusedError(FactsError):
    """The company knows this fact_id with other content."""


class NotAllowedToTellError(FactsError):
    """Whoever tells the fact may not tell this kind, or names another person as the one who acted."""


class InvalidFactError(FactsError):
    """What was to be recorded breaks the form of its kind of fact (see docs/schemas/facts.json)."""


class ImportUnderWayError(FactsError):
    """Another import of the company goes on for longer than this one may wait. Nothing was recorded; try again."""
