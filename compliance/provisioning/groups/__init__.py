"""Groups: a Group of SCIM is a team, whoever made the team, and its members are the Users that the client sees."""
