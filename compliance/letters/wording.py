"""The texts of each kind of letter, in the active language.

Nothing is read here, so that previews render letters of invented people with the same texts. A title that is written in
the other direction than the sentence around it is isolated (`content.within`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import get_language_bidi, gettext, ngettext

from compliance.learning.words import by_day, day_and_time, day_of
from compliance.letters.content import Button, Content, Enclosure, Thing, within


@dataclass(frozen=True)
class Writing:
    """The writer, the recipient and the moment of a letter. `person_name` None if none is known."""

    company: str
    person_name: str | None
    now: datetime
    zone: ZoneInfo

    @property
    def company_name(self) -> str:
        """The company's name, within a sentence."""
        return _named(self.company)

    @property
    def greeting(self) -> str:
        """The greeting of a letter."""
        if not self.person_name:
            return gettext("Hello,")
        return gettext("Hello %(name)s,") % {"name": _named(self.person_name)}


@dataclass(frozen=True)
class Way:
    """A personal link that was made for a letter, and when it expires."""

    address: str
    until: datetime


@dataclass(frozen=True)
class ToDo:
    """A course or a policy that is to be done. `lesson`: of the course, one lesson that was shared alone."""

    title: str
    policy: bool
    due_at: datetime | None
    lesson: bool = False

    @property
    def label(self) -> str:
        """The words of a button that leads to it."""
        if self.policy:
            return gettext("Go to the policy")
        return gettext("Go to the lesson") if self.lesson else gettext("Go to the course")


@dataclass(frozen=True)
class Receipt:
    """What was signed or acknowledged, when, and the details of its receipt."""

    title: str
    version: int
    signed: bool
    at: datetime
    receipt_id: str
    receipt_sha256: str


@dataclass(frozen=True)
class Certificate:
    """A certificate as issued; `check` is the address at which anybody can check it."""

    title: str
    earned_at: datetime
    valid_until: datetime | None
    check_code: str
    check: str


def link(writing: Writing, way: Way) -> Content:
    """A link that a person requested by an address."""
    return Content(
        subject=gettext("Your sign-in link for %(company)s") % {"company": writing.company_name},
        greeting=writing.greeting,
        paragraphs=(
            gettext("You asked for a link to sign in to your training and policies at %(company)s.")
            % {"company": writing.company_name},
        ),
        button=Button(gettext("Sign in"), way.address),
        closing=(
            gettext("The link works once, within 15 minutes."),
            gettext("If you did not ask for this, there is nothing to do: nobody can sign in without this message."),
        ),
    )


def staff_link(writing: Writing, way: Way) -> Content:
    """A link that the company's staff sent."""
    return Content(
        subject=gettext("Your training and policies at %(company)s") % {"company": writing.company_name},
        greeting=writing.greeting,
        paragraphs=(
            gettext("%(company)s sends you a link to your training and policies. You need no account and no password.")
            % {"company": writing.company_name},
        ),
        button=Button(gettext("Sign in"), way.address),
        closing=(_for_you_alone(writing, way),),
    )


def invitation(writing: Writing, way: Way) -> Content:
    """The letter that invites somebody to join the company, by the link `way`."""
    company = {"company": writing.company_name}
    return Content(
        subject=gettext("%(company)s invites you") % company,
        greeting=writing.greeting,
        paragraphs=(
            gettext("%(company)s invites you to its training and policies. You need no account and no password.")
            % company,
            gettext("The link opens a page on which you confirm your name and join."),
        ),
        button=Button(gettext("See the invitation"), way.address),
        closing=(
            _for_you_alone(writing, way),
            gettext("If you do not know %(company)s, there is nothing to do.") % company,
        ),
    )


def new(writing: Writing, way: Way, things: Sequence[ToDo]) -> Content:
    """New things to do."""
    if len(things) == 1:
        subject = gettext("New for you: %(title)s") % {"title": _named(things[0].title)}
    else:
        subject = ngettext(
            "%(number)s new thing to do at %(company)s", "%(number)s new things to do at %(company)s", len(things)
        ) % {"number": len(things), "company": writing.company_name}
    opening = gettext("%(company)s asks you to do this:") % {"company": writing.company_name}
    return _things(writing, way, things, subject, opening)


def policy(writing: Writing, way: Way, things: Sequence[ToDo]) -> Content:
    """Policies to read and confirm."""
    if len(things) == 1:
        subject = gettext("Please read and confirm: %(title)s") % {"title": _named(things[0].title)}
    else:
        subject = ngettext(
            "%(number)s policy of %(company)s to read and confirm",
            "%(number)s policies of %(company)s to read and confirm",
            len(things),
        ) % {"number": len(things), "company": writing.company_name}
    opening = gettext("%(company)s asks you to read this and to confirm it:") % {"company": writing.company_name}
    return _things(writing, way, things, subject, opening)


