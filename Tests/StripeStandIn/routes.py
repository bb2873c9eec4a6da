"""Which function answers which request, and with which parameters."""

import re

from errors import Failure
from forms import known

ROUTES = []
JOBS = {}
EVERYWHERE = {"expand"}
LISTING = {"limit", "starting_after", "ending_before", "created"}


class Route:
    def __init__(self, method, path, allowed, handler, publishable):
        self.method, self.handler, self.publishable = method, handler, publishable
        self.pattern = re.compile("^" + re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path) + "$")
        self.allowed = None if allowed == "*" else set(allowed.split()) | EVERYWHERE

    def check(self, params):
        if self.allowed is not None:
            known(params, self.allowed)


def route(method, path, allowed="", publishable=False):
    """`publishable`: an app may call it with the publishable key and the object's client secret."""

    def register(handler):
        names = allowed + (" client_secret" if publishable else "")
        ROUTES.append(Route(method, path, names if allowed != "*" else "*", handler, publishable))
        return handler

    return register


def listing(path, allowed=""):
    return route("GET", path, f"{allowed} {' '.join(LISTING)}")


def job(name):
    """A function that runs when the clock reaches the time of a job (`store.at`)."""

    def register(handler):
        JOBS[name] = handler
        return handler

    return register


def match(method, path):
    for candidate in ROUTES:
        found = candidate.pattern.match(path)
        if candidate.method == method and found:
            return candidate, found.groupdict()
    raise Failure(
        404, "invalid_request_error", f"Unrecognized request URL ({method}: {path}).", recorded=False
    )


def run_jobs(store, until):
    """Moves the clock to `until`, and runs what becomes due on the way at its own time."""
    while True:
        try:
            with store.transaction():
                due = store.next_job(until)
                if due is None:
                    store.move_clock(until)
                    return
                store.move_clock(due["due"])
                store.db.execute("DELETE FROM jobs WHERE seq = ?", (due["seq"],))
                JOBS[due["name"]](store, due["object"])
        except Failure as failure:
            # No one waits for the answer of a declined card; what it left behind is stored.
            if not failure.commits:
                raise
