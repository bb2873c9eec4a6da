"""What a page may not do: log errors, break the policy, have requests fail that the test did not expect to."""

import contextlib


class Watch:
    def __init__(self, page):
        self.faults = []
        self.allowed = frozenset()
        # By request: what is decided is what was allowed when it was sent or when it was answered.
        self.allowed_at_start = {}
        # 503s of requests that may be sent again, by method and URL.
        self.unavailable = {}
        page.on("request", lambda it: self.allowed_at_start.__setitem__(it, self.allowed))
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("response", self._response)
        page.on("requestfailed", self._failed)

    @contextlib.contextmanager
    def expecting(self, *statuses):
        """Within, answers with these statuses are what the test is about."""
        before = self.allowed
        self.allowed = before | set(statuses)
        yield
        self.allowed = before

    def _console(self, message):
        # The browser logs each answer of 400 and above, which `_response` judges.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.faults.append(f"console: {message.text}")

    def _response(self, response):
        request = response.request
        name = f"{request.method} {response.url}"
        if response.status == 503:
            self.unavailable[name] = f"503: {name}"
            return
        self.unavailable.pop(name, None)
        if response.status >= 400 and response.status not in self._allowed(request):
            self.faults.append(f"{response.status}: {name}")

    def _allowed(self, request):
        return self.allowed | self.allowed_at_start.get(request, frozenset())

    def _failed(self, request):
        # Left pages abort their requests and streams.
        if request.failure != "net::ERR_ABORTED" and 0 not in self._allowed(request):
            self.faults.append(f"{request.failure}: {request.method} {request.url}")

    def check(self):
        refused = [] if 503 in self.allowed else list(self.unavailable.values())
        assert not self.faults + refused, "\n".join(self.faults + refused)
