"""The digests that make records provable, and a verifier that does not need the service.

Only the standard library and relative imports: a third party can copy this folder alone and run it with
`python -I -S FOLDER FILE...`. The one exception, `note_keys`, signs checkpoints with `cryptography`; no other module
here imports it.

- `digests`: statement, document, policy version, signature and receipt digests.
- `history`: row and capture digests of the history's chain, fast enough for the writer's hot path.
- `instants`: the text form in which instants are hashed.
- `ed25519`: signatures without a library; `signed_note`, `note_keys`: C2SP signed notes, and keys that sign.
- `access_log`: the chains of the access log, and their ends.
- `cosignature`, `witness_request`: a witness's signature, and the request for it; `witnessing`, `witness_memory`,
  `witness`: a witness.
- `single_file`: a program of this room as one file.
- `pages`, `versions`, `receipts`, `findings`, `verifier`, `__main__`: the offline verifier.
- `pack`, `pack_*`, `partitions`, `cells`: evidence packs; `verify` is the program of `/tools/verify.py`.
  Only `pack_registers` imports another room: the rules of the clock, which the single file includes.
"""
