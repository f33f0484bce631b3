"""Webhooks as staff see them: where a company's changes are sent, their states, and their tries."""
