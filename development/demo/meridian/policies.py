"""The policies that people at Meridian Instruments sign."""

from development.demo.meridian.people import EVERYONE, works
from development.demo.telling import Story

CONDUCT = "Code of conduct"
DEVICES = "Acceptable use of devices"
HOME_OFFICE = "Working from home"
TRAVEL = "Travel and expenses"
SUPPLIERS = "Supplier code"
SAFEGUARDS = "Customer data safeguards"
WAITING = ("Isabelle Caron", "Élodie Girard", "Noémie Garnier")
"""Learners of the demo who have not signed the newest policy yet."""


def tell(story: Story) -> None:
    """Each policy, its versions, its shares and its signatures."""
    sections = (
        ("Respect", "We treat each other, our partners and our customers with respect."),
        ("Honesty", "We say what is so, also when it is inconvenient."),
        ("Speaking up", "Whoever sees something wrong says so; nobody is punished for it."),
    )
    all_doors = ("employee", "partner", "customer")
    agree = "I have read the code of conduct and I will follow it."
    story.policy(
        CONDUCT, 1, 640, act="sign", doors=all_doors, change_kind="first", sections=sections[:2], statement=agree
    )
    story.policy_share(CONDUCT, 635, deadline=story.by(600), doors=all_doors)
    story.policy(
        CONDUCT, 2, 450, act="sign", doors=all_doors, change_kind="editorial", sections=sections[:2], statement=agree
    )
    story.policy(
        CONDUCT, 3, 170, act="sign", doors=all_doors, change_kind="ask_again", sections=sections, statement=agree
    )
    for place, name in enumerate(EVERYONE):
        if place % 6 != 5 and works(name, 605 - place % 9):
            story.signs(name, CONDUCT, 1, 605 - place % 9, drawn=place % 4 == 0)
        if place % 5 != 4 and works(name, 165 - place % 20):
            story.signs(name, CONDUCT, 3, 165 - place % 20, drawn=place % 4 == 1)
    story.signs("Marta Silva", CONDUCT, 2, 340, door="partner")
    story.signs("Marta Silva", CONDUCT, 3, 150, door="partner", drawn=True)
    story.signs("Ngozi Eze", CONDUCT, 3, 148, door="customer")

    # Acknowledged, and asked for again every year.
    use = (
        ("At work", "Devices are for work; a little private use is fine."),
        ("Care", "Lock it, update it, report its loss."),
    )
    story.policy(DEVICES, 1, 520, act="acknowledge", doors=("employee",), change_kind="first", sections=use,
                 renew_months=12, statement="I have read how devices may be used.")  # fmt: skip
    story.policy_share(DEVICES, 515, deadline={"basis": "days_after_added", "days": 14}, doors=("employee",))
    for place, name in enumerate(EVERYONE):
        if place % 8 != 7 and works(name, 508 - place % 6):
            story.signs(name, DEVICES, 1, 508 - place % 6, act="acknowledge")
            if place % 3 == 0 and works(name, 120 - place % 6):
                story.signs(name, DEVICES, 1, 120 - place % 6, act="acknowledge")
    for name in ("Farid Haddad", "Isabelle Caron"):
        story.signs(name, DEVICES, 1, 110, act="acknowledge")
    story.signs("Isabelle Caron", CONDUCT, 3, 140)

    # Without a day from which it applies: it applies as soon as it is shared.
    home = (
        ("When", "Up to three days a week, agreed in the team."),
        ("Where", "A quiet room with a door that closes."),
    )
    story.policy(HOME_OFFICE, 1, 95, act="sign", doors=("employee",), change_kind="first", sections=home,
                 effective_after=None, statement="I have read the rules for working from home.")  # fmt: skip
    story.policy_share(HOME_OFFICE, 92, deadline={"basis": "days_after_added", "days": 30}, doors=("employee",))
    for place, name in enumerate(EVERYONE):
        if place % 4 and works(name, 85 - place % 50):
            story.signs(name, HOME_OFFICE, 1, 85 - place % 50, drawn=place % 9 == 0)

    # The newest, due within days.
    travel = (
        ("Booking", "Trains before planes where the journey takes less than five hours."),
        ("Receipts", "Keep each receipt and hand it in within thirty days."),
        ("Limits", "Hotels up to 160 euros a night; more needs a word with your manager first."),
    )
    story.policy(TRAVEL, 1, 12, act="sign", doors=("employee",), change_kind="first", sections=travel,
                 statement="I have read the travel and expenses policy and I will follow it.")  # fmt: skip
    story.policy_share(TRAVEL, 11, deadline=story.by_friday(), doors=("employee",))
    for place, name in enumerate(EVERYONE):
        if name == "Farid Haddad" or (place % 3 and name not in WAITING and works(name, 4)):
            story.signs(name, TRAVEL, 1, 4)

    fair = (
        ("Fair work", "Suppliers pay fair wages and employ no children."),
        ("Origin", "Suppliers tell where parts come from."),
    )
    story.policy(SUPPLIERS, 1, 330, act="sign", doors=("partner",), change_kind="first", sections=fair,
                 statement="We accept the supplier code for our company.")  # fmt: skip
    story.policy_share(SUPPLIERS, 325, deadline=story.by(-30), doors=("partner",))
    story.signs("Marta Silva", SUPPLIERS, 1, 300, door="partner")
    kept = (("What we hold", "Calibration data and contact details."), ("How long", "As long as the device is in use."))
    story.policy(SAFEGUARDS, 1, 320, act="acknowledge", doors=("customer",), change_kind="first", sections=kept,
                 statement="I know how Meridian keeps our data.")  # fmt: skip
    story.policy_share(SAFEGUARDS, 315, deadline=story.by(280), doors=("customer",))
    story.signs("Ngozi Eze", SAFEGUARDS, 1, 310, door="customer", act="acknowledge")
    story.signs("Stefan Bauer", SAFEGUARDS, 1, 200, door="customer", act="acknowledge")
