"""A course is kept on a phone, taken without a connection, and sent once the network is back, in a real browser."""

from typing import Any

import pytest

from compliance.facts.training.models import Completion
from compliance.learning.models import Answer, PageRead, Take
from compliance.tenancy import context
from tests.companies import Company, Course, make_present_company
from tests.interfaces.learner.offline.conftest import Devices, sign_in
from tests.interfaces.learner.offline.cutting_proxy import CuttingProxy, Network
from tests.learning.courses_to_take import film, lesson, page, question, teach

pytestmark = pytest.mark.browser
LESSONS = (
    lesson("one", page("p1"), page("p2", question("q1"))),
    lesson("two", page("p3", film(question("q3"))), page("p4", question("q2", kind="multiple"))),
)


@pytest.fixture
def company(served: str) -> Company:
    return make_present_company()


def stored(company: Company, table: Any) -> list[Any]:
    with context.company(company.organization_id):
        return list(table.objects.filter(organization_id=company.organization_id).order_by("id"))


def address(course: Course, page_id: str = "") -> str:
    return f"/learn/courses/{course.course_id}/{page_id}"


def keep(device: Any, course: Course) -> Any:
    """Opens the course and keeps it."""
    phone = device.new_page()
    phone.goto(address(course))
    phone.get_by_role("button", name="Keep on this device").click()
    phone.get_by_text("Kept on this device.").wait_for()
    return phone


def lose(network: CuttingProxy, device: Any) -> None:
    network.become(Network.AWAY)
    device.set_offline(True)


def regain(network: CuttingProxy, device: Any, how: Network = Network.THERE) -> None:
    network.become(how)
    device.set_offline(False)


def take_all(phone: Any, course: Course) -> None:
    """Takes the course from its first page to its last."""
    phone.goto(address(course, "p1"))
    phone.get_by_role("link", name="Continue").click()
    phone.get_by_label("p2.q1.yes").check()
    phone.get_by_role("button", name="Check my answer").click()
    phone.get_by_text("Your answer is kept on this device.").wait_for()
    phone.get_by_role("link", name="Continue").click()
    phone.get_by_role("button", name="Play the film").click()
    phone.get_by_role("button", name="Next scene").click()
    phone.get_by_label("p3.q3.yes").check()
    phone.get_by_role("button", name="Check my answer").click()
    phone.get_by_text("Your answer is kept on this device.").wait_for()
    phone.get_by_role("button", name="Next scene").click()
    phone.get_by_text("The film has ended.").wait_for()
    phone.get_by_role("link", name="Continue").click()
    phone.get_by_label("p4.q2.yes").check()
    phone.get_by_label("p4.q2.also").check()
    phone.get_by_role("button", name="Check my answer").click()
    phone.get_by_text("Your answer is kept on this device.").wait_for()


def test_a_course_is_taken_without_a_connection_and_a_send_that_is_cut_and_repeated_completes_it_once(
    company: Company, device: Devices, network: CuttingProxy
) -> None:
    anna, course = company.join(), teach(company, *LESSONS)
    phone_of_anna = device()
    sign_in(phone_of_anna, company, anna, network)
    phone = keep(phone_of_anna, course)
    assert stored(company, PageRead) == []
    lose(network, phone_of_anna)
    take_all(phone, course)
    assert "Waiting to be sent: 8." in phone.locator("[data-offline]").inner_text()
    assert stored(company, Answer) == []
    regain(network, phone_of_anna, Network.CUTS)
    assert network.cut.wait(30)
    completions = stored(company, Completion)
    assert len(completions) == 1  # the server has it, the phone does not know
    regain(network, phone_of_anna)
    phone.get_by_text("The course is finished.").wait_for(timeout=30_000)
    assert stored(company, Completion) == completions
    (take,) = stored(company, Take)
    assert take.completion_receipt_id == completions[0].completion_receipt_id
    assert take.assessed
    assert [each.number for each in stored(company, Answer)] == [1, 1, 1]
