"""People: profiles, invitations, employments, contacts, teams (design 3)."""
