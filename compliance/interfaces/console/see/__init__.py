"""See: companies and their health, registers through time, stories of records, people, receipts, keys."""
