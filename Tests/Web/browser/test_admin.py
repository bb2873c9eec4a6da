"""The app `admin`: what staff do with accounts, orders, reports and the audit trail."""

import os
import re
import sqlite3
import time
import uuid

import pytest

from files import picture, recording, upload
from looks import look
from staff import data_folder, make_staff, sign_in_staff

ADDRESS = {"name": "Ada Lovelace", "street": "1 Main Street", "city": "Oakland", "postalCode": "94601", "region": "US-CA"}


def post(person, path, body):
    return person.call("POST", path, body, **{"Idempotency-Key": f'"{uuid.uuid4()}"'})


class Company:
    """A platform with something in every list of the back office, and its staff."""

    def __init__(self, quintet):
        self.quintet = quintet
        self._administrator = make_staff(quintet, "administrator", "Amira Admin")
        self.owner = make_staff(quintet, "owner", "Yesenia Owner")
        self.owner.call("PUT", "/v1/pricing-rules", {
            "tax": [{"region": "US-CA", "rate": 72500, "isIncluded": False}],
            "shipping": [{"base": {"amount": 590, "currency": "USD"}}]})
        kind = f"wreaths-{uuid.uuid4().hex[:6]}"
        post(self.owner, "/v1/product-types", {"slug": kind, "name": f"Wreaths {kind[-6:]}"})
        self.wreath = post(self.owner, "/v1/products", {
            "type": kind, "title": f"Meadow wreath {kind[-6:]}", "description": "Made by hand.",
            "price": {"amount": 5400, "currency": "USD"}, "isShipped": True, "weightGrams": 400, "onHand": 90})
        self.report_messages()
        self.letter = f"A question {uuid.uuid4().hex[:6]}"
        quintet.call("POST", "/v1/contact-messages", {
            "firstName": "Grace", "lastName": "Hopper", "email": "grace@example.com", "subject": self.letter,
            "message": "Do you ship to Arlington?"})
        quintet.call("POST", "/v1/crash-reports", {
            "app": "roomi", "version": "3.2.1", "device": "Pixel 9", "text": "TypeError: x is not a function\n at deck.js:12"})

    @property
    def administrator(self):
        """One with a recovery code left: each signs in once."""
        if not self._administrator.recovery_codes:
            self._administrator = make_staff(self.quintet, "administrator", "Amira Admin")
        return self._administrator

    def report_messages(self):
        ada, mallory = self.quintet.sign_up("Ada Lovelace", "roomi"), self.quintet.sign_up("Mallory Miller", "roomi")
        talk = post(mallory, "/v1/conversations", {"userID": ada.id})["id"]
        message = mallory.call("PUT", f"/v1/conversations/{talk}/messages/{uuid.uuid4()}", {"text": "Send me the rent first."})
        self.complaint = f"Wants money {uuid.uuid4().hex[:6]}"
        post(ada, f"/v1/conversations/{talk}/reports", {
            "messageIDs": [message["id"]], "reason": "fraud", "comment": self.complaint})

    def paid_order(self):
        buyer = self.quintet.sign_up("Ada Lovelace", "yesenia")
        post(buyer, "/v1/cart/items", {"productID": self.wreath["id"]})
        order = post(buyer, "/v1/cart/checkout", {
            "shippingAddress": ADDRESS, "payment": {"provider": "test", "token": "test_success"}})
        end = time.monotonic() + 20
        while order["paymentStatus"] != "paid" and time.monotonic() < end:
            time.sleep(0.2)
            order = buyer.call("GET", f"/v1/orders/{order['id']}")
        return order


@pytest.fixture(scope="module")
def company(quintet):
    return Company(quintet)


@pytest.fixture
def desk(company, open_page):
    """Opens the back office as a member of the staff."""

    def open_desk(path="/", person=None, **options):
        return sign_in_staff(open_page(f"/admin{path}", **options), person or company.administrator)

    return open_desk


@pytest.mark.hosting
def test_what_waits_is_on_the_first_page(company, desk):
    page = desk()
    page.get_by_role("heading", name="Hello, Amira").wait_for()
    page.get_by_text("All services answer.").wait_for()
    page.get_by_role("link", name=re.compile("Open reports")).click()
    page.get_by_role("heading", name="Messages", level=1).wait_for()
    page.get_by_text(company.complaint).wait_for()


