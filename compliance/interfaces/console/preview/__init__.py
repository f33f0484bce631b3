"""What an act would change: a dry run, displayed before it is confirmed."""
