"""Django's backend for PostgreSQL, with connections that are watched, so that a silent server is detected."""
