"""See: companies and their health, registers at any moment, stories of records, receipts, keys, the access log."""
