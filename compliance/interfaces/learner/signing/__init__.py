"""Signing a policy within the learner's pages, and its receipt."""
