"""Django's backend for PostgreSQL, with connections that are watched: a server that falls silent is noticed."""
