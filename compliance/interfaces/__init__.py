"""Everything that faces outward: the API, the console, public pages, commands."""
