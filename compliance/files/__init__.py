"""Files that companies keep: evidence packs, exports, uploads, media of courses. The bytes of each are an object in a
storage of Django's (a folder, or a bucket of S3), and a row knows them by size and digests."""
