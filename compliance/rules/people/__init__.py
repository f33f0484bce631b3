"""The rows of the people register (design 4, People): employees and invitations, by valid time.

For the room that loads facts:

- Subject "person": build `PersonFacts` (the profile's `LearnerFacts` as for owed learning, with *all* its stays; the
  suspensions of all stays; its stretches as a contact) and call `decide_employees`: one timeline a `person_id`.
- Subject "invitation": build `InvitationFacts`, with `accepted_by` the `person_id` of the employment that names it and
then
  the `PersonFacts` of that employment's profile, and call `decide_invitation`. A change of a person is therefore also a
  change of each invitation that led to one of their stays.
- No timeline has a `next_change_at`: expiry is decided at read by `standing` from the columns `access_state`,
  `invitation_state`, `invitation_expires_at`, `ended_at`. Counts are taken at read.
- Before recording, `judging.judge` says which facts of a file the rules refuse and why.
"""
