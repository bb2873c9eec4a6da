"""The app `admin`: what staff do with accounts, orders, reports and the audit trail."""

import re
import time
import uuid

import pytest

from looks import look
from staff import make_staff, sign_in_staff

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
    ("/safety/contact", "Letters"), ("/system/state", "State"), ("/system/audit", "Audit trail"),
    ("/system/crashes", "Crash reports"), ("/system/rules", "Rules"),
]


def test_every_page_holds(company, desk):
    company.paid_order()
    page = desk()
    for path, title in PAGES:
        page.goto(f"/admin{path}")
        page.get_by_role("heading", name=title, level=1, exact=True).wait_for()
        page.wait_for_load_state("networkidle")
        look(page)


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
