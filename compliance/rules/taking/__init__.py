"""What taking a course comes to: which lessons are for whom, when a question is settled, when a course is finished."""
