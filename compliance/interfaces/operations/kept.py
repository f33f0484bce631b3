"""What this room keeps of one person (`tenancy.kept`): which reminders were sent to them."""

from compliance.interfaces.operations.models import ReminderDelivery
from compliance.tenancy.kept import of_learner

PARTS = (of_learner("reminder_letters", ReminderDelivery),)
