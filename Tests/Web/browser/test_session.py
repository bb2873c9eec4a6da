"""Attempts of other pages to act in a user's session, which the browser holds."""

import contextlib
import http.server
import threading

import pytest

pytestmark = pytest.mark.hosting

# What the page of an attacker tries, with the victim's cookies where the browser would send them.
ATTACKS = {
    "a form": """
      <form id="it" method="post" target="result" action="{url}/web/account/v1/auth/logout"></form>
      <iframe name="result"></iframe><script>document.getElementById("it").submit()</script>""",
    "a request without our header": """
      <script>fetch("{url}/web/account/v1/auth/logout", {{method: "POST", mode: "no-cors", credentials: "include"}})</script>""",
    "a request with our header": """
      <script>fetch("{url}/web/account/session", {{method: "DELETE", credentials: "include", headers: {{"Quintet-App": "account"}}}})
        .catch(() => document.title = "refused")</script>""",
    "a read": """
      <script>fetch("{url}/web/account/v1/users/me", {{credentials: "include"}}).then((it) => it.text())
        .then((it) => document.title = it).catch(() => document.title = "refused")</script>""",
    "data as a script": """<script src="{url}/web/account/v1/users/me"></script>""",
}


@contextlib.contextmanager
def page_of_attacker(html):
    """Serves a page on a free port of this machine."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(html.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


# Another site, and another origin of the same site, to which the browser does send the cookie.
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("attack", ATTACKS)
def test_another_page_does_nothing_in_the_session(sign_in, quintet, attack, host):
    ada = quintet.sign_up()
    page = sign_in(ada, "account")
    other = page.context.new_page()
    with page_of_attacker(ATTACKS[attack].format(url=quintet.url)) as port:
        other.goto(f"http://{host}:{port}/", wait_until="networkidle")
        assert ada.username not in other.title()
    page.reload()
    page.get_by_role("heading", name="Profile").wait_for()


def test_pages_cannot_be_framed(sign_in, quintet):
    page = sign_in(quintet.sign_up(), "account")
    other = page.context.new_page()
    with page_of_attacker(f'<iframe src="{quintet.url}/account/"></iframe>') as port:
        other.goto(f"http://localhost:{port}/", wait_until="networkidle")
        assert other.frames[1].url.startswith("chrome-error:")


def test_sessions_of_apps_are_their_own(sign_in, open_page, quintet):
    page = sign_in(quintet.sign_up(), "account")
    status = page.evaluate("fetch('/web/archived/session').then((it) => it.json())")
    assert status == {"isSignedIn": False}
    cookies = {it["name"]: it for it in page.context.cookies()}
    assert cookies["__Host-account"]["httpOnly"] and cookies["__Host-account"]["secure"]
    assert cookies["__Host-account"]["sameSite"] == "Lax"
