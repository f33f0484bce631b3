"""Home: what a person owes, did, holds and signed, and all that is kept about them."""
