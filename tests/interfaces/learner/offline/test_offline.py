"""A course is kept on a phone, taken offline, and sent once the network is back, in a real browser."""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error

from compliance.facts.training.models import Completion
from compliance.learning import links
from compliance.learning.models import Answer, LearnerSession, PageRead, Take
from compliance.tenancy import context
from tests import verbs
from tests.companies import Company, Course, Person, make_present_company
from tests.interfaces.accessibility import axe, sniffer
from tests.interfaces.api.conftest import Caller, issue_everything
from tests.interfaces.learner.offline.conftest import Devices, sign_in
from tests.interfaces.learner.offline.cutting_proxy import CuttingProxy, Network
from tests.interfaces.learner.walked import Walked, everything
from tests.learning.courses_to_take import film, lesson, page, question, take_in, teach, teach_again

pytestmark = pytest.mark.browser
LESSONS = (
    lesson("one", page("p1"), page("p2", question("q1"))),
    lesson("two", page("p3", film(question("q3"))), page("p4", question("q2", kind="multiple"))),
)


@pytest.fixture
def company(served: str) -> Company:
    return make_present_company()


@pytest.fixture
def anna(company: Company) -> Person:
    return company.join()


@pytest.fixture
def course(company: Company, anna: Person) -> Course:
    """A course that Anna owes."""
    return teach(company, *LESSONS)


@pytest.fixture
def phone_of_anna(company: Company, anna: Person, course: Course, device: Devices, network: CuttingProxy) -> Any:
    """A phone on which Anna has signed in."""
    phone = device()
    sign_in(phone, company, anna, network)
    return phone


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


def shot(phone: Any, name: str) -> None:
    """Saves a picture if SCREENSHOTS is set."""
    if os.environ.get("SCREENSHOTS"):
        phone.screenshot(path=f"{os.environ['SCREENSHOTS']}/{name}.png", full_page=True)


def on_device(phone: Any) -> tuple[int, int]:
    """The numbers of caches and entries in the browser's stores."""
    found = phone.evaluate(
        """async () => {
            const names = await caches.keys();
            const known = (await indexedDB.databases()).some((each) => each.name === "learner");
            if (!known) return [names.length, 0];
            const database = await new Promise((resolve) => {
                const asked = indexedDB.open("learner");
                asked.onsuccess = () => resolve(asked.result);
            });
            let rows = 0;
            for (const name of database.objectStoreNames) {
                const asked = database.transaction(name).objectStore(name).count();
                rows += await new Promise((resolve) => { asked.onsuccess = () => resolve(asked.result); });
            }
            database.close();
            return [names.length, rows];
        }"""
    )
    return found[0], found[1]


ELSEWHERE = """async () => {
    const database = await new Promise((resolve) => {
        const asked = indexedDB.open("learner");
        asked.onsuccess = () => resolve(asked.result);
    });
    const asked = database.transaction("courses").objectStore("courses").getAll();
    const courses = await new Promise((resolve) => { asked.onsuccess = () => resolve(asked.result); });
    database.close();
    return courses.every((each) => each.elsewhere);
}"""


def follow_a_link(phone: Any, company: Company, person: Person) -> None:
    """Signs the person in by a link, in place of whoever was signed in."""
    with context.company(company.organization_id):
        token = links.make(
            company.organization_id,
            now=datetime.now(UTC),
            life=links.ASKED_FOR,
            learner_profile_id=person.learner_profile_id,
        )
    phone.goto(f"/learn/in/{token}")
    phone.get_by_role("button").last.click()
    phone.wait_for_url("**/learn/")


def wait_for(phone: Any, condition: str) -> None:
    """Waits until a condition holds on the page, whose policy lets Playwright's own way of waiting evaluate nothing."""
    for _ in range(600):
        if phone.evaluate(condition):
            return
        phone.wait_for_timeout(100)
    raise AssertionError(condition)


