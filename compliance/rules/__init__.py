"""Pure decisions: what is owed, when and with what outcome. No Django, no clock, no database."""
