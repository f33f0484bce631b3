"""Webhooks notify programs of a company that its records have changed, by the Standard Webhooks specification."""
