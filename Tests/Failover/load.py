"""What the programs of this folder share: requests, and users who write until each write is acknowledged."""
import json
import socket
import threading
import time
import urllib.error
import urllib.request
import uuid

WRITERS = 8


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


def request(url, body=None, headers=None, timeout=30):
    """The status and the decoded body of a response; status 0 without a response."""
    data = None if body is None else json.dumps(body).encode()
    head = {"Content-Type": "application/json"} if data else {}
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, data, {**head, **(headers or {})}), timeout=timeout
        ) as response:
            text = response.read()
            return response.status, json.loads(text) if text[:1] == b"{" else None
    except urllib.error.HTTPError as error:
        return error.code, None
    except OSError:
        return 0, None


def until(what, condition, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise SystemExit(f"{what} did not happen within {seconds} seconds")


class Load:
    """Users who create reminders (auth) and study sets (study-sync), each until it is acknowledged."""

    kinds = {
        "reminders": ("/v1/users/me/reminders", lambda name: {
            "title": name, "localTime": "2080-01-01T08:00:00", "timeZone": "Europe/London"}),
        "study sets": ("/v1/study-sets", lambda name: {"title": name}),
    }

    def __init__(self, url):
        self.url = url
        self.lock = threading.Lock()
        # The id of what was written, when it was first sent and when it was acknowledged.
        self.acknowledged = {kind: [] for kind in self.kinds}
        self.is_over = False
        self.users = [self.sign_up(number) for number in range(WRITERS)]
        self.threads = [
            threading.Thread(target=self.write, args=(kind, user), daemon=True)
            for user in self.users for kind in self.kinds]

    def sign_up(self, number):
        body = {"email": f"user{number}@example.com", "username": f"user{number}", "displayName": f"User {number}",
                "password": f"correct horse {number}", "app": "web"}

        def attempt():
            status, answer = request(f"{self.url}/v1/auth/signup", body)
            if 400 <= status < 500 and status != 429:
                raise SystemExit(f"sign-up was refused with {status}")
            return answer if status == 201 else None
        return {"Authorization": f"Bearer {until('a sign-up', attempt)['accessToken']}"}

    def write(self, kind, user):
        number = 0
        while not self.is_over:
            begun = time.time()
            id = self.create(kind, user, f"number {number}")
            with self.lock:
                self.acknowledged[kind].append((id, begun, time.time()))
            number += 1
            time.sleep(0.1)

    def create(self, kind, user, name):
        path, body = self.kinds[kind]
        return self.insist(path, body(name), user)["id"]

    def insist(self, path, body, user):
        """Repeats a request, with one idempotency key, until it is acknowledged."""
        key = str(uuid.uuid4())
        while True:
            status, answer = request(self.url + path, body, {**user, "Idempotency-Key": key})
            if status in (200, 201):
                return answer
            if 400 <= status < 500 and status not in (409, 429):
                raise SystemExit(f"{path}: refused with {status}")
            time.sleep(0.05)

    def count(self, kind):
        with self.lock:
            return len(self.acknowledged[kind])

    def first_after(self, kind, moment):
        with self.lock:
            return next((at for _, _, at in self.acknowledged[kind] if at > moment), None)

    def stored(self, kind):
        """The ids of what all users can list."""
        found = []
        for user in self.users:
            cursor = ""
            while True:
                target = f"{self.url}{self.kinds[kind][0]}?limit=100{cursor}"
                page = until("a list", lambda: request(target, headers=user)[1])
                found += [item["id"] for item in page["items"]]
                if not page.get("nextCursor"):
                    break
                cursor = f"&cursor={page['nextCursor']}"
        return found
