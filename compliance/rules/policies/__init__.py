"""Policy records (design 4, Policies): who owes which version, by when, and which receipt settled it, by valid time.

For the room that loads facts (subject "learner and policy"):

- `PolicyFacts`: all versions of the policy and all its shares, each share with whole steps as for owed learning.
- `Signer`: the person's `LearnerFacts` as for owed learning and their stretches as a contact (partner, customer).
- `ReceiptFacts`: all receipts of the person for the policy, with `signed_at` as in the chain.
- `decide.decide(organization_id, zone, policy, signer, receipts, now)` gives one timeline a record; at any moment at
most one
  of a person's records for a policy has a content. The one of the standing cycle carries `next_change_at`, the start
  of the company day when its renewal opens: store it so that the sweep decides the subject again then.
- `standing.state_at` decides `state` at read from the columns `receipt_id` and `due_at`.
- `signing.cycle_id` gives a new receipt's `cycle_id`; `signing.refusal` says why a person may not sign at a moment.
"""
