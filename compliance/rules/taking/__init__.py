"""Rules of taking a course: which lessons a person must take, when a question is settled, when a course is finished."""
