"""What can go wrong with webhooks."""

from compliance.errors import ComplianceError


class WebhooksError(ComplianceError):
    """Root of this room's errors."""


class NoSuchWebhookError(WebhooksError):
    """The identifier names no webhook, or one of another company."""


class BadAddressError(WebhooksError):
    """A URL that no webhook may have: not https, with credentials, or of a form that is not understood."""


class BadCaptureError(WebhooksError):
    """The number names no capture of the company's history."""


class WebhookStateError(WebhooksError):
    """The webhook is paused already, or is not paused."""


class TooManyWebhooksError(WebhooksError):
    """The company has as many webhooks as a company may have."""


class UnreadableSecretError(WebhooksError):
    """A stored secret that neither SECRET_KEY nor any of SECRET_KEY_FALLBACKS opens."""