PAGES = [
    ("/", "Hello, Amira"), ("/people/accounts", "Accounts"), ("/people/schools", "Schools"), ("/sales/orders", "Orders"),
    ("/sales/refunds", "Refunds"), ("/sales/payouts", "Pay-outs"), ("/sales/strikes", "Unpaid auctions"),
    ("/sales/app-store", "App Store"), ("/safety/messages", "Messages"), ("/safety/sets", "Study sets"),
    ("/safety/contact", "Contact messages"), ("/system/state", "State"), ("/system/audit", "Audit trail"),
    ("/system/crashes", "Crash reports"), ("/system/jobs", "Jobs"), ("/system/dead-letters", "Dead letters"),
    ("/system/features", "Features"),
    ("/system/rules", "Rules"),
]


def test_every_page_holds(company, desk):
    company.paid_order()
    page = desk()
    for path, title in PAGES:
        page.goto(f"/admin{path}")
        page.get_by_role("heading", name=title, level=1, exact=True).wait_for()
        page.wait_for_load_state("networkidle")
        look(page)


def test_the_rules_lead_to_their_forms(desk):
    page = desk("/system/rules")
    page.get_by_role("link", name="Change taxes and shipping").click()
    page.get_by_role("heading", name="Taxes and shipping", level=1).wait_for()
    page.get_by_role("button", name="New tax rule").wait_for()


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
def test_pages_hold_other_languages(desk, language):
    page = desk("/system/audit")
    for path in ("/", "/people/accounts", "/sales/orders", "/system/state"):
        page.goto(f"/admin{path}?language={language}")
        page.get_by_role("heading", level=1).wait_for()
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.lang") == language
        look(page)


@pytest.mark.hosting
def test_an_administrator_disables_an_account(company, desk, open_page, quintet):
    eve = quintet.sign_up("Eve Adams")
    page = desk("/people/accounts")
    page.get_by_label("Name or username").fill(eve.username)
    page.get_by_role("link", name=re.compile(eve.username)).click()
    page.get_by_role("heading", name="Eve Adams", level=1).wait_for()
    page.locator("summary").filter(has_text="session.begun").first.wait_for()
    look(page)
    page.get_by_role("button", name="Disable").click()
    look(page)
    page.locator("dialog").get_by_role("button", name="Disable").click()
    page.get_by_text("Disabled", exact=True).wait_for()

    other = open_page("/account/")
    other.get_by_label("E-mail or username").fill(eve.username)
    other.get_by_label("Password", exact=True).fill(eve.password)
    with other.watch.expecting(401, 403):
        other.get_by_role("button", name="Sign in", exact=True).click()
        other.locator(".form-failure").wait_for()

    page.get_by_role("button", name="Enable").click()
    page.locator("dialog").get_by_role("button", name="Enable").click()
    page.get_by_role("button", name="Disable").wait_for()
    page.reload()
    page.get_by_role("button", name="Disable").wait_for()
    page.get_by_role("tab", name="Done to this account").click()
    page.locator("summary").filter(has_text="account.administered").first.wait_for()


def test_sessions_of_an_account_are_ended(company, desk, sign_in, quintet):
    eve = quintet.sign_up("Eve Adams")
    others = sign_in(eve, "account")
    page = desk(f"/people/accounts/{eve.id}")
    sessions = page.get_by_role("list", name="Sessions").get_by_role("listitem")
    sessions.filter(has_text="Account").get_by_role("button", name="Sign out").wait_for()
    assert sessions.count() == 2
    look(page)
    sessions.filter(has_text="Account").get_by_role("button", name="Sign out").click()
    page.get_by_text("The session has ended").wait_for()
    assert sessions.count() == 1
    with others.watch.expecting(401):
        # The gateway reads each second which sessions have ended.
        end = time.monotonic() + 20
        while others.evaluate("fetch('/web/account/session').then((it) => it.json())")["isSignedIn"]:
            assert time.monotonic() < end, "the session goes on"
            time.sleep(0.2)
        others.reload()
        others.get_by_role("heading", name="Welcome back").wait_for()

    quintet.call("POST", "/v1/auth/login", {"login": eve.username, "password": eve.password})
    page.reload()
    page.get_by_role("button", name="End all sessions").click()
    look(page)
    page.locator("dialog").get_by_role("button", name="End all sessions").click()
    page.get_by_text("Signed in nowhere").wait_for()
    page.reload()
    page.get_by_text("Signed in nowhere").wait_for()
    page.get_by_role("tab", name="Done to this account").click()
    page.locator("summary").filter(has_text="account.sessions-ended").first.wait_for()


