"""People: profiles, invitations, employments, contacts, teams."""
