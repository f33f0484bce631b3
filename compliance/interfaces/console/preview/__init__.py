"""What will change: a dry run of an act, displayed before it is confirmed."""