def test_roles_and_credit_are_given(company, desk, quintet):
    eve = quintet.sign_up("Eve Adams")
    page = desk(f"/people/accounts/{eve.id}")
    page.get_by_role("button", name="Roles").click()
    page.get_by_label("Artist").check()
    page.get_by_role("button", name="Save").click()
    page.locator(".chip", has_text="Artist").wait_for()
    page.get_by_role("button", name="Grant credit").click()
    page.get_by_label("Amount").fill("12.50")
    page.get_by_label("Reason").fill("A late delivery")
    page.locator("dialog").get_by_role("button", name="Grant credit").click()
    page.get_by_text("The credit is now $12.50").wait_for()


def test_the_audit_trail_is_searched(company, desk, quintet):
    eve = quintet.sign_up("Eve Adams")
    page = desk("/system/audit")
    page.get_by_label("Who").fill(eve.username)
    page.get_by_label("What").fill("account.created")
    page.get_by_role("button", name="Clear filters").wait_for()
    entry = page.locator("summary").filter(has_text="account.created")
    entry.nth(1).wait_for(state="hidden")
    entry.get_by_text("Eve Adams").first.wait_for()
    assert entry.count() == 1
    entry.click()
    look(page)
    assert f"actor={eve.username}" in page.url
    page.reload()
    page.locator("summary").filter(has_text="account.created").wait_for()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    lines = open(download.value.path()).read().splitlines()
    assert len(lines) == 2 and "account.created" in lines[1] and eve.id in lines[1]
    page.get_by_role("button", name="Clear filters").click()
    page.locator("summary").filter(has_text="audit.searched").first.wait_for()


def test_measurements_of_the_services_are_shown(company, desk):
    page = desk("/system/state")
    chart = page.get_by_role("list", name="Requests: auth")
    chart.wait_for()
    assert chart.get_by_role("listitem").count() == 60
    # A sample is taken every 15 seconds.
    chart.locator(".chart-bar:not(.is-empty)").first.wait_for(timeout=45_000)
    look(page)
    page.get_by_label("Measure").select_option("latency")
    chart = page.get_by_role("list", name="Latency (99 of 100 requests): auth")
    chart.locator(".chart-bar:not(.is-empty)").first.wait_for()
    look(page)


def test_sign_up_is_switched_off_and_on(company, desk, open_page, quintet):
    page = desk("/system/features")
    line = page.get_by_role("list", name="Features").get_by_role("listitem").filter(has_text="New accounts")
    line.get_by_text("On", exact=True).wait_for()
    look(page)
    visitor = open_page("/account/sign-up")
    visitor.get_by_label("Your name").fill("Eve Adams")
    visitor.get_by_label("Username").fill("eve-adams")
    visitor.get_by_label("E-mail").fill("eve-adams@example.com")
    visitor.get_by_label("Password", exact=True).fill("correct horse battery")
    line.get_by_role("button", name="Switch off").click()
    look(page)
    page.locator("dialog").get_by_role("button", name="Switch off").click()
    line.get_by_text("Off", exact=True).wait_for()
    try:
        look(page)
        # Whoever has the page already is notified. Services of other processes look every five seconds.
        with visitor.watch.expecting(403):
            visitor.get_by_role("button", name="Create account").click()
            visitor.get_by_text("This is switched off at the moment.").wait_for()
        # Others are not asked.
        visitor.reload()
        visitor.get_by_role("status").get_by_text("This is switched off at the moment.").wait_for()
        assert visitor.get_by_role("button", name="Create account").count() == 0
        look(visitor)
        visitor.get_by_role("link", name="You have an account? Sign in").click()
        visitor.get_by_role("button", name="Sign in", exact=True).wait_for()
        assert visitor.get_by_text("New here?").count() == 0
        assert {it["name"]: it["isOn"] for it in quintet.call("GET", "/v1/features")["items"]}["sign-up"] is False
    finally:
        line.get_by_role("button", name="Switch on").click()
        page.locator("dialog").get_by_role("button", name="Switch on").click()
        line.get_by_text("On", exact=True).wait_for()
    quintet.sign_up()
    page.goto("/admin/system/audit")
    page.locator("summary").filter(has_text="feature.switched").first.wait_for()


