"""Meridian Instruments: a maker of measuring devices near Paris, about sixty people, two years of history.

Its story shows every outcome, access state, certificate state, policy state, act and door that can stand today, a
late fact, a receipt that asks again, and a person who was erased.
"""

import uuid
from datetime import date

from compliance.demo.telling import Story

NAME = "Meridian Instruments"
ZONE = "Europe/Paris"
DAYS_OF_HISTORY = 730
AWAY = {"Gaspard Leroy": (400, 120), "Victor Hugon": (60, 0), "Ugo Ricci": (20, 0)}

PEOPLE = {
    "Engineering": "Amélie Laurent,Bastien Moreau,Chiara Rossi,Dmitri Volkov,Élodie Girard,Farid Haddad,"
    "Greta Lindqvist,Hugo Bernard,Ines Carvalho,Jonas Weber,Katarzyna Nowak,Louis Petit",
    "Production": "Mamadou Diallo,Nadia Benali,Olivier Fontaine,Paola Conti,Quentin Roux,Rosa Jiménez,Samir Khelifi,"
    "Thérèse Blanc,Ugo Ricci,Valérie Simon,Wanda Kowalska,Xavier Dupont,Yasmine Cherif,Zoé Lambert",
    "Sales": "Adrien Colin,Beatriz Santos,Cédric Marchand,Daniela Popescu,Emil Novák,Fatou Ndiaye,Gaspard Leroy,"
    "Hanna Virtanen",
    "Finance": "Isabelle Caron,Jérôme Perrin,Kenza Alaoui,Laurent Dubois,Margaux Faure",
    "People": "Noémie Garnier,Oscar Lund,Priya Nair",
    "Warehouse": "Raphaël Morel,Sofia Andersson,Tomasz Zieliński,Ursula Keller,Victor Hugon,Wassim Trabelsi",
}  # fmt: skip
ANTI_BRIBERY = "Gifts, favours and bribery"
PHISHING = "Spot the hook: phishing at work"
FIRE = "Fire safety in the workplace"
PRIVACY = "Personal data at work"
FIRST_AID = "First aid at work"
COACHING = "Giving feedback"
EXPENSES = "The old expenses tool"
EXPORT = "Export control"
CLEANROOM = "Cleanroom conduct"
CONDUCT = "Code of conduct"
DEVICES = "Acceptable use of devices"
SUPPLIERS = "Supplier code"
SAFEGUARDS = "Customer data safeguards"


def tell(organization_id: uuid.UUID, today: date) -> Story:
    """The whole story as facts, up to `today`."""
    story = Story(organization_id, "meridian", ZONE, today)
    people = {team: tuple(names.split(",")) for team, names in PEOPLE.items()}
    everyone = [name for names in people.values() for name in names]
    _people(story, people)
    _courses(story, people, everyone)
    _obligations(story, people)
    _live_sessions(story, people)
    _certificates(story, people)
    _policies(story, everyone)
    _erased(story)
    return story


def _works(name: str, days_ago: int) -> bool:
    """Whether the person was employed that many days ago."""
    place = next(names.split(",").index(name) for names in PEOPLE.values() if name in names.split(","))
    left, back = AWAY.get(name, (-1, -1))
    return days_ago < 720 - 9 * place and not back <= days_ago <= left