def wait_until(phone: Any, *, elsewhere: bool) -> None:
    """Waits until the worker takes every kept course for another person's, or for this one's."""
    for _ in range(300):
        if phone.evaluate(ELSEWHERE) == elsewhere:
            return
        phone.wait_for_timeout(100)
    raise AssertionError("The worker did not find out whose the courses are.")


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
    company: Company, network: CuttingProxy, course: Course, phone_of_anna: Any
) -> None:
    phone_of_anna.clock.set_fixed_time(datetime(2031, 1, 1, tzinfo=UTC))  # a phone whose clock is wrong
    phone = keep(phone_of_anna, course)
    assert stored(company, PageRead) == []
    lose(network, phone_of_anna)
    phone.goto("/learn/")
    shot(phone, "offline-list")
    phone.get_by_role("link", name="Fire safety").click()
    take_all(phone, course)
    phone.locator("[data-offline]").get_by_text("Waiting to be sent: 8.").wait_for()
    shot(phone, "offline-last-page")
    phone.get_by_role("link", name="Back to the overview").click()
    phone.get_by_text("Not sent yet").first.wait_for()
    assert not phone.get_by_role("link", name="Begin").is_visible()
    shot(phone, "offline-overview")
    assert stored(company, Answer) == []
    began = datetime.now(UTC)
    regain(network, phone_of_anna, Network.CUTS)
    assert network.cut.wait(30)
    completions = stored(company, Completion)
    assert len(completions) == 1  # the server has it, and the phone does not know that
    regain(network, phone_of_anna)
    phone.get_by_text("The course is finished.").wait_for(timeout=30_000)
    shot(phone, "offline-sent")
    assert stored(company, Completion) == completions
    (take,) = stored(company, Take)
    assert take.completion_receipt_id == completions[0].completion_receipt_id
    assert take.assessed
    assert [each.number for each in stored(company, Answer)] == [1, 1, 1]
    take_in(company)
    (row,) = Caller(issue_everything(company.organization_id, began)).pull("/v1/training-records")
    assert row["completion_receipt_id"] == str(take.completion_receipt_id)
    assert began < datetime.fromisoformat(row["completed_at"]) < datetime.now(UTC)


def test_what_is_kept_waits_for_its_own_person_to_sign_in_again(
    company: Company, device: Devices, network: CuttingProxy
) -> None:
    anna, bert, course = company.join(), company.join("Bert"), teach(company, *LESSONS)
    phone_of_both = device()
    sign_in(phone_of_both, company, anna, network)
    phone = keep(phone_of_both, course)
    lose(network, phone_of_both)
    phone.goto(address(course, "p1"))
    phone.get_by_text("Waiting to be sent: 1.").wait_for()
    with context.company(company.organization_id):
        LearnerSession.objects.filter(organization_id=company.organization_id).update(ended_at=company.now)
    regain(network, phone_of_both)
    phone.get_by_text("Your session has ended. Sign in again").wait_for()
    shot(phone, "offline-session-ended")
    assert stored(company, PageRead) == []

    sign_in(phone_of_both, company, bert, network)
    phone.goto("/learn/")
    phone.get_by_text("Waiting to be sent").wait_for(state="hidden")
    wait_until(phone, elsewhere=True)
    phone.reload()
    assert not phone.get_by_text("Waiting to be sent").is_visible()
    assert not network.carried  # it was not sent in another person's name
    assert stored(company, PageRead) == []
    lose(network, phone_of_both)
    with pytest.raises(Error):
        phone.goto(address(course, "p1"))  # Bert may not read what is kept

    regain(network, phone_of_both)
    sign_in(phone_of_both, company, anna, network)
    phone.goto("/learn/")
    phone.get_by_text("What you did without a connection is sent.").wait_for()
    (read,) = stored(company, PageRead)
    (take,) = stored(company, Take)
    assert (read.page_id, take.learner_profile_id) == ("p1", anna.learner_profile_id)


def test_what_was_kept_is_sent_after_a_suspension_without_signing_in_anew(
    company: Company, network: CuttingProxy, anna: Person, course: Course, phone_of_anna: Any
) -> None:
    phone = keep(phone_of_anna, course)
    lose(network, phone_of_anna)
    phone.goto(address(course, "p1"))
    phone.get_by_text("Waiting to be sent: 1.").wait_for()
    told = {"organization_id": company.organization_id, "person_id": anna.person_id}
    verbs.suspend_employee(**told, at=datetime.now(UTC), now=datetime.now(UTC))
    regain(network, phone_of_anna)
    phone.get_by_text("Sign in again, and what is kept on this device is sent.").wait_for()
    phone.goto("/learn/")
    phone.get_by_text("You cannot come in at present").wait_for()
    shot(phone, "offline-suspended")
    assert stored(company, PageRead) == []
    verbs.resume_employee(**told, at=datetime.now(UTC), now=datetime.now(UTC))
    phone.reload()
    phone.get_by_text("What you did without a connection is sent.").wait_for()
    assert [each.page_id for each in stored(company, PageRead)] == ["p1"]


