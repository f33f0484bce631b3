"""What people at Meridian Instruments learn: courses, shares, obligations changed, live sessions."""

from development.demo.meridian.people import EVERYONE, TEAMS, works
from development.demo.telling import Story

ANTI_BRIBERY = "Gifts, favours and bribery"
PHISHING = "Spot the hook: phishing at work"
FIRE = "Fire safety in the workplace"
PRIVACY = "Personal data at work"
FIRST_AID = "First aid at work"
COACHING = "Giving feedback"
EXPENSES = "The old expenses tool"
EXPORT = "Export control"
ON_SITE = "Working at our customers'"
CLEANROOM = "Cleanroom conduct"


def tell(story: Story) -> None:
    """All of it."""
    _courses(story)
    _obligations(story)
    _live_sessions(story)
    _partners(story)


def _courses(story: Story) -> None:
    yearly = {
        "title": "Certificate in preventing bribery",
        "kind": "completion",
        "valid_months": 12,
        "renew_days_before": 45,
    }
    story.course(ANTI_BRIBERY, 700, yearly)
    story.release_of_package("anti-bribery", ANTI_BRIBERY, 1, 695)
    story.share(ANTI_BRIBERY, 690, deadline={"basis": "days_after_added", "days": 60})
    for place, name in enumerate(EVERYONE):
        if place % 7 == 6:
            continue  # never done: overdue by now
        first = 660 - 5 * (place % 12)
        if works(name, first):
            story.completes(name, ANTI_BRIBERY, first)
            if place % 3 != 1 and works(name, first - 350):
                story.completes(name, ANTI_BRIBERY, first - 350)  # the first renewal, within its cycle
    story.completes("Isabelle Caron", ANTI_BRIBERY, 377)  # whose certificate expired some days ago

    story.course(PHISHING, 420, {"title": "Phishing aware", "kind": "assessed", "valid_months": 24})
    story.release(PHISHING, 1, 415, ("A message from the bank", "Links and attachments"))
    story.share(PHISHING, 410, deadline={"basis": "days_after_added", "days": 30})
    for place, name in enumerate(EVERYONE):
        if place % 4 == 0 and works(name, 395 - place):
            story.completes(name, PHISHING, 395 - place, assessed=True)
    # A new release ends the open records of the old one.
    story.release_of_package("phishing", PHISHING, 2, 210)
    for place, name in enumerate(EVERYONE):
        if place % 4 in (1, 2):
            story.completes(name, PHISHING, 200 - 2 * place, version=2, assessed=True)

    story.course(FIRE, 600, {"title": "Fire and workplace safety", "kind": "completion", "valid_months": 6})
    story.release_of_package("fire-safety", FIRE, 1, 590)
    story.share(FIRE, 585, name="site", audience=story.teams("Production", "Warehouse"), deadline=story.by(500))
    for place, name in enumerate(TEAMS["Production"] + TEAMS["Warehouse"]):
        if place % 5 != 4:
            story.completes(name, FIRE, 495 + 12 * (place % 4) - 15)
    # The offices joined later, and have a few days left.
    offices = ("Engineering", "Finance", "People")
    story.share(FIRE, 24, name="offices", audience=story.teams(*offices), deadline=story.by_friday())
    for name in ("Farid Haddad", "Chiara Rossi", "Ines Carvalho", "Kenza Alaoui", "Priya Nair"):
        story.completes(name, FIRE, 9)

    story.course(PRIVACY, 260)
    story.release_of_package("personal-data", PRIVACY, 1, 255)
    story.share(PRIVACY, 250, deadline=story.by(180))
    story.share(PRIVACY, 240, name="finance", audience=story.teams("Finance"), deadline=story.by(220))
    for place, name in enumerate(EVERYONE):
        if place % 3:
            story.completes(name, PRIVACY, 245 - 3 * (place % 40))

    # The finance team's own share ended; the one for everyone is still open.
    story.tell("share_ended", 90, share_id=story.shared(PRIVACY, "finance"))
    story.course("Working from a ship", 230)
    story.release("Working from a ship", 1, 229, ("Aboard",))
    story.share("Working from a ship", 228, name="sales", audience=story.teams("Sales"), deadline=story.by(160))
    story.completes("Beatriz Santos", "Working from a ship", 190)
    story.tell("share_ended", 130, share_id=story.shared("Working from a ship", "sales"))

    # Retake: everyone again, although the first version was done.
    story.course(EXPORT, 300, {"title": "Export control", "kind": "assessed", "valid_months": 36})
    story.release(EXPORT, 1, 295, ("Lists and licences",))
    story.share(EXPORT, 290, name="sales", audience=story.teams("Sales"), deadline=story.by(200))
    for name in TEAMS["Sales"][:6]:
        story.completes(name, EXPORT, 270, assessed=True)
    story.release(EXPORT, 2, 30, ("Lists and licences", "Dual use"), retake=True)
    for name in TEAMS["Sales"][:3]:
        story.completes(name, EXPORT, 10, version=2, assessed=True)

    # A voluntary course, one that is no longer offered, one that starts later.
    story.course(COACHING, 200)
    story.release(COACHING, 1, 195, ("Listening", "Saying it"))
    story.share(COACHING, 190, requirement="optional", deadline={"basis": "none"})
    for name in TEAMS["Engineering"][:4]:
        story.completes(name, COACHING, 100)
    story.course(EXPENSES, 650)
    story.release(EXPENSES, 1, 645, ("Filing a claim",))
    story.share(EXPENSES, 640, name="finance", audience=story.teams("Finance", "Sales"), deadline=story.by(560))
    for name in TEAMS["Finance"][:3]:
        story.completes(name, EXPENSES, 600)
    story.tell("release_withdrawn", 330, course_release_id=story.released(EXPENSES, 1))
    story.course(CLEANROOM, 28)
    story.release(CLEANROOM, 1, 27, ("Gowning", "Moving"))
    story.completes(TEAMS["Production"][0], CLEANROOM, 26)  # before anybody required it
    story.share(CLEANROOM, 25, name="production", audience=story.teams("Production"), deadline=story.by(-20))
    for name in TEAMS["Production"][1:5]:
        story.completes(name, CLEANROOM, 12)
    # One lesson shared alone, of a course that has no release.
    story.course("Ladders", 80)
    story.tell(
        "lesson_shared",
        75,
        share_id=story.id("share/ladders"),
        lesson_release_id=story.id("lesson/ladders"),
        title="Ladders, checked before use",
        version=1,
        content_sha256=story.id("content/ladders").replace("-", "") * 2,
        course_id=story.id("course/Ladders"),
        doors=["employee"],
        audience=story.teams("Warehouse"),
        requirement="required",
        deadline={"basis": "days_after_added", "days": 20},
    )
    for name in TEAMS["Warehouse"][:3]:
        # Done without a connection, received by the server that day, and recorded a month later: a late fact.
        story.tell(
            "course_completed",
            60,
            16,
            heard=25,
            completion_receipt_id=story.id(f"completion/{name}/ladders"),
            learner_profile_id=story.profile(name),
            lesson_release_id=story.id("lesson/ladders"),
        )


