"""Staff of the platform under test: accounts that only its operators can make."""

import os
import subprocess
import uuid

import pyotp
import pytest

from quintet import PASSWORD, Person, StartedQuintet


def data_folder(quintet):
    """Where the platform keeps its data: QUINTET_DATA for one that runs already."""
    if isinstance(quintet, StartedQuintet):
        return str(quintet.folder / "data")
    if folder := os.environ.get("QUINTET_DATA"):
        return folder
    pytest.skip("needs QUINTET_DATA, the data of the platform")


def make_staff(quintet, role, name):
    """A person with a role and a second factor, whose `recovery_codes` each sign in once."""
    username = f"{role}-{uuid.uuid4().hex[:10]}"
    subprocess.run(
        [StartedQuintet.binary(), "accounts", "create", "--data", data_folder(quintet), "--log-level", "error",
         "--password-from-input", "--email", f"{username}@example.com", "--username", username, "--display-name", name,
         "--role", role],
        input=PASSWORD + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
    grant = quintet.call("POST", "/v1/auth/login", {"login": username, "password": PASSWORD, "app": "web"})
    person = Person(quintet, name, username, grant["user"]["id"], grant["accessToken"])
    secret = person.call("POST", "/v1/auth/factors/totp", {})["secret"]
    # staff sign in with recovery codes, so that it does not matter that this one is used
    enrolled = person.call("POST", "/v1/auth/factors/totp/confirm", {"code": pyotp.TOTP(secret).now()})
    person.recovery_codes = enrolled["recoveryCodes"]
    person.token = enrolled["session"]["accessToken"]
    return person


def sign_in_staff(page, person):
    """Signs staff in on a page that asks for it."""
    page.get_by_label("E-mail or username").fill(person.username)
    page.get_by_label("Password", exact=True).fill(person.password)
    with page.watch.expecting(401):
        page.get_by_role("button", name="Sign in", exact=True).click()
        code = page.get_by_role("button", name="Recovery code")
        code.or_(page.locator(".form-failure")).first.wait_for(timeout=30_000)
        assert code.is_visible(), page.locator(".form-failure").text_content()
        code.click()
    page.get_by_label("Recovery code").fill(person.recovery_codes.pop())
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("button", name=person.name, exact=True).wait_for()
    return page