@pytest.fixture
def without(company):
    """Switches features off until the end of the test: `without("uploads")`."""
    staff = company.administrator
    switched = []

    def switch_off(*names):
        for name in names:
            staff.call("PUT", f"/v1/admin/features/{name}", {"isOn": False})
            switched.append(name)

    yield switch_off
    for name in switched:
        staff.call("PUT", f"/v1/admin/features/{name}", {"isOn": True})


def test_pages_do_not_offer_what_is_switched_off(without, sign_in, quintet):
    ada, ben = quintet.sign_up("Ada Lovelace", "archived"), quintet.sign_up("Ben Artist", "archived")
    media = {"audio": upload(ada, recording(), "beat.wav", "audio"), "cover": upload(ada, picture(), "cover.png", "image")}
    exclusive = {"kind": "exclusive", "price": {"amount": 39900, "currency": "USD"}, "files": ["mp3"],
                 "territory": "worldwide", "ownerShare": 5000}
    listing = post(ada, "/v1/listings", {"kind": "beat", "name": "Glasshouse", "licenses": [exclusive]} | media)["id"]
    talk = post(ben, "/v1/conversations", {"userID": ada.id})["id"]
    ben.call("PUT", f"/v1/conversations/{talk}/messages/{uuid.uuid4()}", {"text": "Is it still to be had?"})
    words = "This is switched off at the moment."

    page = sign_in(ada, "archived", f"/listings/{listing}")
    page.get_by_role("button", name="Manage listing").click()
    page.get_by_role("menuitem", name="Start an auction").wait_for()
    without("auctions", "messages", "uploads")
    page.reload()
    page.get_by_role("button", name="Manage listing").click()
    page.get_by_role("menuitem", name="Edit").first.wait_for()
    assert page.get_by_role("menuitem", name="Start an auction").count() == 0
    page.goto(f"/archived/listings/{listing}/auction")
    page.get_by_role("status").get_by_text(words).wait_for()
    look(page)
    page = sign_in(ben, "archived", f"/messages/{talk}")
    # what there is can be read
    page.get_by_text("Is it still to be had?").first.wait_for()
    page.get_by_role("status").get_by_text(words).wait_for()
    assert page.get_by_label(f"Message {ada.name}").count() == 0
    look(page)
    page.goto("/archived/listings/new")
    page.get_by_text(words).first.wait_for()
    assert page.locator("input[type=file]").first.is_disabled()
    look(page)


@pytest.fixture
def failed_work(quintet):
    """A job that was dropped, and an event that was rejected for good: rows, because no request makes them."""
    path = f"{data_folder(quintet)}/catalog.sqlite"
    if not os.path.exists(path):
        pytest.skip("needs data in SQLite")
    name = f"browser-{uuid.uuid4().hex[:6]}"
    now = int(time.time() * 1_000_000)
    with sqlite3.connect(path, timeout=20) as database:
        database.execute(
            "INSERT INTO outbox (id, type, subject, data, recorded_at, sequence, lane) VALUES (?, ?, 's', '{}', ?, 1, 0)",
            (str(uuid.uuid4()), name, now))
        database.execute(
            "INSERT INTO event_retries (subscriber, event_id, subject, sequence, attempts, due_at, is_dead, failure) "
            "SELECT 'nobody', id, 's', 1, 9, ?, 1, 'status 422' FROM outbox WHERE type = ?", (now, name))
        database.execute(
            "INSERT INTO jobs (id, kind, payload, attempts, due_at, dropped_at, failure) "
            "VALUES (?, ?, 'sealed', 60, ?, ?, 'too many attempts')", (str(uuid.uuid4()), name, 2**63 - 1, now))
    database.close()
    return name