def _people(story: Story, people: dict[str, tuple[str, ...]]) -> None:
    for team, names in people.items():
        story.team(team, 725)
        for place, name in enumerate(names):
            story.joins(name, 720 - 9 * place, (team,))
    story.tell("team_renamed", 300, team_id=story.id("team/People"), name="People and culture")
    # Someone who left and came back; someone who left for good, before and after a deadline.
    story.tell("employee_left", 400, person_id=story.person("Gaspard Leroy"))
    story.joins("Gaspard Leroy", 120, stay=2)  # still in the team: leaving the company does not end that
    story.tell("employee_left", 60, person_id=story.person("Victor Hugon"))
    story.tell("employee_left", 20, person_id=story.person("Ugo Ricci"))
    story.tell("employee_suspended", 45, person_id=story.person("Quentin Roux"))
    story.tell("employee_suspended", 90, person_id=story.person("Kenza Alaoui"))
    story.tell("employee_resumed", 70, person_id=story.person("Kenza Alaoui"))
    story.joins("Test Learner", 500, ("People",), staff_practice=True)
    # Invitations: accepted, waiting, expired, revoked.
    for name, days_ago, expires in (
        ("Clara Vidal", 40, 10),
        ("Bruno Keita", 6, -8),
        ("Lena Hoffmann", 30, 16),
        ("Paul Girault", 25, -5),
    ):
        story.tell(
            "person_invited",
            days_ago,
            invitation_id=story.id(f"invitation/{name}"),
            work_email=f"{name.lower().replace(' ', '.')}@meridian.example",
            person_name=name,
            expires_at=story.moment(expires, 18),
            team_ids=[story.id("team/Sales")],
        )
    story.joins("Clara Vidal", 38, ("Sales",), invitation_id=story.id("invitation/Clara Vidal"))
    story.tell("invitation_revoked", 20, invitation_id=story.id("invitation/Paul Girault"))
    story.tell(
        "person_changed", 200, learner_profile_id=story.profile("Margaux Faure"), person_name="Margaux Faure-Nguyen"
    )
    story.tell("team_left", 150, team_id=story.id("team/Engineering"), learner_profile_id=story.profile("Louis Petit"))
    story.tell(
        "team_joined", 150, 10, team_id=story.id("team/Production"), learner_profile_id=story.profile("Louis Petit")
    )
    story.tell("team_left", 280, team_id=story.id("team/Production"), learner_profile_id=story.profile("Valérie Simon"))
    # Partners and customers have their own doors.
    for name, door, company in (
        ("Marta Silva", "partner", "Silva Calibration Lda"),
        ("Henrik Dahl", "partner", "Dahl Optics AB"),
        ("Claire Fabre", "partner", "Fabre Logistique"),
        ("Ngozi Eze", "customer", "Lagos Metrology"),
        ("Stefan Bauer", "customer", "Bauer Prüftechnik"),
        ("Akiko Tanaka", "customer", "Tanaka Seimitsu"),
    ):
        story.tell(
            "contact_joined",
            360,
            learner_profile_id=story.profile(name),
            door=door,
            company=company,
            person_name=name,
            account_email=f"{name.lower().replace(' ', '.')}@partners.example",
        )
    story.tell("contact_left", 90, learner_profile_id=story.profile("Claire Fabre"), door="partner")


