"""PaymentIntents (docs.stripe.com/payments/paymentintents/lifecycle)."""

import cards
import charges
import forms
import payment_methods
from customers import existing
from errors import Failure, card_error, invalid, malformed
from events import emit
from lists import page
from routes import job, listing, route
from store import token

FIELDS = (
    "amount currency customer payment_method payment_method_types automatic_payment_methods description metadata"
    " receipt_email setup_future_usage shipping statement_descriptor statement_descriptor_suffix capture_method"
    " confirmation_method payment_method_data payment_method_options"
)
CONFIRMING = "off_session return_url use_stripe_sdk mandate_data error_on_requires_action"
CANCELABLE = ("requires_payment_method", "requires_capture", "requires_confirmation", "requires_action", "processing")
# Bank debits settle after some days, and so do the cards that a fault makes slow.
PROCESSING_SECONDS = 3 * 86_400

# Called with the store and an intent after it succeeded, failed or needs its buyer.
on_outcome = []


def create(store, amount, currency, customer=None, invoice=None, **fields):
    id = f"pi_{token()}"
    intent = store.new(
        "pi", "payment_intent", id, amount=amount, amount_capturable=0, amount_details={"tip": {}}, amount_received=0,
        automatic_payment_methods=None, canceled_at=None, cancellation_reason=None, capture_method="automatic",
        client_secret=f"{id}_secret_{token(25)}", confirmation_method="automatic", currency=currency,
        customer=customer, description=None, invoice=invoice, last_payment_error=None, latest_charge=None, metadata={},
        next_action=None, payment_method=None, payment_method_options={"card": {"request_three_d_secure": "automatic"}},
        payment_method_types=["card"], processing=None, receipt_email=None, setup_future_usage=None, shipping=None,
        statement_descriptor=None, statement_descriptor_suffix=None, status="requires_payment_method",
        _invoice=invoice, _return_url=None, _authenticated=False,
    )
    intent.update(fields)
    emit(store, "payment_intent.created", intent)
    return intent


def apply(store, intent, params):
    """Sets what a request names; a payment method makes the intent ready to be confirmed."""
    if "amount" in params:
        amount = forms.integer(params, "amount", least=1)
        intent["amount"] = forms.charge_amount(amount, intent["currency"])
    if "customer" in params:
        intent["customer"] = existing(store, forms.needed(params, "customer"), "customer")["id"]
    for name in ("description", "receipt_email", "statement_descriptor", "statement_descriptor_suffix"):
        if name in params:
            intent[name] = forms.text(params, name)
    if "setup_future_usage" in params:
        intent["setup_future_usage"] = forms.word(params, "setup_future_usage", ("on_session", "off_session"))
    if "shipping" in params:
        intent["shipping"] = forms.mapping(params, "shipping") or None
    intent["metadata"] = forms.metadata(params, intent["metadata"])
    method = method_of(store, params, intent["customer"])
    if method:
        intent["payment_method"], intent["status"] = method["id"], "requires_confirmation"
        intent["_authenticated"] = False


def method_of(store, params, customer):
    if id := forms.text(params, "payment_method"):
        return payment_methods.usable(store, id, customer)
    if data := forms.mapping(params, "payment_method_data"):
        return payment_methods.create(store, data)
    return None


# Confirmation


def confirm(store, intent, off_session=False, return_url=None, may_require_action=True):
    """Tries to pay.

    - Raises: ``Failure`` of a declined card, which commits.
    """
    method = payment_methods.usable(store, intent["payment_method"], intent["customer"])
    intent["_return_url"] = return_url or intent["_return_url"]
    needs = payment_methods.behavior(method).authentication
    is_set_up = method["_set_up"] and method["customer"]
    if off_session and (needs == "always" or needs == "unless_set_up" and not is_set_up):
        decline(store, intent, method, "authentication_required")
    if (needs and not off_session or store.forced == "requiresAction") and not intent["_authenticated"]:
        if not may_require_action:
            decline(store, intent, method, "authentication_required")
        return require_action(store, intent)
    charge(store, intent, method)


def require_action(store, intent):
    intent["status"] = "requires_action"
    if intent["_return_url"]:
        url = f"{store.setting('url', '')}/_bank/{intent['id']}"
        intent["next_action"] = {
            "type": "redirect_to_url", "redirect_to_url": {"return_url": intent["_return_url"], "url": url}}
    else:
        intent["next_action"] = {"type": "use_stripe_sdk", "use_stripe_sdk": {
            "type": "three_d_secure_redirect", "stripe_js": f"{store.setting('url', '')}/_bank/{intent['id']}"}}
    emit(store, "payment_intent.requires_action", intent)
    settle(store, intent)


def charge(store, intent, method):
    card = payment_methods.behavior(method)
    intent["next_action"] = None
    forced = store.forced if store.forced in cards.DECLINES else None
    if reason := forced or card.decline:
        decline(store, intent, method, reason)
    if store.forced == "processing":
        intent["status"], intent["processing"] = "processing", {"card": {}, "type": "card"}
        use(store, intent, method)
        emit(store, "payment_intent.processing", intent)
        store.later(PROCESSING_SECONDS, "payment_intent.settle", intent["id"])
        return
    succeed(store, intent, method)


