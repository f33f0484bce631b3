"""The whole service on real processes: crashes, contention, restores, long load.

`make chaos`, `make contention`, `make restore`, `make soak` run these at full length; `test_briefly.py` runs a short
version of two of them within the suite.
"""
