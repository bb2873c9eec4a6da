"""Errors as Stripe answers them (docs.stripe.com/api/errors)."""


class Failure(Exception):
    """An error answer.

    `commits`: what was done before it stays (a declined card leaves its failed charge behind).
    `recorded`: a repetition with the same idempotency key gets the same answer. Requests whose parameters are not
    valid never started and are not recorded.
    """

    def __init__(self, status, type, message, commits=False, recorded=True, **details):
        super().__init__(message)
        self.status, self.commits, self.recorded = status, commits, recorded
        self.error = {"type": type, "message": message}
        self.error.update({name: value for name, value in details.items() if value is not None})
        if code := self.error.get("code"):
            self.error["doc_url"] = f"https://stripe.com/docs/error-codes/{code.replace('_', '-')}"


def invalid(message, param=None, code=None, **details):
    """A request that the state of an object forbids."""
    return Failure(400, "invalid_request_error", message, param=param, code=code, **details)


def malformed(message, param=None, code=None):
    """A request whose parameters are not valid."""
    return Failure(400, "invalid_request_error", message, recorded=False, param=param, code=code)


def required(param):
    return malformed(f"Missing required param: {param}.", param, "parameter_missing")


def no_such(kind, id, param=None):
    """404 for the object a path names, 400 for one a parameter names."""
    status = 400 if param and param != "id" else 404
    return Failure(
        status, "invalid_request_error", f"No such {kind}: '{id}'", param=param or "id", code="resource_missing"
    )


def unauthorized(message):
    return Failure(401, "invalid_request_error", message, recorded=False)


def card_error(code, message, decline_code=None, **details):
    return Failure(402, "card_error", message, commits=True, code=code, decline_code=decline_code, **details)
