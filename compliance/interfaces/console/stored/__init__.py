"""A company's rows as they are stored, read only, among the pages of Django's admin."""
