"""Who works at Meridian Instruments, and when; its partners and customers."""

from development.demo.telling import Story, address_of

_NAMES = {
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
ROLES = {"Sales": ["sales"], "Finance": ["finance"]}
"""The roles of everybody in a team, with the names in the packages' manifests."""

TEAMS = {team: tuple(names.split(",")) for team, names in _NAMES.items()}
EVERYONE = tuple(name for names in TEAMS.values() for name in names)
AWAY = {"Gaspard Leroy": (380, 120), "Victor Hugon": (60, 0), "Ugo Ricci": (20, 0)}


def works(name: str, days_ago: int) -> bool:
    """Whether the person was employed that many days ago."""
    place = next(names.index(name) for names in TEAMS.values() if name in names)
    left, back = AWAY.get(name, (-1, -1))
    return days_ago < 720 - 9 * place and not back <= days_ago <= left


def tell(story: Story) -> None:
    """Who joins, leaves, changes and is invited."""
    for team, names in TEAMS.items():
        story.team(team, 725)
        for place, name in enumerate(names):
            story.joins(name, 720 - 9 * place, (team,), role_ids=ROLES.get(team))
    # Responsibilities besides the work of the team.
    story.tell("person_changed", 400, learner_profile_id=story.profile("Élodie Girard"), role_ids=["fire-warden"])
    story.tell(
        "person_changed",
        90,
        learner_profile_id=story.profile("Isabelle Caron"),
        role_ids=["buyer", "finance", "fire-warden", "people-manager"],
    )
    story.tell("team_renamed", 300, team_id=story.id("team/People"), name="People and culture")
    # Someone who left and returned; someone who left for good, before and after a deadline.
    story.tell("employee_left", 380, person_id=story.person("Gaspard Leroy"))
    story.joins("Gaspard Leroy", 120, ("Sales",), stay=2)  # still in the team: leaving did not end the membership
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
            work_email=f"{address_of(name)}@meridian.example",
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
            account_email=f"{address_of(name)}@partners.example",
        )
    story.tell("contact_left", 90, learner_profile_id=story.profile("Claire Fabre"), door="partner")