def test_who_signs_in_on_a_shared_device_finds_nothing_of_the_person_before_them(
    company: Company, device: Devices, network: CuttingProxy
) -> None:
    anna, bert, course = company.join(), company.join("Bert"), teach(company, *LESSONS)
    phone_of_both = device()
    sign_in(phone_of_both, company, anna, network)
    phone = keep(phone_of_both, course)  # the worker has just asked whose it is
    follow_a_link(phone, company, bert)
    assert phone.evaluate(ELSEWHERE) or on_device(phone)[0] == 0
    lose(network, phone_of_both)
    with pytest.raises(Error):
        phone.goto(address(course, "p1"))
    regain(network, phone_of_both)
    assert stored(company, PageRead) == []


def test_what_one_kept_is_there_again_after_one_signed_in_anew(
    company: Company, network: CuttingProxy, anna: Person, course: Course, phone_of_anna: Any
) -> None:
    phone = keep(phone_of_anna, course)
    phone_of_anna.clear_cookies()
    follow_a_link(phone, company, anna)
    wait_until(phone, elsewhere=False)
    lose(network, phone_of_anna)
    phone.goto(address(course, "p1"))
    phone.get_by_text("Waiting to be sent: 1.").wait_for()


@pytest.mark.parametrize("there", [True, False], ids=["online", "offline"])
def test_signing_out_empties_the_device_after_a_word_of_warning(
    company: Company, network: CuttingProxy, course: Course, phone_of_anna: Any, there: bool
) -> None:
    phone = keep(phone_of_anna, course)
    caches, rows = on_device(phone)
    assert caches == 1
    assert rows > 1
    if not there:
        lose(network, phone_of_anna)
        phone.goto(address(course, "p1"))
        phone.get_by_text("Waiting to be sent: 1.").wait_for()
        phone.once("dialog", lambda asked: asked.dismiss())
        phone.get_by_role("button", name="Sign out").click()
        phone.get_by_text("Waiting to be sent: 1.").wait_for()
        phone.once("dialog", lambda asked: asked.accept())
    phone.get_by_role("button", name="Sign out").click()
    phone.get_by_text("You are signed out" if there else "You could not be signed out").wait_for()
    shot(phone, f"offline-signed-out-{there}")
    assert on_device(phone) == (0, 0)
    regain(network, phone_of_anna)
    assert stored(company, PageRead) == []


def test_signing_out_empties_the_device_when_a_gateway_has_no_server_behind_it(
    network: CuttingProxy, course: Course, phone_of_anna: Any
) -> None:
    phone = keep(phone_of_anna, course)
    network.become(Network.ALONE)
    phone.get_by_role("button", name="Sign out").click()
    phone.get_by_text("You could not be signed out").wait_for()
    assert on_device(phone) == (0, 0)


def test_nothing_is_half_kept_when_the_device_is_full_or_the_network_dies(
    network: CuttingProxy, course: Course, phone_of_anna: Any
) -> None:
    phone = phone_of_anna.new_page()
    phone.goto(address(course))
    browser = phone_of_anna.new_cdp_session(phone)
    browser.send("Storage.overrideQuotaForOrigin", {"origin": network.address, "quotaSize": 20_000})
    phone.get_by_role("button", name="Keep on this device").click()
    phone.get_by_text("There is not enough space on this device").wait_for()
    # The browser reports that there is room, and then there is none.
    phone.evaluate("navigator.storage.estimate = async () => ({ quota: 1e9, usage: 0 })")
    phone.get_by_role("button", name="Keep on this device").click()
    phone.get_by_text("The course is being kept.").wait_for()
    phone.get_by_text("There is not enough space on this device").wait_for()
    shot(phone, "offline-full")
    assert on_device(phone)[0] == 0
    browser.send("Storage.overrideQuotaForOrigin", {"origin": network.address})
    network.dies_at = f"GET {address(course, 'p3')} ".encode()
    phone.get_by_role("button", name="Keep on this device").click()
    phone.get_by_text("The connection was lost").wait_for()
    assert network.network is Network.AWAY
    assert on_device(phone)[0] == 0
    network.become(Network.THERE)
    phone.get_by_role("button", name="Keep on this device").click()
    phone.get_by_text("Kept on this device.").wait_for()
    shot(phone, "offline-kept")
    phone.get_by_role("button", name="Remove from this device").click()
    phone.get_by_role("button", name="Keep on this device").wait_for()
    assert on_device(phone)[0] == 0


