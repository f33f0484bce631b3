"""Keeps beside each certificate that is stored already the name that it was issued on, as it is known today.

From here on the writer keeps the name when it first records a certificate; nothing that is told later changes it.
"""

from django.db import migrations

FORWARD = """
INSERT INTO certificates_issuedname (organization_id, certificate_id, learner_profile_id, person_name)
SELECT n.organization_id, n.certificate_id, n.learner_profile_id, n.person_name FROM (
    SELECT r.organization_id, r.record_id AS certificate_id, r.learner_profile_id, (
        WITH RECURSIVE chain AS (
            SELECT c.supersedes_id, c.person_name, c.at FROM certificates_certificatecorrection c
            WHERE c.organization_id = r.organization_id AND c.certificate_id = r.record_id
            UNION
            SELECT c.supersedes_id, c.person_name, c.at FROM chain JOIN certificates_certificatecorrection c
                ON c.organization_id = r.organization_id AND c.certificate_id = chain.supersedes_id)
        SELECT told.person_name FROM (
            SELECT d.at, 0 AS rank, d.fact_id, d.person_name FROM people_personaldetail d
            WHERE d.organization_id = r.organization_id AND d.learner_profile_id = r.learner_profile_id
            UNION ALL SELECT chain.at, 1, chain.supersedes_id, chain.person_name FROM chain) told
        WHERE told.person_name IS NOT NULL
        ORDER BY told.at > v.begins_at, CASE WHEN told.at <= v.begins_at THEN told.at END DESC,
            CASE WHEN told.at > v.begins_at THEN told.at END, told.rank DESC, told.fact_id DESC LIMIT 1) AS person_name
    FROM history_historyrecord r
    JOIN history_historyrow v ON v.organization_id = r.organization_id AND v.sequence = r.birth
    WHERE r.register = 3) n
WHERE n.person_name IS NOT NULL
ON CONFLICT (organization_id, certificate_id) DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [
        ("history", "0005_taken_in"),
        ("certificates", "0002_issuedname"),
        ("people", "0002_invitation_erased_at"),
    ]

    operations = [migrations.RunSQL(FORWARD, migrations.RunSQL.noop)]
