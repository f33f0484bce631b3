"""The digests that make the records provable, and a verifier that needs nothing of the service.

Standard library only and relative imports only: this folder can be copied out alone and run by a third party with
`python -I -S FOLDER FILE...`. The one exception, `note_keys`, signs checkpoints with `cryptography`; nothing else here
imports it.

- `digests`: statement, document, policy version, signature and receipt digests.
- `history`: row and capture digests of the history's chain, fast enough for the writer's hot path.
- `instants`: the one text form of an instant that is hashed.
- `ed25519`: signatures without a library; `signed_note`, `note_keys`: C2SP signed notes, and keys that sign.
- `access_log`: the chains of the access log, and where they end.
- `cosignature`, `witness_request`: what a witness signs, and is asked; `witnessing`, `witness_memory`, `witness`: one.
- `single_file`: a program of this room as one file.
- `pages`, `versions`, `receipts`, `findings`, `verifier`, `__main__`: the offline verifier.
- `pack`, `pack_*`, `partitions`, `cells`: evidence packs; `verify` is the program of `/tools/verify.py`.
  `pack_registers` alone imports another room: the rules of the clock, which the one file takes in.
"""