def decline(store, intent, method, reason):
    code, message = cards.DECLINES[reason]
    error = {"code": code, "message": message, "type": "card_error"}
    if code == "card_declined" or reason == "authentication_required":
        error["decline_code"] = reason
    attempt = charges.create(store, intent, method, intent["amount"], failure=error)
    error["charge"] = intent["latest_charge"] = attempt["id"]
    emit(store, "charge.failed", attempt)
    use(store, intent, method)
    fail(store, intent, method, error)
    raise card_error(
        code, message, error.get("decline_code"), charge=attempt["id"], payment_intent=store.snapshot(intent),
        payment_method=store.snapshot(method))


def fail(store, intent, method, error):
    """The intent waits for another payment method."""
    intent["last_payment_error"] = {**error, "payment_method": store.snapshot(method)}
    intent["payment_method"], intent["next_action"], intent["processing"] = None, None, None
    intent["status"] = "requires_payment_method"
    emit(store, "payment_intent.payment_failed", intent)
    settle(store, intent)


def use(store, intent, method):
    """A card that no customer keeps can be charged once."""
    if not method["customer"]:
        method["_used_up"] = True


def succeed(store, intent, method):
    is_manual = intent["capture_method"] == "manual"
    paid = charges.create(store, intent, method, intent["amount"], captured=not is_manual)
    intent["latest_charge"], intent["last_payment_error"], intent["processing"] = paid["id"], None, None
    if intent["setup_future_usage"] and intent["customer"] and not method["customer"]:
        payment_methods.attach(store, method, store.get(intent["customer"], "customer"))
        method["_set_up"] = True
    use(store, intent, method)
    emit(store, "charge.succeeded", paid)
    if is_manual:
        intent["status"], intent["amount_capturable"] = "requires_capture", intent["amount"]
        emit(store, "payment_intent.amount_capturable_updated", intent)
    else:
        received(store, intent, intent["amount"])
    if reason := payment_methods.behavior(method).dispute:
        store.later(0, f"dispute.{reason}", paid["id"])
    settle(store, intent)


def received(store, intent, amount):
    intent["status"], intent["amount_received"], intent["amount_capturable"] = "succeeded", amount, 0
    emit(store, "payment_intent.succeeded", intent)


def settle(store, intent):
    for hook in on_outcome:
        hook(store, intent)


@job("payment_intent.settle")
def settle_processing(store, id):
    intent = store.get(id, "payment_intent")
    if intent["status"] == "processing":
        succeed(store, intent, store.get(intent["payment_method"], "payment_method"))


def finish_processing(store, intent, succeeds):
    if intent["status"] != "processing":
        raise invalid(f"The PaymentIntent {intent['id']} is {intent['status']}.")
    method = store.get(intent["payment_method"], "payment_method")
    if succeeds:
        return succeed(store, intent, method)
    error = {"code": "payment_intent_payment_attempt_failed", "message": "The payment failed.", "type": "card_error"}
    attempt = charges.create(store, intent, method, intent["amount"], failure=error)
    intent["latest_charge"] = error["charge"] = attempt["id"]
    emit(store, "charge.failed", attempt)
    fail(store, intent, method, error)


def authenticate(store, intent, succeeds):
    """What the buyer did at the bank."""
    if intent["status"] != "requires_action":
        raise invalid(f"The PaymentIntent {intent['id']} is {intent['status']}; there is nothing to authenticate.")
    method = store.get(intent["payment_method"], "payment_method")
    if succeeds and intent["confirmation_method"] == "manual":
        # The shop confirms once more.
        intent["_authenticated"], intent["status"], intent["next_action"] = True, "requires_confirmation", None
    elif succeeds:
        try:
            charge(store, intent, method)
        except Failure:
            # The decline is in the intent; the bank's page has nothing to answer with.
            return
    else:
        use(store, intent, method)
        fail(store, intent, method, {
            "code": "payment_intent_authentication_failure", "type": "invalid_request_error",
            "message": "The provided PaymentMethod has failed authentication. You can provide payment_method_data or a"
            " new PaymentMethod to attempt to fulfill this PaymentIntent again."})


# Requests


def unexpected(store, intent, message):
    """The intent stays as it is, also when this request created it."""
    return Failure(
        400, "invalid_request_error", message, commits=True, code="payment_intent_unexpected_state",
        payment_intent=store.snapshot(intent))