def _obligations(story: Story) -> None:
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
    for name in TEAMS["Warehouse"][3:5]:
        story.tell("reminder_sent", 50, 7, learner_profile_id=story.profile(name), course_id=story.id("course/Ladders"))


def _live_sessions(story: Story) -> None:
    title = FIRST_AID
    story.course(title, 400, {"title": "First aider at work", "kind": "completion", "valid_months": 24})
    story.release(title, 1, 398, ("A day with the trainer",))
    attending = TEAMS["Production"][:6]
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
    # An attendance that the service lowered afterwards revokes the certificate.
    story.tell(
        "attendance_marked",
        345,
        12,
        live_session_id=story.id("session/1"),
        learner_profile_id=story.profile(attending[4]),
        attended="partial",
        marked_by="svc",
    )


def _partners(story: Story) -> None:
    """A course for partners only: employees do not owe it, and what a partner does is in no employee's row."""
    story.course(ON_SITE, 200, {"title": "Safe at our customers'", "kind": "completion", "valid_months": 24})
    story.release(ON_SITE, 1, 196, ("Signing in", "Their rules first"))
    story.share(ON_SITE, 195, name="partners", deadline=story.by(150), doors=("partner",))
    story.completes("Marta Silva", ON_SITE, 170)
    # Coaching is offered to partners too, by a second share beside the employees'.
    story.share(COACHING, 185, name="partners", requirement="optional", deadline={"basis": "none"}, doors=("partner",))
