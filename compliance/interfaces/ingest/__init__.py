"""Facts in over HTTP: `POST /in/v1/facts`, for programs that hold the token of a source (docs/facts-api.md)."""
