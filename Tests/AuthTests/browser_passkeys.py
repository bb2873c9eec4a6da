"""Uses passkeys in Chromium: browser_passkeys.py ORIGIN, of a platform whose passkeys are those of `localhost`. The
authenticator is Chromium's virtual one. Prints as JSON what the platform and the browser have answered."""

import json
import pathlib
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))

from chromium import Browser  # noqa: E402

SCRIPT = """
const call = async (path, body, token) => {
  const headers = {'Content-Type': 'application/json'};
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, {method: 'POST', headers, body: JSON.stringify(body ?? {})});
  return {status: response.status, ...JSON.parse(await response.text() || '{}')};
};

const account = {username: 'ada', password: 'correct horse ada'};
const login = {login: account.username, password: account.password};

const register = async () => {
  const {accessToken} = await call('/v1/auth/signup', account);
  const options = await call('/v1/auth/passkeys/options', {}, accessToken);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({publicKey});
  return await call('/v1/auth/passkeys', {name: 'Chromium', credential: credential.toJSON()}, accessToken);
};

// What the browser would send, or why it sends nothing.
const assertion = async options => {
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({publicKey})).toJSON();
  } catch (error) {
    return {refusal: error.name};
  }
};

const signIn = async () => {
  const credential = await assertion(await call('/v1/auth/login/passkey/options'));
  if (credential.refusal) return credential;
  window.sent = {credential};
  return await call('/v1/auth/login/passkey', window.sent);
};

const secondStep = async () => {
  const first = await call('/v1/auth/login', login);
  const ticket = first.secondFactor.ticket;
  const passkey = await assertion(await call('/v1/auth/login/passkey/options', {ticket}));
  return {first: first.code, ...await call('/v1/auth/login/factor', {ticket, passkey})};
};
"""


def reported(answer):
    return {key: answer[key] for key in ("status", "code", "refusal", "first") if key in answer} | {
        "user": answer.get("user", {}).get("username")}


origin = sys.argv[1]
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    browser = Browser(folder)
    try:
        # Any page of the platform will do.
        browser.open(f"{origin}/livez")
        browser.send("WebAuthn.enable")
        phone = browser.send("WebAuthn.addVirtualAuthenticator", options={
            "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
            "isUserVerified": True, "automaticPresenceSimulation": True})["authenticatorId"]
        browser.evaluate(SCRIPT + "undefined")
        answers = {}
        answers["registered"] = reported(browser.evaluate("register()"))
        kept = browser.send("WebAuthn.getCredentials", authenticatorId=phone)["credentials"]
        answers["signedIn"] = reported(browser.evaluate("signIn()"))
        answers["repeated"] = reported(browser.evaluate("call('/v1/auth/login/passkey', window.sent)"))
        answers["secondStep"] = reported(browser.evaluate("secondStep()"))
        # Somebody else holds the phone.
        browser.send("WebAuthn.setUserVerified", authenticatorId=phone, isUserVerified=False)
        answers["unverified"] = reported(browser.evaluate("signIn()"))
        browser.send("WebAuthn.setUserVerified", authenticatorId=phone, isUserVerified=True)
        # A copy of the key, made when it was registered: its counter is behind.
        browser.send("WebAuthn.clearCredentials", authenticatorId=phone)
        browser.send("WebAuthn.addCredential", authenticatorId=phone, credential=kept[0])
        answers["copied"] = reported(browser.evaluate("signIn()"))
        # A page of another origin cannot use it, whoever serves the page.
        browser.open(f"{origin.replace('localhost', '127.0.0.1')}/livez")
        browser.evaluate(SCRIPT + "undefined")
        answers["elsewhere"] = reported(browser.evaluate("signIn()"))
        print(json.dumps({"passkeys": len(kept), "domain": kept[0]["rpId"], "answers": answers}))
    finally:
        browser.process.kill()
        browser.process.wait()