def reminder(writing: Writing, way: Way, things: Sequence[ToDo]) -> Content:
    """Things still to do."""
    if len(things) == 1:
        subject = gettext("Still to do, %(when)s: %(title)s") % {
            "when": by_day(things[0].due_at, writing.now, writing.zone),
            "title": _named(things[0].title),
        }
        if things[0].due_at is None:
            subject = gettext("Still to do: %(title)s") % {"title": _named(things[0].title)}
    else:
        subject = ngettext(
            "%(number)s thing still to do at %(company)s", "%(number)s things still to do at %(company)s", len(things)
        ) % {"number": len(things), "company": writing.company_name}
    opening = gettext("You still have this to do at %(company)s:") % {"company": writing.company_name}
    thanks = gettext("If you have done it in the meantime, thank you: there is nothing left to do.")
    return _things(writing, way, things, subject, opening, thanks)


def signed(writing: Writing, way: Way, receipt: Receipt) -> Content:
    """The signer's copy, which also informs them of a signature that was not theirs."""
    title = {"title": _named(receipt.title), "company": writing.company_name}
    if receipt.signed:
        subject = gettext("Your copy: you signed %(title)s") % title
        opening = gettext("This was signed in your name at %(company)s. Keep this message as your copy.") % title
        when = gettext("Signed")
    else:
        subject = gettext("Your copy: you acknowledged %(title)s") % title
        opening = gettext("This was acknowledged in your name at %(company)s. Keep this message as your copy.") % title
        when = gettext("Acknowledged")
    moment = f"{day_and_time(receipt.at, writing.zone)} ({writing.zone.key})"
    return Content(
        subject=subject,
        greeting=writing.greeting,
        paragraphs=(opening,),
        particulars=(
            (gettext("Policy"), _named(receipt.title)),
            (gettext("Version"), str(receipt.version)),
            (when, moment),
            (gettext("Receipt"), receipt.receipt_id),
            (gettext("Receipt hash"), receipt.receipt_sha256),
        ),
        button=Button(gettext("See what you signed") if receipt.signed else gettext("See what you read"), way.address),
        closing=(
            gettext("If this was not you, tell %(company)s at once.") % title,
            _for_you_alone(writing, way),
        ),
    )


def certificate(
    writing: Writing, way: Way, certificate: Certificate, enclosures: tuple[Enclosure, ...] = ()
) -> Content:
    """A certificate, with the address at which others can check it."""
    title = {"title": _named(certificate.title), "company": writing.company_name}
    valid_until = certificate.valid_until
    closing = [
        gettext("Whoever you show the certificate to can check it here: %(address)s") % {"address": certificate.check},
        _for_you_alone(writing, way),
    ]
    if enclosures:
        closing.insert(0, gettext("The certificate is attached as a PDF."))
    return Content(
        subject=gettext("Your certificate: %(title)s") % title,
        greeting=writing.greeting,
        paragraphs=(gettext("Well done. %(company)s has issued a certificate to you.") % title,),
        particulars=(
            (gettext("Certificate"), title["title"]),
            (gettext("Earned on"), day_of(certificate.earned_at, writing.zone)),
            (gettext("Valid until"), day_of(valid_until, writing.zone) if valid_until else gettext("no end")),
            (gettext("Check code"), certificate.check_code),
        ),
        button=Button(gettext("See your certificate"), way.address),
        closing=tuple(closing),
        enclosures=enclosures,
    )


def _things(
    writing: Writing, way: Way, things: Sequence[ToDo], subject: str, opening: str, thanks: str = ""
) -> Content:
    """A letter about things to do, soonest first, with a button for the only one or for all."""
    ordered = sorted(things, key=lambda each: (each.due_at is None, each.due_at or writing.now, each.title))
    label = gettext("See what to do")
    if len(ordered) == 1:
        label = ordered[0].label
    return Content(
        subject=subject,
        greeting=writing.greeting,
        paragraphs=(opening,),
        things=tuple(
            Thing(
                _named(each.title),
                by_day(each.due_at, writing.now, writing.zone),
                late=each.due_at is not None and each.due_at < writing.now,
            )
            for each in ordered
        ),
        button=Button(label, way.address),
        closing=((thanks,) if thanks else ()) + (_for_you_alone(writing, way),),
    )


def _for_you_alone(writing: Writing, way: Way) -> str:
    words = gettext("The link is for you alone, so please do not forward this message. It works once, until %(day)s.")
    return words % {"day": day_of(way.until, writing.zone)}


def _named(text: str) -> str:
    return within(text, right_to_left=get_language_bidi())
