"""The fan-out of policies: who signed what, and the subjects that concern no person."""

from compliance.facts.ledger.models import SubjectKind

DONE = (
    f"SELECT '{SubjectKind.PERSON_POLICY.value}', learner_profile_id, course_id FROM policies_receipt"  # noqa: S608
    " WHERE organization_id = (SELECT %(organization)s::uuid) AND {column} = ANY(%(values)s::uuid[])"
)
"""SQL of the pairs of a learner and a policy, as subjects, whose {column} is one of %(values)s."""

EVERY_VERSION_AND_RECEIPT = f"""
SELECT '{SubjectKind.POLICY_VERSION.value}', course_release_id FROM policies_policyversion
WHERE organization_id = (SELECT %(organization)s::uuid)
UNION ALL SELECT '{SubjectKind.RECEIPT.value}', receipt_id FROM policies_receipt
WHERE organization_id = (SELECT %(organization)s::uuid)
"""  # noqa: S608 - words of our own
"""SQL of the subjects of this room, as kind and identifier, that concern no person."""
