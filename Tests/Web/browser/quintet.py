"""A platform to test: the one at QUINTET_WEB_URL, or one that is started for the tests."""

import contextlib
import hashlib
import hmac
import itertools
import json
import os
import pathlib
import random
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

    # In the order of their start; browsers reach the last one.
    programs = ["quintet"]

    def __init__(self, folder, **settings):
        self.folder, self.more_settings, self.processes = folder, settings, {}
        ports = free_ports(2 * len(self.programs))
        self.ports = {program: (ports.pop(), ports.pop()) for program in self.programs}
        self.edge = self.programs[-1]
        super().__init__(f"http://localhost:{self.ports[self.edge][0]}")

    def settings(self):
        """The settings of all programs, as environment variables."""
        many = "1000000/60"
        limits = {f"LIMITS_{name}": many for name in ("GUESTS", "SIGN_IN", "SESSION", "READ", "WRITE", "SEARCH", "COSTLY")}
        return limits | {
            "DATA": str(self.folder / "data"), "LOG_LEVEL": "warning", "WEB_ROOT": str(ROOT / "Services/Web/Client"),
            "AUTH_PUBLIC_URL": self.url, "GATEWAY_PUBLIC_URL": self.url,
            "PAYMENTS_TEST": "true", "PAYMENTS_TEST_SECRET": BANK_SECRET,
        } | self.more_settings

    def start(self, *programs):
        """Starts programs on their ports, all by default, and waits until the platform is available."""
        for program in programs or self.programs:
            port, private = self.ports[program]
            environment = os.environ | self.settings() | {"PORT": str(port), "METRICS_PORT": str(private)}
            process = subprocess.Popen([self.binary(program), "serve"], env=environment, cwd=self.folder)
            self.processes[program] = process
            self.wait(program, lambda: self.get(f"http://127.0.0.1:{port}/readyz"))
        # The gateway has to find the services first.
        self.wait(self.edge, lambda: json.loads(self.get(f"{self.url}/status"))["isAvailable"])

    def wait(self, program, condition):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if (status := self.processes[program].poll()) is not None:
                raise RuntimeError(f"{program} ended with {status}")
            with contextlib.suppress(OSError):
                if condition():
                    return
            time.sleep(0.1)
        raise RuntimeError(f"{program} has not started within a minute")

    @staticmethod
    def get(url):
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.read()

    def kill_edge(self):
        """Ends what browsers reach as a crash does; `start(quintet.edge)` brings it back at its address."""
        self.processes[self.edge].kill()
        self.processes[self.edge].wait()

    def stop(self):
        for process in self.processes.values():
            process.terminate()
        for process in self.processes.values():
            process.wait(30)

    @staticmethod
    def binary(program="quintet"):
        """A program to test: beside QUINTET_BINARY, or of the newest build."""
        if chosen := os.environ.get("QUINTET_BINARY"):
            return str(pathlib.Path(chosen).resolve().with_name(program))
        built = [ROOT / ".build" / kind / program for kind in ("release", "debug")]
        found = sorted((it for it in built if it.exists()), key=lambda it: it.stat().st_mtime)
        if not found:
            raise RuntimeError(f"there is no program to test: `swift build --product {program}`, or set QUINTET_BINARY")
        return str(found[-1])


class SeparateQuintet(StartedQuintet):
    """A process for each service, and a gateway before them that passes frequent requests on as bytes."""

    programs = ["auth", "catalog", "orders", "matching", "study-sync", "media-index", "gateway"]

    def settings(self):
        # Other services reach the gateway at its private port.
        ports = {program: private if program == self.edge else port for program, (port, private) in self.ports.items()}
        urls = {
            f"SERVICES_{program.upper().replace('-', '_')}_URL": f"http://127.0.0.1:{port}" for program, port in ports.items()}
        return super().settings() | urls


HOSTINGS = {"one": StartedQuintet, "separate": SeparateQuintet}


def free_ports(count):
    """Ports below those that systems give to connections, so that none takes one while its program is started again."""
    return list(itertools.islice(filter(is_free, random.sample(range(10_000, 32_768), 1000)), count))


def is_free(port):
    with socket.socket() as it:
        try:
            it.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
