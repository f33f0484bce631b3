"""Files that companies keep: evidence packs, exports, uploads, media of courses.

The bytes of each are an object in one of Django's storages (a folder, or a bucket of S3); a row has its size and
digests."""
