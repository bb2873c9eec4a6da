#!/usr/bin/env python3
"""verify.py PACT PROVIDER_URL INTERACTIONS VALUES: the official verifier's word on a pact; exit 0 when it is kept.

The verifier passes a pact without interactions, so they are counted here. Users are prepared over the provider's public
API, and everything else is there already; VALUES is the URL of the values that requests of the consumer need, as JSON.
"""
import http.server, json, os, sys, threading, urllib.error, urllib.request
from urllib.parse import urlsplit

os.environ["PACT_DO_NOT_TRACK"] = "true"
from pact import Verifier  # noqa: E402

pact, url, expected, values = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]


def call(path, body):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def prepare(state, params):
    if state != "a user exists":
        with urllib.request.urlopen(values) as response:
            return json.load(response)
    name, password = params["username"], params["password"]
    try:
        answer = call("/v1/auth/login", {"login": name, "password": password})
    except urllib.error.HTTPError:
        form = {"email": f"{name}@example.com", "username": name, "displayName": "Ada", "password": password}
        answer = call("/v1/auth/signup", form)
    return {"accessToken": answer["accessToken"]}


class States(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answer = json.dumps(prepare(body["state"], body["params"])).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


with open(pact) as file:
    document = json.load(file)
if len(document["interactions"]) != expected or expected < 1:
    sys.exit(f"{len(document['interactions'])} interactions, expected {expected}")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), States)
threading.Thread(target=server.serve_forever, daemon=True).start()
verifier = (
    Verifier(document["provider"]["name"], host=urlsplit(url).hostname)
    .add_transport(url=url)
    .state_handler(f"http://127.0.0.1:{server.server_port}/", body=True, teardown=False)
    .set_request_timeout(600_000)
    .add_source(pact)
)
try:
    verifier.verify()
except RuntimeError as error:
    sys.exit(str(error))
kept = sum(result["result"] == "OK" for result in verifier.results["interactionResults"])
sys.exit(0 if kept == expected else f"{kept} of {expected} interactions are kept")
