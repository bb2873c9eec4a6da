"""SetupIntents: a card kept for later payments (docs.stripe.com/api/setup_intents)."""

import cards
import forms
import payment_methods
from customers import existing
from errors import card_error, invalid
from events import emit
from lists import page
from routes import listing, route
from store import token

FIELDS = (
    "customer payment_method payment_method_types automatic_payment_methods description metadata usage"
    " payment_method_data payment_method_options"
)


@route("POST", "/v1/setup_intents", f"{FIELDS} confirm return_url use_stripe_sdk mandate_data single_use")
def post(store, params):
    id = f"seti_{token()}"
    intent = store.new(
        "seti", "setup_intent", id, application=None, automatic_payment_methods=None, cancellation_reason=None,
        client_secret=f"{id}_secret_{token(25)}", customer=None, description=None, last_setup_error=None,
        latest_attempt=None, mandate=None, metadata={}, next_action=None, payment_method=None,
        payment_method_options={"card": {"request_three_d_secure": "automatic"}},
        payment_method_types=forms.sequence(params, "payment_method_types") or ["card"],
        status="requires_payment_method",
        usage=forms.word(params, "usage", ("on_session", "off_session"), "off_session"),
        _return_url=forms.text(params, "return_url"),
    )
    apply(store, intent, params)
    emit(store, "setup_intent.created", intent)
    if forms.boolean(params, "confirm"):
        confirm(store, intent)
    return intent


def apply(store, intent, params):
    if "customer" in params:
        intent["customer"] = existing(store, forms.needed(params, "customer"), "customer")["id"]
    if "description" in params:
        intent["description"] = forms.text(params, "description")
    intent["metadata"] = forms.metadata(params, intent["metadata"])
    if id := forms.text(params, "payment_method"):
        method = payment_methods.usable(store, id, intent["customer"])
    elif data := forms.mapping(params, "payment_method_data"):
        method = payment_methods.create(store, data)
    else:
        return
    intent["payment_method"], intent["status"] = method["id"], "requires_confirmation"


def unexpected(store, intent, message):
    return invalid(message, code="setup_intent_unexpected_state", setup_intent=store.snapshot(intent))


def confirm(store, intent):
    if not intent["payment_method"]:
        raise unexpected(
            store, intent, "You cannot confirm this SetupIntent because it's missing a payment method. Update the"
            " SetupIntent with a payment method and then confirm it again.")
    method = payment_methods.usable(store, intent["payment_method"], intent["customer"])
    if payment_methods.behavior(method).authentication or store.forced == "requiresAction":
        intent["status"] = "requires_action"
        url = f"{store.setting('url', '')}/_bank/{intent['id']}"
        intent["next_action"] = {
            "type": "redirect_to_url", "redirect_to_url": {"return_url": intent["_return_url"], "url": url},
        } if intent["_return_url"] else {"type": "use_stripe_sdk", "use_stripe_sdk": {
            "type": "three_d_secure_redirect", "stripe_js": url}}
        emit(store, "setup_intent.requires_action", intent)
        return
    succeed(store, intent, method)


def succeed(store, intent, method):
    card = payment_methods.behavior(method)
    forced = store.forced if store.forced in cards.DECLINES else None
    if forced or card.decline and not card.attaches:
        reason = forced or card.decline
        code, message = cards.DECLINES[reason]
        decline_code = reason if code == "card_declined" else None
        error = {"code": code, "message": message, "type": "card_error", "decline_code": decline_code}
        fail(store, intent, method, error)
        raise card_error(code, message, decline_code, setup_intent=store.snapshot(intent))
    intent["status"], intent["next_action"], intent["last_setup_error"] = "succeeded", None, None
    method["_set_up"] = True
    if intent["customer"]:
        payment_methods.attach(store, method, store.get(intent["customer"], "customer"))
    emit(store, "setup_intent.succeeded", intent)


def fail(store, intent, method, error):
    intent["last_setup_error"] = {**error, "payment_method": store.snapshot(method)}
    intent["payment_method"], intent["next_action"] = None, None
    intent["status"] = "requires_payment_method"
    emit(store, "setup_intent.setup_failed", intent)


def authenticate(store, intent, succeeds):
    if intent["status"] != "requires_action":
        raise invalid(f"The SetupIntent {intent['id']} is {intent['status']}; there is nothing to authenticate.")
    method = store.get(intent["payment_method"], "payment_method")
    if succeeds:
        succeed(store, intent, method)
    else:
        fail(store, intent, method, {
            "code": "setup_intent_authentication_failure", "type": "invalid_request_error",
            "message": "The latest attempt to set up the payment method has failed because authentication failed."})


@route("GET", "/v1/setup_intents/{id}", publishable=True)
def get(store, params, id):
    return store.get(id, "setup_intent")


@route("POST", "/v1/setup_intents/{id}", FIELDS)
def update(store, params, id):
    intent = store.get(id, "setup_intent")
    if intent["status"] in ("succeeded", "canceled") and set(params) - {"metadata", "description"}:
        raise unexpected(store, intent, f"You cannot update this SetupIntent because it has a status of"
                         f" {intent['status']}.")
    apply(store, intent, params)
    return intent


@route("POST", "/v1/setup_intents/{id}/confirm", "payment_method payment_method_data payment_method_options return_url"
       " use_stripe_sdk mandate_data", publishable=True)
def post_confirm(store, params, id):
    intent = store.get(id, "setup_intent")
    if intent["status"] in ("succeeded", "canceled"):
        raise unexpected(
            store, intent, f"You cannot confirm this SetupIntent because it has a status of {intent['status']}.")
    intent["_return_url"] = forms.text(params, "return_url", intent["_return_url"])
    apply(store, intent, params)
    confirm(store, intent)
    return intent


@route("POST", "/v1/setup_intents/{id}/cancel", "cancellation_reason")
def post_cancel(store, params, id):
    intent = store.get(id, "setup_intent")
    if intent["status"] in ("succeeded", "canceled"):
        raise unexpected(
            store, intent, f"You cannot cancel this SetupIntent because it has a status of {intent['status']}.")
    intent["status"], intent["next_action"] = "canceled", None
    intent["cancellation_reason"] = forms.word(
        params, "cancellation_reason", ("abandoned", "duplicate", "requested_by_customer"))
    emit(store, "setup_intent.canceled", intent)
    return intent


@listing("/v1/setup_intents", "customer payment_method")
def list_intents(store, params):
    return page(
        store, params, "setup_intent", "/v1/setup_intents", customer=forms.text(params, "customer"),
        payment_method=forms.text(params, "payment_method"))
