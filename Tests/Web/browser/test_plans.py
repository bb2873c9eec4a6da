"""Plans in the app `letustudy`: one for a person, and one whose members an institution pays for."""

import json
import os
import re
import time
import uuid

import pytest

from letters import code_for
from looks import look
from quintet import HOSTINGS
from stripe_stand_in import StripeStandIn

PRICES = {"premium": 499, "school": 2000}
PLANS = [
    {"name": "premium", "title": "Premium", "price": {"amount": 499, "currency": "USD"}, "months": 1,
     "stripePrice": "price_premium", "features": ["study.fitting", "study.history"]},
    {"name": "school", "title": "School", "price": {"amount": 2000, "currency": "USD"}, "months": 1,
     "stripePrice": "price_school", "features": ["study.fitting"], "seats": 2},
]


@pytest.fixture(scope="module")
def stripe():
    stripe = StripeStandIn()
    for name, amount in PRICES.items():
        stripe.control("prices", {"id": f"price_{name}", "amount": amount, "currency": "usd", "interval": "month"})
    yield stripe
    stripe.stop()


@pytest.fixture(scope="module")
def quintet(pytestconfig, tmp_path_factory, stripe):
    """A platform of its own, which sells plans through the stand-in of Stripe."""
    if os.environ.get("QUINTET_WEB_URL"):
        pytest.skip("needs a platform with the stand-in of Stripe")
    started = HOSTINGS[pytestconfig.getoption("hosting")](tmp_path_factory.mktemp("plans"), ORDERS_PLANS=json.dumps(PLANS))
    started.more_settings |= stripe.settings(started.url)
    try:
        started.start()
        yield started
    finally:
        started.stop()


def post(person, path, body):
    return person.call("POST", path, body, **{"Idempotency-Key": f'"{uuid.uuid4()}"'})


def keep_card(person, token="pm_card_visa"):
    method = post(person, "/v1/payment-methods", {"provider": "stripe", "label": "My card", "token": token})
    assert method["state"] == "ready"
    return method


def subscribe(person, plan, token="pm_card_visa"):
    return post(person, "/v1/subscriptions", {"plan": plan, "payment": {"provider": "stripe", "token": token}})


def subscription(person):
    return person.call("GET", "/v1/subscriptions")["items"][0]


def eventually(check, seconds=15):
    end = time.monotonic() + seconds
    while not (value := check()) and time.monotonic() < end:
        time.sleep(0.1)
    assert value
    return value


def dialog(page):
    return page.get_by_role("dialog")


def test_a_plan_is_subscribed_to_canceled_and_gone_on_with(sign_in, quintet):
    ada = quintet.sign_up("Ada Lovelace", "letustudy")
    page = sign_in(ada, "letustudy")
    page.get_by_role("button", name=ada.name, exact=True).click()
    page.get_by_role("menuitem", name="Plans").click()
    page.get_by_role("heading", name="Plans", level=1).wait_for()
    page.get_by_text("$4.99 a month").wait_for()
    look(page)
    page.get_by_role("button", name="Subscribe to “Premium”").click()
    dialog(page).get_by_text("No card is kept yet").wait_for()
    look(page)
    keep_card(ada)
    keep_card(ada, "pm_card_mastercard")
    page.reload()
    page.get_by_role("button", name="Subscribe to “Premium”").click()
    dialog(page).get_by_text(re.compile("VISA .* 4242")).click()
    look(page)
    dialog(page).get_by_role("button", name="Subscribe").click()
    page.get_by_role("heading", name="Premium", level=1).wait_for()
    page.get_by_text("Active", exact=True).wait_for()
    look(page)
    stored = subscription(ada)
    assert (stored["plan"], stored["status"], stored["renews"]) == ("premium", "active", True)

    page.get_by_role("button", name="Another card").click()
    dialog(page).get_by_text(re.compile("MASTERCARD .* 4444")).click()
    dialog(page).get_by_role("button", name="Save").click()
    dialog(page).wait_for(state="detached")
    page.get_by_role("button", name="Cancel plan").click()
    look(page)
    dialog(page).get_by_role("button", name="Cancel plan").click()
    page.get_by_text("Canceled: it ends on").wait_for()
    look(page)
    assert not subscription(ada)["renews"]
    page.get_by_role("button", name="Go on with it").click()
    page.get_by_text("Renews on").wait_for()
    assert subscription(ada)["renews"]
    page.get_by_role("link", name="Plans").click()
    page.get_by_role("link", name="Your plan").wait_for()
    look(page)


def test_the_bank_confirms_the_first_payment(sign_in, quintet, stripe):
    ada = quintet.sign_up("Ada Lovelace", "letustudy")
    begun = subscribe(ada, "premium", "pm_card_authenticationRequired")
    assert begun["status"] == "incomplete"
    page = sign_in(ada, "letustudy", f"/plans/{begun['id']}")
    page.get_by_role("heading", name="Waiting for your bank").wait_for()
    page.get_by_text("confirm the payment of $4.99").wait_for()
    look(page)
    stripe.authenticate(begun["clientSecret"])
    page.get_by_text("Active", exact=True).wait_for()
    assert subscription(ada)["isActive"]
    # what the bank refuses is ended, and the plan is chosen again
    ben = quintet.sign_up("Ben Learner", "letustudy")
    refused = subscribe(ben, "premium", "pm_card_authenticationRequired")
    page = sign_in(ben, "letustudy", f"/plans/{refused['id']}")
    page.get_by_role("heading", name="Waiting for your bank").wait_for()
    stripe.authenticate(refused["clientSecret"], "fail")
    page.get_by_text("The bank has declined the payment.").wait_for()
    look(page)
    page.get_by_role("button", name="End it").click()
    dialog(page).get_by_role("button", name="End it").click()
    page.get_by_text("Not paid", exact=True).wait_for()
    assert subscription(ben)["status"] == "failed"


