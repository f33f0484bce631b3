"""The lines of the facts file `svc.facts/1` as strict pydantic classes, a module for each subject; all in `kinds`."""
