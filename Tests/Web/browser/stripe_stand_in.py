"""Stripe as the platform under test meets it: the program in Tests/StripeStandIn."""

import json
import subprocess
import sys
import urllib.parse
import urllib.request

from quintet import ROOT

KEY = "sk_test_12345"


class StripeStandIn:
    def __init__(self):
        server = ROOT / "Tests/StripeStandIn/server.py"
        self.process = subprocess.Popen(
            [sys.executable, str(server), "--with-parent", "--database", ":memory:", "--port", "0"],
            stdout=subprocess.PIPE, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]

    def control(self, path, body):
        """A command of the control API."""
        return self._send(f"/_control/{path}", json.dumps(body), "application/json")

    def post(self, path, **form):
        """A request of Stripe's API."""
        return self._send(path, urllib.parse.urlencode(form), "application/x-www-form-urlencoded")

    def authenticate(self, secret, outcome="succeed"):
        """The buyer at the bank, with a payment's client secret."""
        return self.control(f"payment_intents/{secret.split('_secret_')[0]}/authenticate", {"outcome": outcome})

    def _send(self, path, body, kind):
        request = urllib.request.Request(
            self.url + path, body.encode(), {"Authorization": f"Bearer {KEY}", "Content-Type": kind})
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)

    def settings(self, platform):
        """The settings of the platform; the stand-in reports to it from now on."""
        endpoint = self.post("/v1/webhook_endpoints", **{
            "url": f"{platform}/v1/payments/webhooks/stripe", "enabled_events[0]": "*"})
        return {"STRIPE_URL": self.url, "STRIPE_KEY": KEY, "STRIPE_WEBHOOK_SECRET": endpoint["secret"]}

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
