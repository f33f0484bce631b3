"""What will change: a dry run of an act, shown before it is confirmed."""