def test_keeping_a_course_may_take_longer_than_browsers_let_a_worker_take_over_one_message(
    network: CuttingProxy, course: Course, phone_of_anna: Any
) -> None:
    phone = phone_of_anna.new_page()
    phone.add_init_script(ASKED)
    phone.goto(address(course))
    network.holds = f"GET {address(course, 'p3')} ".encode()
    phone.get_by_role("button", name="Keep on this device").click()
    wait_for(phone, "window.asked === 2")  # it was answered meanwhile that more is to come
    assert phone.get_by_text("The course is being kept.").is_visible()
    network.released.set()
    phone.get_by_text("Kept on this device.").wait_for()
    assert phone.evaluate("window.asked") == 2


ASKED = """window.asked = 0;
const post = ServiceWorker.prototype.postMessage;
ServiceWorker.prototype.postMessage = function (message, ports) {
    window.asked += message.do === "keep" ? 1 : 0;
    return post.call(this, message, ports);
};"""


def test_a_worker_that_the_browser_ends_while_it_keeps_a_course_is_noticed(
    network: CuttingProxy, course: Course, phone_of_anna: Any
) -> None:
    phone = phone_of_anna.new_page()
    phone.clock.install()
    phone.goto(address(course))
    network.holds = f"GET {address(course, 'p3')} ".encode()
    phone.get_by_role("button", name="Keep on this device").click()
    wait_for(phone, "document.querySelector('[data-keep-progress]').value > 1")
    browser = phone_of_anna.new_cdp_session(phone)
    browser.send("ServiceWorker.enable")
    browser.send("ServiceWorker.stopAllWorkers")
    network.released.set()
    phone.clock.run_for(61_000)
    phone.get_by_text("The connection was lost").wait_for()
    phone.get_by_role("button", name="Keep on this device").click()
    phone.get_by_text("Kept on this device.").wait_for()
    assert on_device(phone)[0] == 1


def test_what_was_half_kept_when_the_browser_was_closed_is_gone_once_it_is_open_again(
    course: Course, phone_of_anna: Any
) -> None:
    phone = keep(phone_of_anna, course)
    phone.evaluate("caches.open('learner-course-half')")
    assert on_device(phone)[0] == 2
    browser = phone_of_anna.new_cdp_session(phone)
    browser.send("ServiceWorker.enable")
    browser.send("ServiceWorker.stopAllWorkers")
    phone.goto("/learn/")
    for _ in range(300):
        if on_device(phone)[0] == 1:
            break
        phone.wait_for_timeout(100)
    assert not phone.evaluate("caches.has('learner-course-half')")
    assert on_device(phone)[0] == 1


def test_a_course_that_changed_meanwhile_is_told_and_leaves_the_device(
    company: Company, device: Devices, network: CuttingProxy
) -> None:
    anna, course = company.join(), teach(company, *LESSONS)
    phone_of_anna = device(viewport={"width": 320, "height": 640}, color_scheme="dark")
    sign_in(phone_of_anna, company, anna, network)
    phone = keep(phone_of_anna, course)
    lose(network, phone_of_anna)
    take_all(phone, course)
    shot(phone, "offline-last-page-320-dark")
    changed = lesson("two", page("p3", film(question("q3")), text="new"), page("p4", question("q2", kind="multiple")))
    teach_again(company, course, 2, LESSONS[0], changed)
    regain(network, phone_of_anna)
    phone.get_by_text("The course has changed since you kept it.").wait_for()
    shot(phone, "offline-changed-320-dark")
    assert on_device(phone)[0] == 0
    assert {each.question_id for each in stored(company, Answer)} == {"q1"}
    assert stored(company, Completion) == []
    phone.get_by_role("button", name="Close").click()
    phone.goto(address(course))
    phone.get_by_role("button", name="Keep on this device").wait_for()


