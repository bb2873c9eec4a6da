"""What a page may not do: log errors, break the policy, have requests fail that the test did not expect to."""

import contextlib


class Watch:
    def __init__(self, page):
        self.faults = []
        self.allowed = set()
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("response", self._response)
        page.on("requestfailed", self._failed)

    @contextlib.contextmanager
    def expecting(self, *statuses):
        """Within, answers with these statuses are what the test is about."""
        self.allowed |= set(statuses)
        yield
        self.allowed -= set(statuses)

    def _console(self, message):
        # The browser logs each answer of 400 and above, which `_response` judges.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.faults.append(f"console: {message.text}")

    def _response(self, response):
        if response.status >= 400 and response.status not in self.allowed:
            self.faults.append(f"{response.status}: {response.request.method} {response.url}")

    def _failed(self, request):
        # Left pages abort their requests and streams.
        if request.failure != "net::ERR_ABORTED" and 0 not in self.allowed:
            self.faults.append(f"{request.failure}: {request.method} {request.url}")

    def check(self):
        assert not self.faults, "\n".join(self.faults)