def _courses(story: Story, people: dict[str, tuple[str, ...]], everyone: list[str]) -> None:
    yearly = {
        "title": "Certificate in preventing bribery",
        "kind": "completion",
        "valid_months": 12,
        "renew_days_before": 45,
    }
    story.course(ANTI_BRIBERY, 700, yearly)
    story.release_of_package("anti-bribery", ANTI_BRIBERY, 1, 695)
    story.share(ANTI_BRIBERY, 690, deadline={"basis": "days_after_added", "days": 60})
    for place, name in enumerate(everyone):
        if place % 7 == 6:
            continue  # never done: overdue by now
        first = 660 - 5 * (place % 12)
        if _works(name, first):
            story.completes(name, ANTI_BRIBERY, first)
            if place % 3 != 1 and _works(name, first - 350):
                story.completes(name, ANTI_BRIBERY, first - 350)  # the first renewal, inside its cycle

    story.course(PHISHING, 420, {"title": "Phishing aware", "kind": "assessed", "valid_months": 24})
    story.release(PHISHING, 1, 415, ("A message from the bank", "Links and attachments"))
    story.share(PHISHING, 410, deadline={"basis": "days_after_added", "days": 30})
    for place, name in enumerate(everyone):
        if place % 4 == 0:
            story.completes(name, PHISHING, 395 - place, assessed=True)
    # A new release mid-way ends what was open of the old one.
    story.release_of_package("phishing", PHISHING, 2, 210)
    for place, name in enumerate(everyone):
        if place % 4 in (1, 2):
            story.completes(name, PHISHING, 200 - 2 * place, version=2, assessed=True)

    story.course(FIRE, 600, {"title": "Fire and workplace safety", "kind": "completion", "valid_months": 6})
    story.release_of_package("fire-safety", FIRE, 1, 590)
    story.share(FIRE, 585, name="site", audience=story.teams("Production", "Warehouse"), deadline=story.by(500))
    for place, name in enumerate(people["Production"] + people["Warehouse"]):
        if place % 5 != 4:
            story.completes(name, FIRE, 495 + 12 * (place % 4) - 15)

    story.course(PRIVACY, 260)
    story.release(PRIVACY, 1, 255, ("What is personal", "Keeping and deleting"))
    story.share(PRIVACY, 250, deadline=story.by(180))
    story.share(PRIVACY, 240, name="finance", audience=story.teams("Finance"), deadline=story.by(220))
    for place, name in enumerate(everyone):
        if place % 3:
            story.completes(name, PRIVACY, 245 - 3 * (place % 40))

    # The finance team's own share ended; the one with everyone goes on.
    story.tell("share_ended", 90, share_id=story.shared(PRIVACY, "finance"))
    story.course("Working from a ship", 230)
    story.release("Working from a ship", 1, 229, ("Aboard",))
    story.share("Working from a ship", 228, name="sales", audience=story.teams("Sales"), deadline=story.by(160))
    story.completes("Beatriz Santos", "Working from a ship", 190)
    story.tell("share_ended", 130, share_id=story.shared("Working from a ship", "sales"))

    # Retake: everyone again, though the first version was done.
    story.course(EXPORT, 300, {"title": "Export control", "kind": "assessed", "valid_months": 36})
    story.release(EXPORT, 1, 295, ("Lists and licences",))
    story.share(EXPORT, 290, name="sales", audience=story.teams("Sales"), deadline=story.by(200))
    for name in people["Sales"][:6]:
        story.completes(name, EXPORT, 270, assessed=True)
    story.release(EXPORT, 2, 30, ("Lists and licences", "Dual use"), retake=True)
    for name in people["Sales"][:3]:
        story.completes(name, EXPORT, 10, version=2, assessed=True)

    # Something that nobody has to do, something that is no longer offered, something still ahead.
    story.course(COACHING, 200)
    story.release(COACHING, 1, 195, ("Listening", "Saying it"))
    story.share(COACHING, 190, requirement="optional", deadline={"basis": "none"})
    for name in people["Engineering"][:4]:
        story.completes(name, COACHING, 100)
    story.course(EXPENSES, 650)
    story.release(EXPENSES, 1, 645, ("Filing a claim",))
    story.share(EXPENSES, 640, name="finance", audience=story.teams("Finance", "Sales"), deadline=story.by(560))
    for name in people["Finance"][:3]:
        story.completes(name, EXPENSES, 600)
    story.tell("release_withdrawn", 330, course_release_id=story.released(EXPENSES, 1))
    story.course(CLEANROOM, 28)
    story.release(CLEANROOM, 1, 27, ("Gowning", "Moving"))
    story.completes(people["Production"][0], CLEANROOM, 26)  # before anybody required it
    story.share(CLEANROOM, 25, name="production", audience=story.teams("Production"), deadline=story.by(-20))
    for name in people["Production"][1:5]:
        story.completes(name, CLEANROOM, 12)
    # One lesson shared by itself, of a course that has no release.
    story.course("Ladders", 80)
    story.tell(
        "lesson_shared",
        75,
        share_id=story.id("share/ladders"),
        lesson_release_id=story.id("lesson/ladders"),
        title="Ladders, checked before use",
        course_id=story.id("course/Ladders"),
        doors=["employee"],
        audience=story.teams("Warehouse"),
        requirement="required",
        deadline={"basis": "days_after_added", "days": 20},
    )
    for name in people["Warehouse"][:3]:
        # Done without a connection, received by the server that day, and told to us a month later: a late fact.
        story.tell(
            "course_completed",
            60,
            16,
            told=25,
            completion_receipt_id=story.id(f"completion/{name}/ladders"),
            learner_profile_id=story.profile(name),
            lesson_release_id=story.id("lesson/ladders"),
        )


def _obligations(story: Story, people: dict[str, tuple[str, ...]]) -> None:
    number = 0
    waived = (
        ("Dmitri Volkov", "leave_of_absence"),
        ("Thérèse Blanc", "medical"),
        ("Hugo Bernard", "equivalent_training"),
        ("Xavier Dupont", "external_certificate"),
        ("Fatou Ndiaye", "not_applicable_to_role"),
        ("Jérôme Perrin", "medical"),
        ("Noémie Garnier", "administrative"),
        ("Sofia Andersson", "entered_in_error"),
    )
    for name, reason in waived:
        number += 1
        story.tell(
            "obligation_changed",
            150,
            obligation_change_id=number,
            learner_profile_id=story.profile(name),
            course_id=story.id(f"course/{PHISHING}"),
            change="waive",
            reason_code=reason,
            actor_id=story.id("administrator"),
        )
    number += 1
    story.tell(
        "obligation_changed",
        100,
        obligation_change_id=number,
        learner_profile_id=story.profile("Thérèse Blanc"),
        course_id=story.id(f"course/{PHISHING}"),
        change="reinstate",
        actor_id=story.id("administrator"),
    )
    number += 1
    story.tell(
        "obligation_changed",
        24,
        obligation_change_id=number,
        learner_profile_id=story.profile("Wanda Kowalska"),
        course_id=story.id(f"course/{CLEANROOM}"),
        change="set_deadline",
        due_at=story.moment(-45, 18),
        actor_id=story.id("administrator"),
    )
    for name in people["Warehouse"][3:5]:
        story.tell("reminder_sent", 50, 7, learner_profile_id=story.profile(name), course_id=story.id("course/Ladders"))