def test_failed_work_is_tried_again(company, desk, failed_work):
    page = desk("/system/jobs")
    queue = page.get_by_role("list", name="Jobs").get_by_role("listitem").filter(has_text=failed_work)
    queue.get_by_text("1 dropped").wait_for()
    look(page)
    dropped = page.get_by_role("list", name="Dropped").get_by_role("listitem").filter(has_text=failed_work)
    dropped.get_by_text("too many attempts").wait_for()
    dropped.get_by_role("button", name="Try again").click()
    page.get_by_text("1 is tried again").wait_for()
    dropped.wait_for(state="detached")
    queue.get_by_text("1 due").wait_for()

    page.get_by_role("link", name="Dead letters").click()
    letters = page.get_by_role("list", name="Dead letters").get_by_role("listitem").filter(has_text=failed_work)
    letters.get_by_text("1 event").wait_for()
    page.get_by_role("list", name="Newest").get_by_text("status 422").first.wait_for()
    look(page)
    letters.get_by_role("button", name="Try all again").click()
    letters.wait_for(state="detached")
    page.goto("/admin/system/audit")
    page.locator("summary").filter(has_text="dead-letters.retried").first.wait_for()
    page.locator("summary").filter(has_text="jobs.retried").first.wait_for()


@pytest.mark.hosting
def test_an_order_is_refunded(company, desk):
    order = company.paid_order()
    page = desk("/sales/orders?status=placed")
    page.get_by_role("link", name=re.compile(order["id"][-8:].upper())).click()
    page.get_by_role("heading", name=f"Order {order['id'][-8:].upper()}").wait_for()
    look(page)
    page.get_by_role("button", name="Refund").click()
    page.get_by_label("What is paid back").select_option("amount")
    page.get_by_label("Amount", exact=True).fill("10.00")
    page.get_by_label("Reason").fill("A broken twig")
    look(page)
    page.locator("dialog").get_by_role("button", name="Refund").click()
    page.get_by_text("A broken twig").first.wait_for()
    page.get_by_text("$10.00").first.wait_for()
    page.get_by_role("link", name="Refunds", exact=True).click()
    page.get_by_role("heading", name="Refunds", level=1).wait_for()
    page.get_by_text("A broken twig").first.wait_for()


def test_a_report_is_resolved(company, desk):
    page = desk("/safety/messages?state=open")
    report = page.locator("article").filter(has_text=company.complaint)
    report.get_by_text("Send me the rent first.").wait_for()
    report.get_by_text("Mallory Miller").first.wait_for()
    report.get_by_role("button", name="Resolved").click()
    report.locator(".chip", has_text="Resolved").wait_for()


def test_a_school_is_added(company, desk):
    name = f"Turing School {uuid.uuid4().hex[:6]}"
    page = desk("/people/schools")
    page.get_by_role("button", name="Add a school").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Country").fill("de")
    page.get_by_role("button", name="Add", exact=True).click()
    school = page.locator("li").filter(has_text=name)
    school.get_by_text("Germany").wait_for()
    school.get_by_role("button", name="Deactivate").click()
    school.get_by_text("Inactive").wait_for()


def test_owners_see_sales_and_no_people(company, desk):
    page = desk("/", person=company.owner)
    page.get_by_role("heading", name="Hello, Yesenia").wait_for()
    assert page.get_by_role("link", name="People").count() == 0
    page.goto("/admin/people/accounts")
    page.get_by_text("Your account has no role that may see this page.").wait_for()
    look(page)


def test_others_see_nothing(sign_in, quintet):
    page = sign_in(quintet.sign_up(), "admin")
    page.get_by_role("heading", name="This is for staff only").wait_for()
    assert page.get_by_role("link", name="Sales").count() == 0
