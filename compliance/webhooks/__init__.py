"""Webhooks: programs of a company hear that its records changed, by the Standard Webhooks specification."""