def test_a_course_that_changed_leaves_a_device_whose_clock_was_set_back(
    company: Company, course: Course, phone_of_anna: Any
) -> None:
    phone = keep(phone_of_anna, course)
    phone.evaluate(KEPT_NEXT_YEAR)
    teach_again(company, course, 2, LESSONS[0], lesson("two", page("p3", text="new")))
    phone.goto("/learn/")
    phone.get_by_text("The course has changed since you kept it.").wait_for()
    assert on_device(phone)[0] == 0


KEPT_NEXT_YEAR = """async () => {
    const database = await new Promise((resolve) => {
        const asked = indexedDB.open("learner");
        asked.onsuccess = () => resolve(asked.result);
    });
    const courses = database.transaction("courses", "readwrite").objectStore("courses");
    await new Promise((resolve) => {
        courses.getAll().onsuccess = ({ target: { result: [course] } }) => {
            courses.put({ ...course, probed: Date.now() + 366 * 86400_000 }).onsuccess = resolve;
        };
    });
    database.close();
}"""


def test_what_another_person_did_is_neither_removed_with_a_course_of_ones_own_nor_warned_of(
    company: Company, device: Devices, network: CuttingProxy
) -> None:
    anna, bert, course = company.join(), company.join("Bert"), teach(company, *LESSONS)
    phone_of_both = device()
    sign_in(phone_of_both, company, anna, network)
    phone = keep(phone_of_both, course)
    lose(network, phone_of_both)
    phone.goto(address(course, "p1"))
    phone.get_by_text("Waiting to be sent: 1.").wait_for()
    regain(network, phone_of_both)
    sign_in(phone_of_both, company, bert, network)
    phone.goto("/learn/")
    wait_until(phone, elsewhere=True)
    phone = keep(phone_of_both, course)
    assert on_device(phone)[0] == 2
    phone.get_by_role("button", name="Remove from this device").click()
    phone.get_by_role("button", name="Keep on this device").wait_for()
    assert phone.evaluate(ELSEWHERE)  # only what is Anna's is left
    assert on_device(phone)[0] == 1
    phone.get_by_role("button", name="Sign out").click()  # a question would be declined, and nobody be signed out
    phone.get_by_text("You are signed out").wait_for()


def test_a_gateway_without_a_server_behind_it_leaves_pages_their_styles_and_scripts(
    network: CuttingProxy, course: Course, phone_of_anna: Any
) -> None:
    phone = keep(phone_of_anna, course)
    network.become(Network.ALONE)
    phone_of_anna.new_cdp_session(phone).send("Network.clearBrowserCache")
    phone.goto(address(course, "p1"))
    phone.get_by_text("Waiting to be sent: 1.").wait_for()  # which a script says


def test_scripts_and_styles_of_a_later_release_are_kept_with_its_pages(course: Course, phone_of_anna: Any) -> None:
    phone = keep(phone_of_anna, course)
    kept = "(await caches.open((await caches.keys())[0]))"
    phone.evaluate(f"async () => {kept}.put('/static/learner/offline.js', new Response('earlier'))")
    phone.goto(address(course, "p1"))
    text = phone.evaluate(f"async () => (await {kept}.match('/static/learner/offline.js')).text()")
    assert "service" in text


def test_whoever_has_a_broken_store_is_signed_out_all_the_same(course: Course, phone_of_anna: Any) -> None:
    phone = keep(phone_of_anna, course)
    (worker,) = phone_of_anna.service_workers
    worker.evaluate(
        "async () => { (await opened).close(); opened = null;"
        " indexedDB.open = () => { throw new DOMException('', 'UnknownError'); }; }"
    )
    phone.get_by_role("button", name="Sign out").click()
    phone.get_by_text("You are signed out").wait_for()
    assert on_device(phone)[0] == 0


