"""A platform to test: the one at QUINTET_WEB_URL, or one that is started for the tests."""

import hashlib
import hmac
import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[3]
PASSWORD = "correct horse battery"
# What signs the notifications of the test provider, `payments.testSecret`.
BANK_SECRET = os.environ.get("PAYMENTS_TEST_SECRET", "secret-of-the-test-provider")


class Quintet:
    """Calls the public API as any client does, without a browser."""

    def __init__(self, url):
        self.url = url.rstrip("/")

    def call(self, method, path, body=None, token=None, headers=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                answer = response.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()}") from error
        return json.loads(answer) if answer else None

    def sign_up(self, name="Ada Lovelace", app="web"):
        """A new person: name, username, password, and a token of the app."""
        username = f"{name.split()[0].lower()}-{uuid.uuid4().hex[:10]}"
        body = {"email": f"{username}@example.com", "username": username, "displayName": name, "password": PASSWORD, "app": app}
        grant = self.call("POST", "/v1/auth/signup", body)
        return Person(self, name, username, grant["user"]["id"], grant["accessToken"])

    def bank_confirms(self, payment, status="succeeded"):
        """Sends what the bank of the test provider says about a payment that waits for it."""
        notification = {"id": uuid.uuid4().hex, "reference": f"test_{payment['id']}", "amount": payment["amount"], "status": status}
        body = json.dumps(notification).encode()
        request = urllib.request.Request(f"{self.url}/v1/payments/webhooks/test", body, {
            "Content-Type": "application/json",
            "Test-Signature": hmac.new(BANK_SECRET.encode(), body, hashlib.sha256).hexdigest()})
        urllib.request.urlopen(request, timeout=30).close()


class Person:
    def __init__(self, platform, name, username, id, token):
        self.platform, self.name, self.username, self.id, self.token = platform, name, username, id, token
        self.password = PASSWORD

    def call(self, method, path, body=None, **headers):
        return self.platform.call(method, path, body, self.token, headers)


class StartedQuintet(Quintet):
    """One process with SQLite in a folder, whose web client is that of this tree."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as one, socket.socket() as other:
            one.bind(("127.0.0.1", 0))
            other.bind(("127.0.0.1", 0))
            port, private = one.getsockname()[1], other.getsockname()[1]
        super().__init__(f"http://localhost:{port}")
        many = "1000000/60"
        limits = {f"LIMITS_{name}": many for name in ("GUESTS", "SIGN_IN", "SESSION", "READ", "WRITE", "SEARCH", "COSTLY")}
        environment = os.environ | limits | {
            "PORT": str(port), "METRICS_PORT": str(private), "DATA": str(folder / "data"), "LOG_LEVEL": "warning",
            "WEB_ROOT": str(ROOT / "Services/Web/Client"), "AUTH_PUBLIC_URL": self.url, "GATEWAY_PUBLIC_URL": self.url,
            "PAYMENTS_TEST": "true", "PAYMENTS_TEST_SECRET": BANK_SECRET,
        }
        self.process = subprocess.Popen([self.binary(), "serve"], env=environment, cwd=folder)
        self.wait()

    @staticmethod
    def binary():
        """The program to test: QUINTET_BINARY, or the newest build."""
        if chosen := os.environ.get("QUINTET_BINARY"):
            return str(pathlib.Path(chosen).resolve())
        built = [ROOT / ".build" / kind / "quintet" for kind in ("release", "debug")]
        found = sorted((it for it in built if it.exists()), key=lambda it: it.stat().st_mtime)
        if not found:
            raise RuntimeError("there is no program to test: `swift build --product quintet`, or set QUINTET_BINARY")
        return str(found[-1])

    def wait(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise RuntimeError(f"quintet ended with {self.process.returncode}")
            try:
                urllib.request.urlopen(f"{self.url}/readyz", timeout=5)
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("quintet has not started within a minute")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
