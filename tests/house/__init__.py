"""Tests of the house rules in CONTRIBUTING.md."""
