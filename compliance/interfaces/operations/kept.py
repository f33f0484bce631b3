"""What this room keeps of one person (`tenancy.kept`): which reminders were sent to them."""

from compliance.interfaces.operations.models import ReminderDelivery
from compliance.tenancy.kept import of_learner

PARTS = (
    of_learner(
        "reminder_letters",
        ReminderDelivery,
        "record_id course_id due_at step_days letter_id state claimed_at settled_at attempts failure",
    ),
)