def test_an_institution_pays_for_its_members(sign_in, quintet):
    school = quintet.sign_up("Sophia School", "letustudy")
    stan, mia, tom = (quintet.sign_up(name, "letustudy") for name in ("Stan Student", "Mia Student", "Tom Student"))
    keep_card(school)
    page = sign_in(school, "letustudy", "/plans")
    page.get_by_role("button", name="Subscribe to “School”").click()
    look(page)
    dialog(page).get_by_role("button", name="Subscribe").click()
    page.get_by_text("0 of 2 seats are taken").wait_for()
    address = f"{stan.username}@example.com"
    page.get_by_label("E-mail").fill(address)
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("list", name="Invitations").get_by_text(address).wait_for()
    look(page)
    plan = subscription(school)["id"]

    # with the code of the e-mail
    member = sign_in(stan, "letustudy", "/plans")
    member.get_by_role("button", name="Enter a code").click()
    dialog(member).get_by_label("Code").fill("no-such-code")
    with member.watch.expecting(404):
        dialog(member).get_by_role("button", name="Accept").click()
        dialog(member).get_by_text("This invitation was used or withdrawn, or has expired.").wait_for()
    look(member)
    dialog(member).get_by_label("Code").fill(code_for(quintet, address))
    dialog(member).get_by_role("button", name="Accept").click()
    member.get_by_text("You use “School” now").wait_for()
    member.get_by_text("Paid by others for you").wait_for()
    look(member)
    assert [it["subscriptionID"] for it in stan.call("GET", "/v1/plan-memberships")["items"]] == [plan]

    # for a user, who sees it at once; there is no seat for the third
    other = sign_in(mia, "letustudy", "/plans")
    other.get_by_role("button", name="Subscribe to “Premium”").wait_for()
    for person in (mia, tom):
        post(school, f"/v1/subscriptions/{plan}/members", {"userID": person.id})
    other.get_by_text("You are invited to “School”").wait_for()
    look(other)
    other.get_by_role("button", name="Accept").click()
    other.get_by_text("Paid by others for you").wait_for()
    third = sign_in(tom, "letustudy", "/plans")
    with third.watch.expecting(409):
        third.get_by_role("button", name="Accept").click()
        third.get_by_text("All seats of the plan are taken.").wait_for()

    page.reload()
    page.get_by_text("2 of 2 seats are taken").wait_for()
    page.get_by_role("list", name="Members").get_by_text(mia.name).wait_for()
    look(page)
    page.get_by_role("button", name="Change plan").click()
    dialog(page).get_by_label("How many").fill("2")
    look(page)
    dialog(page).get_by_role("button", name="Save").click()
    page.get_by_text("2 of 4 seats are taken").wait_for()
    page.get_by_role("button", name=f"Remove: {mia.name}").click()
    dialog(page).get_by_role("button", name="Remove").click()
    page.get_by_text("1 of 4 seats are taken").wait_for()

    # what costs less begins with the next period
    page.get_by_role("button", name="Change plan").click()
    dialog(page).get_by_label("Plan", exact=True).select_option("premium")
    with page.watch.expecting(422):
        dialog(page).get_by_role("button", name="Save").click()
        dialog(page).get_by_text("the plan has no seats").wait_for()
    look(page)
    dialog(page).get_by_label("Plan", exact=True).select_option("school")
    dialog(page).get_by_label("How many").fill("1")
    dialog(page).get_by_role("button", name="Save").click()
    page.get_by_text("1 × School").wait_for()
    look(page)
    assert subscription(school)["nextQuantity"] == 1
    page.get_by_role("button", name="Keep it as it is").click()
    page.get_by_text("1 of 4 seats are taken").wait_for()
    assert "nextQuantity" not in subscription(school)

    page.get_by_role("button", name=re.compile("^Withdraw")).click()
    page.get_by_text("No open invitations").wait_for()
    assert tom.call("GET", "/v1/plan-invitations")["items"] == []
    member.get_by_role("button", name="Leave: School").click()
    dialog(member).get_by_role("button", name="Leave").click()
    member.get_by_text("Paid by others for you").wait_for(state="detached")
    assert school.call("GET", f"/v1/subscriptions/{plan}/members")["items"] == []


def test_guests_are_asked_to_create_an_account(open_page):
    page = open_page("/letustudy/")
    page.get_by_role("button", name="Try without an account").click()
    page.get_by_role("heading", name="Hello!").wait_for()
    page.goto("/letustudy/plans")
    page.get_by_text("Plans need an account").wait_for()
    look(page)


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
def test_plans_hold_other_languages(sign_in, quintet, language):
    ada = quintet.sign_up("Ada Lovelace", "letustudy")
    plan = subscribe(ada, "school")["id"]
    page = sign_in(ada, "letustudy")
    for path in ("/plans", f"/plans/{plan}"):
        page.goto(f"/letustudy{path}?language={language}")
        page.get_by_role("heading", level=1).wait_for()
        page.locator("[aria-busy=true]").first.wait_for(state="detached")
        look(page)
