"""Letters to learners: news, reminders, policy notices, signed copies, certificates, invitations, links."""
