"""The append-only, hash-chained history: pending subjects are decided, captured and read back."""
