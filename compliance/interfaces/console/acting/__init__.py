"""Acts: every change that staff make, previewed and confirmed with a reason, always through an action."""
