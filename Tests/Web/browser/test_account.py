"""The app `account`: sign-up, sign-in, second factor, profile."""

import time

import pyotp
import pytest

from looks import look


def test_sign_up_leads_to_the_profile(open_page, quintet):
    page = open_page("/account/sign-up")
    name = f"grace-{time.time_ns()}"
    page.get_by_label("Your name").fill("Grace Hopper")
    page.get_by_label("Username").fill(name)
    page.get_by_label("E-mail").fill(f"{name}@example.com")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    look(page)
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name="Profile").wait_for()
    assert page.title() == "Profile · Quintet"
    assert page.get_by_label("Username").input_value() == name
    look(page)


def test_the_invalid_field_is_named_and_focused(open_page, quintet):
    ada = quintet.sign_up()
    page = open_page("/account/sign-up")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Username").fill("a b")
    page.get_by_label("E-mail").fill(f"{ada.username}@example.com")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    with page.watch.expecting(422):
        page.get_by_role("button", name="Create account").click()
        page.get_by_text("Please check the marked fields").wait_for()
    assert page.get_by_label("Username").get_attribute("aria-invalid") == "true"
    assert page.evaluate("document.activeElement.name") == "username"
    look(page)


def test_a_wrong_password_is_refused_and_the_right_one_is_not(open_page, quintet):
    ada = quintet.sign_up()
    page = open_page("/account/security")
    page.get_by_label("E-mail or username").fill(ada.username)
    page.get_by_label("Password", exact=True).fill("wrong horse battery")
    with page.watch.expecting(401):
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.get_by_text("The name or the password is wrong.").wait_for()
    look(page)
    page.get_by_label("Password", exact=True).fill(ada.password)
    page.get_by_label("Password", exact=True).press("Enter")
    page.get_by_role("heading", name="Security").wait_for()
    assert page.url.endswith("/account/security")


def test_a_profile_is_changed_and_a_newer_version_is_not_overwritten(sign_in, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account")
    page.get_by_label("About me").fill("Writes notes.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved").wait_for()
    assert ada.call("GET", "/v1/users/me")["details"]["bio"] == "Writes notes."
    ada.call("PATCH", "/v1/users/me", {"displayName": "Countess"})
    page.get_by_label("About me").fill("Overwrites.")
    with page.watch.expecting(412):
        page.get_by_role("button", name="Save").click()
        page.get_by_text("This was changed elsewhere meanwhile").wait_for()
    assert ada.call("GET", "/v1/users/me")["displayName"] == "Countess"


def test_an_authenticator_app_is_set_up_and_asked_for(sign_in, open_page, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account", "/security")
    look(page)
    page.get_by_role("button", name="Set up").click()
    secret = page.locator("dialog code").text_content()
    look(page)
    # the code of the step before, so that the next one is still unused
    page.get_by_label("6-digit code").fill(pyotp.TOTP(secret).at(time.time() - 30))
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("heading", name="Keep these recovery codes").wait_for()
    assert page.locator("dialog li").count() == 10
    page.locator("dialog").get_by_role("button", name="Close").last.click()
    page.get_by_role("button", name="Remove").wait_for()

    other = open_page("/account/")
    other.get_by_label("E-mail or username").fill(ada.username)
    other.get_by_label("Password", exact=True).fill(ada.password)
    with other.watch.expecting(401):
        other.get_by_role("button", name="Sign in", exact=True).click()
        other.get_by_role("heading", name="One more step").wait_for()
        look(other)
        other.get_by_label("6-digit code").fill("000000")
        other.get_by_role("button", name="Confirm").click()
        other.get_by_text("This code is wrong or was already used.").wait_for()
    other.get_by_label("6-digit code").fill(pyotp.TOTP(secret).now())
    other.get_by_role("button", name="Confirm").click()
    other.get_by_role("heading", name="Profile").wait_for()


def test_signing_out_ends_the_session(sign_in, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account")
    page.get_by_role("button", name=ada.name, exact=True).click()
    look(page)
    page.get_by_role("menuitem", name="Sign out").click()
    page.get_by_role("heading", name="Welcome back").wait_for()
    page.reload()
    page.get_by_role("heading", name="Welcome back").wait_for()


def test_tokens_are_out_of_reach_of_scripts(sign_in, quintet):
    page = sign_in(quintet.sign_up(), "account")
    assert page.evaluate("document.cookie") == ""
    assert "token" not in page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])").lower()
    answer = page.evaluate("fetch('/web/account/v1/users/me', {method: 'PATCH', body: '{}'}).then((it) => it.status)",)
    assert answer == 403
    page.watch.faults = [it for it in page.watch.faults if not it.startswith("403")]


def test_everything_is_reached_by_keys(open_page, quintet):
    ada = quintet.sign_up()
    page = open_page("/account/")
    page.get_by_role("heading", name="Welcome back").wait_for()
    page.keyboard.type(ada.username)
    page.keyboard.press("Tab")
    page.keyboard.type(ada.password)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Profile").wait_for()
    page.get_by_role("link", name="Security").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Security").wait_for()
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.get_by_role("button", name=ada.name, exact=True).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.textContent") == "Sign out"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.ariaLabel") == ada.name


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
def test_pages_hold_other_languages(open_page, language):
    page = open_page(f"/account/sign-in?language={language}")
    page.get_by_role("heading", level=1).wait_for()
    assert page.evaluate("document.documentElement.lang") == language
    assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar-XB" else "ltr")
    look(page)