def test_what_is_seen_without_a_connection_has_no_finding(
    company: Company, device: Devices, network: CuttingProxy
) -> None:
    anna, course = company.join(), teach(company, lesson("one", page("p1", question("q1")), page("p2")))
    phone_of_anna = device()
    sign_in(phone_of_anna, company, anna, network)
    phone = keep(phone_of_anna, course)
    found: list[str] = []

    def look(name: str) -> None:
        for checker in (axe, sniffer):
            found.extend(f"{name}: {each}" for each in checker.findings(phone, (320, 1280)) if 'lang=""' not in each)

    look("kept")
    lose(network, phone_of_anna)
    phone.goto("/learn/")
    look("list")
    phone.goto(address(course, "p1"))
    phone.get_by_label("p1.q1.no").check()
    phone.get_by_role("button", name="Check my answer").click()
    phone.get_by_text("Your answer is kept on this device.").wait_for()
    look("question")
    phone.goto(address(course))
    phone.get_by_text("Not sent yet").wait_for()
    look("waiting")
    regain(network, phone_of_anna)
    phone.get_by_text("Wrong answers: 1.").wait_for()
    look("sent")
    assert found == []


def test_pictures_sound_and_films_are_there_without_a_connection(
    served: str, device: Devices, network: CuttingProxy, tmp_path: Path
) -> None:
    ana = Walked(everything(tmp_path))
    phone_of_ana = device()
    phone = phone_of_ana.new_page()
    failed: list[str] = []
    phone.goto(ana.link())
    phone.get_by_role("button").last.click()
    phone.goto(f"/learn/courses/{ana.course_id}/")
    phone.get_by_role("button", name="Keep on this device").click()
    phone.get_by_text("Kept on this device.").wait_for()
    lose(network, phone_of_ana)
    left_behind = "net::ERR_ABORTED"  # a sound that was still loading when the page was left
    phone.on("requestfailed", lambda each: failed.append(each.url) if each.failure != left_behind else None)
    phone.on("console", lambda said: failed.append(said.text) if said.type == "error" else None)
    played = pictures = films = 0
    package = json.loads((tmp_path / "everything" / "content.json").read_text())
    for each in (each["id"] for part in package["lessons"] for each in part["pages"]):
        phone.goto(f"/learn/courses/{ana.course_id}/{each}")
        played += phone.evaluate(PLAYED)
        pictures += phone.evaluate(DRAWN)
        films += phone.evaluate(STYLED)
    assert failed == []
    assert (played, pictures, films) == (3, 1, 1)


PLAYED = """async () => {
    let played = 0;
    for (const each of document.querySelectorAll("main audio[src], main video[src]")) {
        each.preload = "auto";
        each.load();
        await new Promise((resolve) => {
            each.oncanplay = each.onerror = resolve;
        });
        played += each.error ? 0 : 1;
    }
    return played;
}"""
DRAWN = """async () => {
    let drawn = 0;
    for (const each of document.images) {
        each.loading = "eager";  // those below the fold would wait to be scrolled to
        await each.decode().then(() => (drawn += each.naturalWidth ? 1 : 0), () => null);
    }
    return drawn;
}"""
STYLED = """() => [...document.styleSheets]
    .filter((each) => each.href?.includes("/learn/style/") && each.cssRules.length).length"""


def test_a_page_to_which_another_site_leads_is_drawn_and_not_read_though_its_course_is_kept(
    company: Company, device: Devices, network: CuttingProxy
) -> None:
    anna, course = company.join(), teach(company, lesson("one", page("p1"), page("p2")))
    phone_of_anna = device()
    sign_in(phone_of_anna, company, anna, network)
    phone = keep(phone_of_anna, course)
    foreign = f'<a href="{network.address}{address(course, "p1")}">Fire safety</a>'
    phone.route("http://elsewhere.example/", lambda route: route.fulfill(body=foreign, content_type="text/html"))
    phone.goto("http://elsewhere.example/")
    phone.get_by_role("link", name="Fire safety").click()
    phone.get_by_role("link", name="Continue").click()
    phone.get_by_role("link", name="Finish").wait_for()
    assert [each.page_id for each in stored(company, PageRead)] == ["p2"]