@route("POST", "/v1/payment_intents", f"{FIELDS} confirm {CONFIRMING}")
def post(store, params):
    amount = forms.integer(params, "amount", least=1)
    if amount is None:
        forms.needed(params, "amount")
    currency = forms.currency(params)
    forms.charge_amount(amount, currency)
    confirms = forms.boolean(params, "confirm")
    for name in CONFIRMING.split():
        if name in params and not confirms:
            raise malformed(f"You can only set {name} when confirm=true.", name)
    off_session = forms.boolean(params, "off_session")
    automatic = forms.mapping(params, "automatic_payment_methods")
    types = forms.sequence(params, "payment_method_types")
    if automatic and types:
        raise malformed(
            "You may only specify one of these parameters: automatic_payment_methods, payment_method_types.")
    intent = create(
        store, amount, currency, payment_method_types=types or ["card"],
        capture_method=forms.word(
            params, "capture_method", ("automatic", "automatic_async", "manual"), "automatic"),
        confirmation_method=forms.word(params, "confirmation_method", ("automatic", "manual"), "automatic"),
        automatic_payment_methods={"allow_redirects": automatic.get("allow_redirects", "always"), "enabled": True}
        if forms.boolean(automatic, "enabled", not types) else None,
        metadata=forms.metadata(params))
    apply(store, intent, params)
    if confirms:
        run_confirmation(store, intent, params, off_session)
    return intent


def run_confirmation(store, intent, params, off_session):
    if not intent["payment_method"]:
        raise unexpected(
            store, intent,
            "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the"
            " PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a"
            " payment method or ConfirmationToken.")
    may_require_action = not forms.boolean(params, "error_on_requires_action")
    confirm(store, intent, off_session, forms.text(params, "return_url"), may_require_action)


@route("GET", "/v1/payment_intents/{id}", publishable=True)
def get(store, params, id):
    return store.get(id, "payment_intent")


@route("POST", "/v1/payment_intents/{id}", FIELDS)
def update(store, params, id):
    intent = store.get(id, "payment_intent")
    if intent["status"] not in CANCELABLE[:1] + CANCELABLE[2:4] and set(params) - {"metadata", "description"}:
        raise unexpected(
            store, intent,
            f"This PaymentIntent's {next(iter(params))} could not be updated because it has a status of"
            f" {intent['status']}.")
    if "currency" in params:
        intent["currency"] = forms.currency(params)
    apply(store, intent, params)
    return intent


@route("POST", "/v1/payment_intents/{id}/confirm", f"payment_method payment_method_data payment_method_options"
       f" setup_future_usage receipt_email shipping payment_method_types {CONFIRMING}", publishable=True)
def post_confirm(store, params, id):
    intent = store.get(id, "payment_intent")
    if intent["status"] in ("succeeded", "requires_capture", "processing", "canceled"):
        reason = (
            "because it has already succeeded after being previously confirmed."
            if intent["status"] == "succeeded" else f"because it has a status of {intent['status']}."
        )
        raise unexpected(store, intent, f"You cannot confirm this PaymentIntent {reason}")
    off_session = forms.boolean(params, "off_session")
    apply(store, intent, {name: value for name, value in params.items() if name not in CONFIRMING.split()})
    run_confirmation(store, intent, params, off_session)
    return intent


@route("POST", "/v1/payment_intents/{id}/cancel", "cancellation_reason")
def post_cancel(store, params, id):
    intent = store.get(id, "payment_intent")
    reasons = ("duplicate", "fraudulent", "requested_by_customer", "abandoned")
    reason = forms.word(params, "cancellation_reason", reasons)
    if intent["_invoice"]:
        raise invalid("You cannot cancel this PaymentIntent because it was created by an invoice. Void the invoice.")
    cancel(store, intent, reason)
    return intent


def cancel(store, intent, reason=None):
    if intent["status"] not in CANCELABLE or intent["status"] == "processing":
        raise unexpected(
            store, intent,
            f"You cannot cancel this PaymentIntent because it has a status of {intent['status']}. Only a PaymentIntent"
            f" with one of the following statuses may be canceled: {', '.join(CANCELABLE)}.")
    intent["status"], intent["canceled_at"], intent["cancellation_reason"] = "canceled", store.now(), reason
    intent["next_action"], intent["amount_capturable"] = None, 0
    emit(store, "payment_intent.canceled", intent)


@route("POST", "/v1/payment_intents/{id}/capture", "amount_to_capture")
def post_capture(store, params, id):
    intent = store.get(id, "payment_intent")
    if intent["status"] != "requires_capture":
        raise unexpected(
            store, intent,
            f"This PaymentIntent could not be captured because it has a status of {intent['status']}. Only a"
            " PaymentIntent with one of the following statuses may be captured: requires_capture.")
    amount = forms.integer(params, "amount_to_capture", intent["amount_capturable"], least=1)
    if amount > intent["amount_capturable"]:
        raise invalid("The requested capture amount is greater than the amount you can capture for this charge.",
                      "amount_to_capture", "amount_too_large")
    paid = store.get(intent["latest_charge"], "charge")
    paid["captured"], paid["amount_captured"] = True, amount
    charges.book_capture(store, paid)
    emit(store, "charge.captured", paid)
    received(store, intent, amount)
    settle(store, intent)
    return intent


@listing("/v1/payment_intents", "customer")
def list_intents(store, params):
    return page(store, params, "payment_intent", "/v1/payment_intents", customer=forms.text(params, "customer"))
