"""Policy versions, receipts and their chain, raw signatures (design 3 and 5)."""
