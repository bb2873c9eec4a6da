"""A stand-in of Zoom's API that enforces its documented rules, on the port that is given. Prints `ready`.

developers.zoom.us/docs/api: server-to-server OAuth with tokens of an hour and scopes, creation of meetings with its
validation (300), 100 creations per user and UTC day, rate classes by account, listing in pages, status and deletion
with error 3001, start URLs that expire. `POST /control` sets the clock and orders faults; `GET /control` counts.
"""

import base64
import datetime
import json
import secrets
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ACCOUNT, CLIENT, SECRET = "account", "client", "secret"
SCOPES = {"meeting:write:meeting:admin", "meeting:read:meeting:admin", "meeting:read:list_meetings:admin",
          "meeting:delete:meeting:admin", "meeting:update:status:admin"}
RATES = {"free": {"light": 4, "medium": 2}, "pro": {"light": 30, "medium": 20}, "business": {"light": 80, "medium": 60}}
DAILY = 100
START_URL_SECONDS = 7200


class Failure(Exception):
    def __init__(self, status, code, message, errors=None, headers=None):
        super().__init__(message)
        self.status, self.headers = status, headers or {}
        self.body = {"code": code, "message": message}
        if errors:
            self.body["errors"] = errors


class Zoom:
    def __init__(self, origin):
        self.lock = threading.RLock()
        self.origin = origin
        self.now = 1_767_225_600.0
        self.plan = "business"
        self.tokens, self.meetings, self.next_id = {}, {}, 80_000_000_000
        self.created, self.windows, self.faults = {}, {}, []
        self.scopes = set(SCOPES)
        self.counts = {"token": 0, "create": 0, "list": 0, "get": 0, "end": 0, "delete": 0, "limited": 0}
        self.gate = threading.Event()
        self.gate.set()

    # MARK: rules

    def authorize(self, header, scope):
        token = self.tokens.get((header or "").removeprefix("Bearer "))
        if token is None:
            raise Failure(401, 124, "Invalid access token.")
        if token["expires"] <= self.now:
            raise Failure(401, 124, "Access token is expired.")
        if scope not in token["scopes"]:
            raise Failure(400, 4711, f"Invalid access token, does not contain scopes:[{scope}].")

    def rate(self, kind):
        second = int(self.now)
        used = self.windows.get((kind, second), 0)
        if used >= RATES[self.plan][kind]:
            self.counts["limited"] += 1
            raise Failure(429, 429, "You have reached the maximum per-second rate limit for this API.",
                          headers={"X-RateLimit-Type": "QPS", "Retry-After": "1"})
        self.windows[(kind, second)] = used + 1

    def user(self, name):
        if name not in ("me", "host-1", "host-2"):
            raise Failure(404, 1001, f"User does not exist: {name}.")
        return name

    def stamp(self, seconds):
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    # MARK: operations

    def token(self, header, form):
        wanted = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if header != wanted:
            return 401, {"reason": "Invalid client_id or client_secret", "error": "invalid_client"}
        if form.get("grant_type") != "account_credentials" or form.get("account_id") != ACCOUNT:
            return 400, {"reason": "unsupported grant type", "error": "unsupported_grant_type"}
        text = secrets.token_urlsafe(24)
        self.tokens[text] = {"expires": self.now + 3600, "scopes": set(self.scopes)}
        return 200, {"access_token": text, "token_type": "bearer", "expires_in": 3600,
                     "scope": " ".join(sorted(self.scopes)), "api_url": self.origin}

    def create(self, user, form):
        errors = []
        topic, agenda = form.get("topic"), form.get("agenda", "")
        if not isinstance(topic, str) or not topic or len(topic) > 200:
            errors.append({"field": "topic", "message": "The length should be 1 to 200."})
        if not isinstance(agenda, str) or len(agenda) > 2000:
            errors.append({"field": "agenda", "message": "The length should be at most 2000."})
        if form.get("type") not in (1, 2, 3, 8, 10):
            errors.append({"field": "type", "message": "Invalid field."})
        if not isinstance(form.get("duration", 60), int) or not 1 <= form.get("duration", 60) <= 1440:
            errors.append({"field": "duration", "message": "Invalid field."})
        try:
            datetime.datetime.strptime(form.get("start_time", ""), "%Y-%m-%dT%H:%M:%SZ")
        except ValueError:
            errors.append({"field": "start_time", "message": "Invalid field."})
        if errors:
            raise Failure(400, 300, "Validation Failed.", errors)
        day = (user, int(self.now // 86400))
        if self.created.get(day, 0) >= DAILY:
            reset = (int(self.now // 86400) + 1) * 86400
            raise Failure(429, 429, "You have reached the maximum daily rate limit for this API.",
                          headers={"X-RateLimit-Type": "Daily-limit", "Retry-After": self.stamp(reset)})
        self.created[day] = self.created.get(day, 0) + 1
        self.next_id += 7
        number = self.next_id
        meeting = {"uuid": base64.b64encode(secrets.token_bytes(12)).decode(), "id": number, "host_id": user,
                   "host_email": f"{user}@example.com", "topic": topic, "type": form["type"], "status": "waiting",
                   "start_time": form["start_time"], "duration": form.get("duration", 60), "timezone": "UTC",
                   "agenda": agenda, "created_at": self.stamp(self.now),
                   "join_url": f"https://us05web.zoom.us/j/{number}?pwd={secrets.token_urlsafe(8)}.1",
                   "settings": form.get("settings", {})}
        self.meetings[number] = meeting
        return 201, self.with_start(meeting)

    def with_start(self, meeting):
        """A start URL holds a token that expires."""
        url = f"{self.origin}/s/{meeting['id']}?expires={int(self.now) + START_URL_SECONDS}&zak={secrets.token_hex(8)}"
        return meeting | {"start_url": url}

    def find(self, number):
        meeting = self.meetings.get(number)
        if meeting is None:
            raise Failure(404, 3001, f"Meeting does not exist: {number}.")
        return meeting

    def list(self, user, query):
        size = int(query.get("page_size", "30"))
        if not 1 <= size <= 300:
            raise Failure(400, 300, "Validation Failed.", [{"field": "page_size", "message": "Invalid field."}])
        kind = query.get("type", "scheduled")
        rows = [m for m in self.meetings.values() if m["host_id"] == user
                and m["type"] != 1 and (kind != "live" or m["status"] == "started")]
        start = int(query.get("next_page_token") or "0")
        page = [{key: value for key, value in m.items() if key not in ("settings", "status", "host_email")}
                | {"agenda": m["agenda"][:250]} for m in rows[start:start + size]]
        more = str(start + size) if start + size < len(rows) else ""
        return 200, {"page_size": size, "total_records": len(rows), "next_page_token": more, "meetings": page}

    def end(self, number, form):
        meeting = self.find(number)
        if form.get("action") != "end":
            raise Failure(400, 300, "Validation Failed.", [{"field": "action", "message": "Invalid field."}])
        if meeting["status"] != "started":
            raise Failure(400, 3161, "Meeting hosting and scheduling capabilities are not allowed for your user account.")
        meeting["status"] = "waiting"
        return 204, None

    def delete(self, number):
        if self.find(number)["status"] == "started":
            raise Failure(400, 3002, "The meeting is in progress. You cannot delete this meeting.")
        del self.meetings[number]
        return 204, None

    # MARK: routing

    def answer(self, method, path, query, headers, body):
        parts = path.strip("/").split("/")
        if (method, path) == ("POST", "/oauth/token"):
            form = {key: values[0] for key, values in urllib.parse.parse_qs(body.decode()).items()}
            form |= {key: value for key, value in query.items() if key not in form}
            return "token", lambda: self.token(headers.get("Authorization"), form)
        if parts[:2] == ["v2", "users"] and len(parts) == 4 and parts[3] == "meetings":
            user = urllib.parse.unquote(parts[2])
            if method == "POST":
                return "create", lambda: self.checked("meeting:write:meeting:admin", "medium", headers,
                                                      lambda: self.create(self.user(user), json.loads(body)))
            if method == "GET":
                return "list", lambda: self.checked("meeting:read:list_meetings:admin", "medium", headers,
                                                    lambda: self.list(self.user(user), query))
        if parts[:2] == ["v2", "meetings"] and len(parts) >= 3 and parts[2].isdigit():
            number = int(parts[2])
            if method == "GET" and len(parts) == 3:
                return "get", lambda: self.checked("meeting:read:meeting:admin", "light", headers,
                                                   lambda: (200, self.with_start(self.find(number))))
            if method == "DELETE" and len(parts) == 3:
                return "delete", lambda: self.checked("meeting:delete:meeting:admin", "light", headers,
                                                      lambda: self.delete(number))
            if method == "PUT" and parts[3:] == ["status"]:
                return "end", lambda: self.checked("meeting:update:status:admin", "light", headers,
                                                   lambda: self.end(number, json.loads(body)))
        return "other", lambda: (404, {"code": 2300, "message": "This API endpoint is not recognized."})

    def checked(self, scope, kind, headers, body):
        self.authorize(headers.get("Authorization"), scope)
        self.rate(kind)
        return body()

    def control(self, order):
        with self.lock:
            for name in ("now", "plan"):
                if name in order:
                    setattr(self, name, order[name])
            if "scopes" in order:
                self.scopes = set(order["scopes"])
            if order.get("revoke"):
                self.tokens.clear()
            for fault in order.get("faults", []):
                self.faults.append(fault)
            if "status" in order:
                self.meetings[order["status"]["id"]]["status"] = order["status"]["status"]
            if "forget" in order:
                self.meetings.pop(order["forget"], None)
            if "add" in order:
                for _ in range(order["add"]):
                    self.next_id += 7
                    self.meetings[self.next_id] = {
                        "uuid": "x", "id": self.next_id, "host_id": "me", "topic": "Other", "type": 2, "duration": 60,
                        "status": "waiting", "start_time": self.stamp(self.now), "agenda": "", "timezone": "UTC",
                        "created_at": self.stamp(self.now), "join_url": "https://zoom.us/j/1"}
            if "hold" in order:
                self.gate.clear() if order["hold"] else self.gate.set()

    def report(self):
        with self.lock:
            return {"counts": self.counts, "meetings": [
                {key: m[key] for key in ("id", "topic", "status", "agenda", "start_time", "duration", "host_id")}
                for m in self.meetings.values()], "faults": len(self.faults)}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    zoom: Zoom

    def log_message(self, *arguments):
        return

    def handle_request(self):
        url = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        zoom = self.zoom
        if url.path == "/control":
            if self.command == "POST":
                zoom.control(json.loads(body))
            return self.reply(200, zoom.report())
        query = dict(urllib.parse.parse_qsl(url.query))
        with zoom.lock:
            name, run = zoom.answer(self.command, url.path, query, self.headers, body)
            if name in zoom.counts:
                zoom.counts[name] += 1
            fault = next((f for f in zoom.faults if f["on"] == name), None)
            if fault:
                zoom.faults.remove(fault)
        if name == "token":
            zoom.gate.wait()
        kind = fault["kind"] if fault else None
        if kind == "500":
            return self.reply(500, {"code": 500, "message": "Internal error."})
        if kind == "429":
            return self.reply(429, {"code": 429, "message": "Too many."}, {"Retry-After": fault.get("after", "1")})
        with zoom.lock:
            try:
                status, answer = run()
                headers = {}
            except Failure as failure:
                status, answer, headers = failure.status, failure.body, failure.headers
        if kind == "lost":
            # The effect has taken place, and the client never hears of it.
            self.close_connection = True
            return
        if kind == "garbage":
            return self.reply(status, "<html>")
        self.reply(status, answer, headers)

    do_GET = do_POST = do_PUT = do_DELETE = handle_request

    def reply(self, status, body, headers=None):
        data = b"" if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def main(port: int) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    Handler.zoom = Zoom(f"http://127.0.0.1:{server.server_address[1]}")
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
