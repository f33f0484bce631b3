"""Every act of the console, by the name in its address."""

from compliance.interfaces.console.acting import (
    bulk,
    certificates,
    courses,
    keys,
    obligations,
    people,
    policies,
    shares,
    upkeep,
)
from compliance.interfaces.console.acting.act import Act

_ALL: tuple[Act, ...] = (
    people.Invite(),
    people.RevokeInvitation(),
    people.Suspend(),
    people.Resume(),
    people.End(),
    people.ChangeTeam(),
    people.Erase(),
    shares.ShareCourse(),
    shares.SharePolicy(),
    shares.ChangeShare(),
    shares.EndShare(),
    obligations.Waive(),
    obligations.Reinstate(),
    obligations.SetDeadline(),
    bulk.WaiveMany(),
    bulk.DeadlineMany(),
    bulk.RemindMany(),
    courses.PublishCourse(),
    courses.WithdrawCourse(),
    policies.PublishPolicy(),
    certificates.RevokeCertificate(),
    certificates.CorrectCertificate(),
    keys.IssueKey(),
    keys.RotateKey(),
    keys.RevokeKey(),
    upkeep.ImportFacts(),
    upkeep.Sweep(),
    upkeep.Verify(),
)
ACTS: dict[str, Act] = {act.name: act for act in _ALL}