def _live_sessions(story: Story, people: dict[str, tuple[str, ...]]) -> None:
    title = FIRST_AID
    story.course(title, 400, {"title": "First aider at work", "kind": "completion", "valid_months": 24})
    story.release(title, 1, 398, ("A day with the trainer",))
    attending = people["Production"][:6]
    story.share(title, 395, name="first aiders", audience=story.people(*attending), deadline=story.by(340))
    trainer = story.id("trainer/Solange")
    story.tell("trainer_named", 390, trainer_profile_id=trainer, trainer_name="Solange Mbeki")
    for place, days_ago in enumerate((370, 350)):
        session = story.id(f"session/{place}")
        story.tell(
            "live_session_held",
            days_ago,
            17,
            live_session_id=session,
            course_release_id=story.released(title, 1),
            format="on_site" if place == 0 else "online",
            starts_at=story.moment(days_ago, 9),
            ends_at=story.moment(days_ago, 16),
            minutes=420,
            trainer_profile_id=trainer if place == 0 else None,
        )
        for seat, name in enumerate(attending[place * 3 : place * 3 + 3]):
            story.tell(
                "attendance_marked",
                days_ago,
                17,
                10,
                live_session_id=session,
                learner_profile_id=story.profile(name),
                attended=("full", "full", "partial")[seat],
                marked_by="trainer",
            )
    # A mark that the service lowered after an ask revokes the certificate.
    story.tell(
        "attendance_marked",
        345,
        12,
        live_session_id=story.id("session/1"),
        learner_profile_id=story.profile(attending[4]),
        attended="partial",
        marked_by="svc",
    )
    # A completion recorded by mistake is voided.
    story.tell(
        "completion_voided",
        140,
        completion_receipt_id=story.receipt_of(people["Engineering"][4], PRIVACY, 245 - 3 * 4),
        actor_id=story.id("administrator"),
    )


def _certificates(story: Story, people: dict[str, tuple[str, ...]]) -> None:
    """One certificate corrected, one revoked; others run out or are renewed by themselves."""
    holder, day = people["Engineering"][0], 395
    story.tell(
        "certificate_corrected",
        360,
        certificate_id=story.id("certificate/corrected"),
        supersedes_id=story.certificate(holder, PHISHING, day),
        person_name="Amélie Laurent-Petit",
        actor_id=story.id("administrator"),
    )
    story.tell(
        "certificate_revoked",
        65,
        certificate_id=story.certificate(people["Sales"][1], EXPORT, 270),
        actor_id=story.id("administrator"),
    )


def _policies(story: Story, everyone: list[str]) -> None:
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
    for place, name in enumerate(everyone):
        if place % 6 != 5 and _works(name, 605 - place % 9):
            story.signs(name, CONDUCT, 1, 605 - place % 9, drawn=place % 4 == 0)
        if place % 5 != 4 and _works(name, 165 - place % 20):
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
    for place, name in enumerate(everyone):
        if place % 8 != 7 and _works(name, 508 - place % 6):
            story.signs(name, DEVICES, 1, 508 - place % 6, act="acknowledge")
            if place % 3 == 0 and _works(name, 120 - place % 6):
                story.signs(name, DEVICES, 1, 120 - place % 6, act="acknowledge")

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


def _erased(story: Story) -> None:
    """Someone with records, a certificate and a receipt who had their personal data removed."""
    name = "Edgar Poulain"
    story.joins(name, 600, ("Sales",))
    story.completes(name, ANTI_BRIBERY, 580)
    story.signs(name, CONDUCT, 1, 560)
    story.tell("person_erased", 100, learner_profile_id=story.profile(name))
