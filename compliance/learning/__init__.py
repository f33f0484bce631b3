"""Learning: personal links and sessions of learners, and their progress in courses that are not finished yet.

Nothing here is a fact: a finished course becomes one (`course_completed`); what is kept here until then is erasable.
"""
