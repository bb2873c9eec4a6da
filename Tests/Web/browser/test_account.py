"""The app `account`: sign-up, sign-in, second factor, profile."""

import json
import struct
import time
import uuid
import zlib

import pyotp
import pytest

from looks import look
from letters import code_for
from staff import make_staff


@pytest.mark.hosting
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


@pytest.mark.hosting
def test_an_address_is_confirmed_and_changed(sign_in, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account", "/security")
    page.get_by_text("not verified").wait_for()
    page.get_by_role("button", name="Enter code").click()
    page.get_by_label("Code from the e-mail").fill(code_for(quintet, f"{ada.username}@example.com"))
    look(page)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("verified", exact=True).wait_for()
    assert ada.call("GET", "/v1/users/me")["isEmailVerified"]

    address = f"new-{ada.username}@example.com"
    page.get_by_role("button", name="Change address").click()
    page.get_by_label("New e-mail address").fill(address)
    page.get_by_label("Current password", exact=True).fill(ada.password)
    page.get_by_role("button", name="Send code").click()
    page.get_by_label("Code from the e-mail").fill(code_for(quintet, address))
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text(address).wait_for()


def test_a_password_is_changed(sign_in, open_page, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account", "/security")
    page.get_by_role("button", name="Change password").click()
    page.get_by_label("Current password", exact=True).fill("wrong horse battery")
    page.get_by_label("New password", exact=True).fill("staple battery horse")
    with page.watch.expecting(401):
        page.get_by_role("button", name="Save").click()
        page.locator(".form-failure").wait_for()
    page.get_by_label("Current password", exact=True).fill(ada.password)
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Your password is changed").wait_for()
    ada.password = "staple battery horse"
    sign_in(ada, "account")


def test_a_forgotten_password_is_replaced(open_page, sign_in, quintet):
    ada = quintet.sign_up()
    address = f"{ada.username}@example.com"
    older = code_for(quintet, address)
    page = open_page("/account/")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_role("heading", name="Choose a new password").wait_for()
    look(page)
    page.get_by_label("E-mail").fill(address)
    page.get_by_role("button", name="Send code").click()
    page.get_by_text("Look into your mailbox").wait_for()
    look(page)
    while (code := code_for(quintet, address)) == older:
        page.wait_for_timeout(200)
    page.get_by_label("Code from the e-mail").fill(code)
    page.get_by_label("New password", exact=True).fill("staple battery horse")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Your password is changed").wait_for()
    ada.password = "staple battery horse"
    sign_in(ada, "account")


def with_authenticator(page):
    """Gives the browser a device that makes passkeys."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True}})


def test_a_passkey_is_added_and_signs_in(sign_in, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account", "/security")
    with_authenticator(page)
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_role("heading", name="Keep these recovery codes").wait_for()
    look(page)
    page.locator("dialog").get_by_role("button", name="Close").last.click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="Name").fill("My laptop")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("My laptop").wait_for()
    page.get_by_text("10 are left.").wait_for()
    look(page)

    page.get_by_role("button", name=ada.name, exact=True).click()
    page.get_by_role("menuitem", name="Sign out").click()
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_role("heading", name="Security").wait_for()
    page.get_by_role("button", name="Remove: My laptop").click()
    page.locator("dialog").get_by_role("button", name="Remove").click()
    page.get_by_text("My laptop", exact=True).wait_for(state="hidden")
    # the platform's passkeys need no RS256, which the browser recommends
    page.watch.faults = [it for it in page.watch.faults if "pubKeyCredParams" not in it]


def sign_up(page):
    """Creates an account on a page that asks for it, in any language."""
    username = f"grace-{time.time_ns()}"
    for name, value in {"displayName": "Grace Hopper", "username": username, "email": f"{username}@example.com",
                        "password": "correct horse battery"}.items():
        page.locator(f"input[name={name}]").fill(value)
    page.keyboard.press("Enter")


def test_a_passkey_is_offered_after_the_sign_up(open_page):
    # an app that has nothing else to do with passkeys
    page = open_page("/archived/sign-up")
    with_authenticator(page)
    sign_up(page)
    page.get_by_role("heading", name="Beats", level=1).wait_for()
    offer = page.get_by_role("region", name="Passkey")
    offer.wait_for()
    assert page.evaluate("document.activeElement.tagName") == "H1"
    look(page)
    offer.get_by_role("button", name="Create a passkey").click()
    page.get_by_role("heading", name="Keep these recovery codes").wait_for()
    assert page.locator("dialog li").count() == 10
    look(page)
    page.locator("dialog").get_by_role("button", name="Close").last.click()
    offer.wait_for(state="hidden")

    page.get_by_role("button", name="Grace Hopper", exact=True).click()
    page.get_by_role("menuitem", name="Sign out").click()
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_role("button", name="Grace Hopper", exact=True).wait_for()
    page.watch.faults = [it for it in page.watch.faults if "pubKeyCredParams" not in it]


@pytest.mark.parametrize("language, words, refusal", [
    ("en-US", "Next time, sign in with", "Not now"), ("de-DE", "Melde dich nächstes Mal mit", "Nicht jetzt")])
def test_the_offer_of_a_passkey_is_declined(open_page, language, words, refusal):
    page = open_page("/account/sign-up", locale=language)
    sign_up(page)
    page.get_by_role("region", name="Passkey").get_by_text(words).wait_for()
    page.get_by_role("button", name=refusal).press("Enter")
    page.get_by_role("region", name="Passkey").wait_for(state="detached")
    page.locator("a[href$='/security']").click()
    page.wait_for_url("**/security")
    assert page.get_by_role("region", name="Passkey").count() == 0


def test_another_device_is_signed_out(sign_in, quintet):
    ada = quintet.sign_up()
    other = sign_in(ada, "account")
    page = sign_in(ada, "account", "/devices")
    page.get_by_text("this one").wait_for()
    look(page)
    page.get_by_role("button", name="Sign out everywhere else").click()
    page.locator("dialog").get_by_role("button", name="Sign out everywhere else").click()
    page.get_by_text("All other devices are signed out").wait_for()
    page.get_by_role("button", name="Sign out", exact=True).wait_for(state="hidden")
    # every process knows of ended sessions within seconds
    with other.watch.expecting(401):
        end = time.monotonic() + 15
        while not (welcome := other.get_by_role("heading", name="Welcome back")).is_visible() and time.monotonic() < end:
            other.wait_for_timeout(500)
            other.reload()
            other.get_by_role("heading", level=1).wait_for()
        welcome.wait_for()


def test_notifications_are_chosen(sign_in, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account", "/notifications")
    page.get_by_label("Courses").uncheck()
    page.get_by_label("Quiet from").fill("22:00")
    page.get_by_label("Quiet until").fill("07:00")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved").wait_for()
    settings = ada.call("GET", "/v1/users/me/settings")
    assert settings["mutedNotifications"] == ["courses"] and settings["quietHours"]["from"] == "22:00"
    page.get_by_role("button", name="Add a reminder").click()
    page.get_by_role("textbox", name="What").fill("Learn Swift")
    page.get_by_label("Repeats").select_option("daily")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("Learn Swift").wait_for()
    look(page)
    page.get_by_role("button", name="Delete: Learn Swift").click()
    page.get_by_text("You have no reminders.").wait_for()


def test_privacy_is_chosen_and_data_are_exported(sign_in, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account", "/privacy")
    look(page)
    page.get_by_label("About me").select_option("onlyMe")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved").wait_for()
    assert ada.call("GET", "/v1/users/me")["visibility"] == {"bio": "onlyMe"}
    page.get_by_role("button", name="Agree: Health data").click()
    page.get_by_role("button", name="Withdraw: Health data").wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    assert ada.username in json.dumps(json.load(open(download.value.path())))


def test_a_minor_asks_a_guardian(sign_in, quintet):
    kim = quintet.sign_up("Kim Ito")
    kim.call("PATCH", "/v1/users/me", {"details": {"birthday": f"{time.gmtime().tm_year - 12}-02-03"}})
    page = sign_in(kim, "account", "/privacy")
    page.get_by_text("The consent of a guardian is needed").wait_for()
    page.get_by_role("button", name="Ask a guardian").click()
    page.get_by_label("E-mail of your guardian").fill(f"parent-{kim.username}@example.com")
    look(page)
    page.locator("dialog").get_by_role("button", name="Ask a guardian").click()
    page.get_by_text("The guardian was asked").wait_for()


def test_staff_of_a_school_import_its_members(sign_in, quintet):
    administrator = make_staff(quintet, "administrator", "Amira Admin")
    teacher = quintet.sign_up("Tess Teacher")
    school = administrator.call("POST", "/v1/admin/schools", {"name": "Turing School", "country": "DE"})["id"]
    administrator.call("PUT", f"/v1/admin/schools/{school}/staff/{teacher.id}")
    page = sign_in(teacher, "account", "/privacy")
    page.get_by_text("Turing School").wait_for()
    page.get_by_role("link", name="Members").click()
    page.get_by_role("heading", name="Turing School").wait_for()
    page.get_by_role("button", name="Import a list").click()
    name = f"kim{uuid.uuid4().hex[:8]}"
    page.get_by_label("List", exact=True).set_input_files({
        "name": "list.csv", "mimeType": "text/csv",
        "buffer": f"number,username,firstName,lastName,birthday,role\n17,{name},Kim,Ito,2005-02-03,student\n".encode()})
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("heading", name="Temporary passwords").wait_for()
    look(page)
    page.locator("dialog").get_by_role("button", name="Close").last.click()
    page.get_by_text(f"@{name}").wait_for()
    look(page)


def test_a_member_of_a_school_replaces_the_temporary_password(open_page, quintet):
    administrator = make_staff(quintet, "administrator", "Amira Admin")
    teacher = quintet.sign_up("Tess Teacher")
    school = administrator.call("POST", "/v1/admin/schools", {"name": "Turing School", "country": "DE"})["id"]
    administrator.call("PUT", f"/v1/admin/schools/{school}/staff/{teacher.id}")
    name = f"lee{uuid.uuid4().hex[:8]}"
    row = {"number": "18", "username": name, "firstName": "Lee", "lastName": "Ito", "role": "student"}
    report = teacher.call("POST", f"/v1/schools/{school}/members/import", [row])
    temporary = report["passwords"][0]["password"]
    for language, words in [("de", "Neues Passwort wählen"), ("en", "Choose a new password")]:
        page = open_page(f"/letustudy/sign-in?next=/sets&language={language}")
        page.locator("[name=login]").fill(name)
        page.locator("[name=password]").fill(temporary)
        with page.watch.expecting(403):
            page.locator("[name=password]").press("Enter")
            page.get_by_role("heading", name=words).wait_for()
        look(page)
    with page.watch.expecting(422):
        page.get_by_label("New password", exact=True).fill("password")
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.get_by_text("This password is too easy to guess.").first.wait_for()
    page.get_by_label("New password", exact=True).fill("another battery staple")
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("heading", name="Sets", exact=True).wait_for()
    quintet.call("POST", "/v1/auth/login", {"login": name, "password": "another battery staple", "app": "letustudy"})


def test_a_photo_is_chosen(sign_in, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account")
    page.get_by_role("button", name="Choose a photo").click()
    page.get_by_label("Photo", exact=True).last.set_input_files(
        {"name": "ada.png", "mimeType": "image/png", "buffer": picture(96)})
    page.get_by_text("Uploaded").wait_for()
    look(page)
    page.locator("dialog").get_by_role("button", name="Save").click()
    page.locator(".profile-head img").wait_for()
    assert ada.call("GET", "/v1/users/me")["details"]["photo"]
    page.get_by_role("button", name="Without a photo").click()
    page.locator(".profile-head img").wait_for(state="hidden")


def picture(size):
    """A PNG with a gradient."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes(it for x in range(size) for it in (2 * x, 2 * y, 128)) for y in range(size))
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
def test_screens_hold_other_languages(sign_in, quintet, language):
    page = sign_in(quintet.sign_up(), "account")
    for path in ("/", "/security", "/devices", "/notifications", "/privacy"):
        page.goto(f"/account{path}?language={language}")
        page.get_by_role("heading", level=1).wait_for()
        look(page)


def test_an_account_is_deleted(sign_in, quintet):
    ada = quintet.sign_up()
    page = sign_in(ada, "account", "/privacy")
    page.get_by_role("button", name="Delete account").click()
    page.get_by_label(f"Type {ada.username} to confirm").fill(ada.username)
    with page.watch.expecting(401):
        page.locator("dialog").get_by_role("button", name="Delete account").click()
        page.get_by_role("heading", name="Welcome back").wait_for()
