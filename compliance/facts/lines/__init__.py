"""The lines of the facts file `svc.facts/1` as strict pydantic classes, one module per subject; `kinds` lists all."""
