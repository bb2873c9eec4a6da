"""Signing in with Google, whose part is played by a provider on this machine."""

import re
import time

import pytest

from letters import code_for
from looks import look
from provider import Provider
from quintet import StartedQuintet


@pytest.fixture(scope="module")
def provider():
    started = Provider()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def quintet(provider, tmp_path_factory):
    """A platform on which the pages of KeepFit, and of no other app, have a client of the provider."""
    started = StartedQuintet(
        tmp_path_factory.mktemp("provider"), AUTH_OIDC_PROVIDERS=provider.settings("keepfit", "page-of-keepfit"))
    try:
        started.start()
        yield started
    finally:
        started.stop()


def stored(page, path):
    return page.evaluate(f"fetch('/web/keepfit{path}').then((it) => it.json())")


def continue_with_google(page):
    page.get_by_role("button", name="Continue with Google").click()


def test_a_newcomer_signs_in_and_is_asked_for_the_rest(open_page, provider):
    email = f"ada-{time.time_ns()}@example.com"
    provider.person = {"email": email, "given_name": "Ada", "family_name": "Lovelace"}
    page = open_page("/keepfit/sign-in?next=/settings")
    page.get_by_role("button", name="Continue with Google").wait_for()
    look(page)
    continue_with_google(page)
    page.get_by_role("heading", name="Tell us about yourself").wait_for()
    # only an ID token was asked for, which has not come by a server, and nothing of it stays
    assert provider.asked["client_id"] == "page-of-keepfit" and provider.asked["response_type"] == "id_token"
    assert re.fullmatch("[0-9a-f]{64}", provider.asked["nonce"])
    assert page.evaluate("location.hash + (sessionStorage.getItem('quintet.provider') ?? '')") == ""
    for label in ("Gender", "Birthday", "Weight in kg", "Height in cm", "Fitness level"):
        assert page.get_by_label(label, exact=True).is_visible()
    page.get_by_label("Birthday", exact=True).fill("1990-12-10")
    page.get_by_label("Weight in kg").fill("64.5")
    page.get_by_label("Fitness level").select_option(label="Train regularly")
    page.get_by_label("KeepFit may keep").check()
    page.get_by_role("button", name="Get started").click()
    page.get_by_role("link", name="Start a workout").wait_for()
    account = stored(page, "/v1/users/me")
    assert (account["email"], account["isEmailVerified"], account["hasPassword"]) == (email, True, False)
    assert account["details"]["firstName"] == "Ada" and account["details"]["weightGrams"] == 64_500
    assert [it["issuer"] for it in stored(page, "/v1/auth/identities")["items"]] == [provider.issuer]

    # whoever has an account is signed in to it, and comes to the page that was asked for
    other = open_page("/keepfit/sign-up?next=/settings")
    continue_with_google(other)
    other.get_by_role("heading", name="Settings", level=1).wait_for()
    assert stored(other, "/v1/users/me")["id"] == account["id"]


def test_an_account_with_the_address_is_linked_by_its_password(open_page, quintet, provider):
    ben = quintet.sign_up("Ben Coach", "keepfit")
    email = f"{ben.username}@example.com"
    ben.call("POST", "/v1/auth/email/verify", {"token": code_for(quintet, email)})
    provider.person = {"email": email}
    page = open_page("/keepfit/sign-in")
    with page.watch.expecting(401):
        continue_with_google(page)
        page.get_by_role("heading", name="Link your account").wait_for()
        look(page)
        page.get_by_label("Password", exact=True).fill("not the password")
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.get_by_text("The name or the password is wrong.").wait_for()
    page.get_by_label("Password", exact=True).fill(ben.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", name="Tell us about yourself").wait_for()
    assert stored(page, "/v1/users/me")["id"] == ben.id
    assert [it["issuer"] for it in ben.call("GET", "/v1/auth/identities")["items"]] == [provider.issuer]


def test_no_one_is_signed_in_by_a_canceled_or_forged_return(open_page, provider):
    provider.person = None
    page = open_page("/keepfit/sign-in")
    continue_with_google(page)
    page.get_by_role("alert").get_by_text("The sign-in was not completed.").wait_for()
    look(page)
    # the state of another tab, with a token that is good
    provider.person = {"email": f"eve-{time.time_ns()}@example.com"}
    page.goto("about:blank")
    page.goto(f"/keepfit/sign-in#state=made-up&id_token={provider.token()}")
    page.get_by_role("alert").get_by_text("The sign-in was not completed.").wait_for()
    assert page.evaluate("location.hash") == ""
    assert not page.evaluate("fetch('/web/keepfit/session').then((it) => it.json())")["isSignedIn"]


def test_apps_without_a_client_do_not_offer_it(open_page):
    page = open_page("about:blank")
    with page.expect_response("**/v1/auth/providers"):
        page.goto("/archived/sign-in")
    page.get_by_role("button", name="Sign in", exact=True).wait_for()
    assert page.get_by_text("Continue with").count() == 0
