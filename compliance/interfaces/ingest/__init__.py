"""Takes in facts over HTTP: `POST /in/v1/facts`, for programs with the token of a source (docs/facts-api.md)."""
