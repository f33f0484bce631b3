"""The house rules that CONTRIBUTING.md states, held by the code itself."""
