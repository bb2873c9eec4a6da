"""Payment methods: cards, kept by customers or used once (docs.stripe.com/api/payment_methods)."""

import datetime
import hashlib

import cards
import forms
from errors import Failure, card_error, invalid, malformed, no_such, required
from events import emit, watching
from lists import page
from routes import listing, route

USED_UP = (
    "This PaymentMethod was previously used without being attached to a Customer or was detached from a Customer,"
    " and may not be used again."
)
FIELDS = "type card billing_details metadata allow_redisplay"


def create(store, params):
    kind = forms.needed(params, "type")
    if kind != "card":
        raise malformed(f"The payment method type {kind} is not offered by this stand-in.", "type")
    details = forms.mapping(params, "card")
    if not details:
        raise required("card")
    if name := forms.text(details, "token"):
        card = cards.BY_NAME.get(name.removeprefix("tok_"))
        if card is None:
            raise no_such("token", name, "card[token]")
        return from_card(store, card, metadata=forms.metadata(params))
    number = forms.needed(details, "number").replace(" ", "")
    month = forms.integer(details, "exp_month")
    year = forms.integer(details, "exp_year")
    if month is None or year is None:
        raise required("card[exp_month]" if month is None else "card[exp_year]")
    year += 2000 if year < 100 else 0
    today = datetime.datetime.fromtimestamp(store.now(), datetime.timezone.utc)
    if not 1 <= month <= 12:
        raise refused("invalid_expiry_month", "Your card's expiration month is invalid.", "exp_month")
    if (year, month) < (today.year, today.month) or year > today.year + 50:
        raise refused("invalid_expiry_year", "Your card's expiration year is invalid.", "exp_year")
    card = cards.BY_NUMBER.get(number)
    if card is None:
        if not luhn(number):
            raise refused("incorrect_number", "Your card number is incorrect.", "number")
        message = "Your card was declined. Your request was in test mode, but used a non test card."
        raise card_error("card_declined", message, "test_mode_live_card")
    return from_card(store, card, month, year, forms.metadata(params), forms.mapping(params, "billing_details"))


def refused(code, message, param):
    return Failure(402, "card_error", message, code=code, param=param)


def luhn(number):
    if not number.isdigit() or not 12 <= len(number) <= 19:
        return False
    digits = [int(digit) for digit in reversed(number)]
    return (sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10 == 0


def from_card(store, card, month=None, year=None, metadata=None, billing=None):
    today = datetime.datetime.fromtimestamp(store.now(), datetime.timezone.utc)
    return store.new(
        "pm", "payment_method", type="card", customer=None, metadata=metadata or {}, allow_redisplay="unspecified",
        billing_details={"address": None, "email": None, "name": None, "phone": None, **(billing or {})},
        card={
            "brand": card.brand, "checks": {
                "address_line1_check": None, "address_postal_code_check": None, "cvc_check": "pass"},
            "country": "US", "display_brand": card.brand, "exp_month": month or today.month,
            "exp_year": year or today.year + 1, "fingerprint": hashlib.sha256(card.number.encode()).hexdigest()[:16],
            "funding": card.funding, "generated_from": None, "last4": card.number[-4:],
            "networks": {"available": [card.brand], "preferred": None},
            "three_d_secure_usage": {"supported": True}, "wallet": None,
        },
        _number=card.number, _used_up=False, _set_up=False,
    )


def resolve(store, id, param="payment_method"):
    """The payment method of an id; each use of a test name such as `pm_card_visa` makes a new one."""
    name = id.removeprefix("pm_card_")
    if name != id and name in cards.BY_NAME:
        return from_card(store, cards.BY_NAME[name])
    method = store.find(id, "payment_method")
    if method is None:
        raise no_such("PaymentMethod", id, param)
    return method


def behavior(method):
    return cards.BY_NUMBER[method["_number"]]


def usable(store, id, customer, param="payment_method"):
    """A payment method that may pay for a customer (or for no one known).

    - Raises: what Stripe answers if it was used up, or if it belongs to someone else.
    """
    method = resolve(store, id, param)
    if method["_used_up"]:
        raise invalid(USED_UP, param)
    if method["customer"] and not customer:
        raise invalid(
            f"The PaymentMethod {method['id']} you provided is attached to a customer so for security purposes you must"
            " provide the customer in the request.", param)
    if method["customer"] and method["customer"] != customer:
        raise invalid(f"The provided PaymentMethod {method['id']} does not belong to the Customer {customer}.", param)
    return method


def attach(store, method, customer):
    """Keeps a card for a customer."""
    if method["customer"] == customer["id"]:
        return method
    if method["_used_up"]:
        raise invalid(USED_UP, "payment_method")
    if method["customer"]:
        raise invalid("The payment method you provided has already been attached to a customer.", "payment_method")
    card = behavior(method)
    if card.decline and not card.attaches:
        code, message = cards.DECLINES[card.decline]
        raise card_error(code, message, card.decline if code == "card_declined" else None)
    method["customer"] = customer["id"]
    emit(store, "payment_method.attached", method)
    return method


def detach(store, method):
    former = method["customer"]
    method["customer"], method["_used_up"] = None, True
    customer = store.find(former, "customer")
    if customer and customer["invoice_settings"]["default_payment_method"] == method["id"]:
        with watching(store, "customer.updated", customer):
            customer["invoice_settings"]["default_payment_method"] = None
    emit(store, "payment_method.detached", method, {"customer": former})
    return method


@route("POST", "/v1/payment_methods", FIELDS, publishable=True)
def post_payment_method(store, params):
    return create(store, params)


@route("GET", "/v1/payment_methods/{id}")
def get_payment_method(store, params, id):
    return resolve(store, id, "id")


@route("POST", "/v1/payment_methods/{id}", "card billing_details metadata allow_redisplay")
def post_update(store, params, id):
    method = resolve(store, id, "id")
    if not method["customer"]:
        raise invalid("You must save this PaymentMethod to a customer before you can update it.")
    with watching(store, "payment_method.updated", method):
        method["metadata"] = forms.metadata(params, method["metadata"])
        method["billing_details"].update(forms.mapping(params, "billing_details"))
        card = forms.mapping(params, "card")
        method["card"]["exp_month"] = forms.integer(card, "exp_month", method["card"]["exp_month"], least=1, most=12)
        method["card"]["exp_year"] = forms.integer(card, "exp_year", method["card"]["exp_year"])
    return method


@route("POST", "/v1/payment_methods/{id}/attach", "customer")
def post_attach(store, params, id):
    customer = store.get(forms.needed(params, "customer"), "customer", "customer")
    return attach(store, resolve(store, id, "id"), customer)


@route("POST", "/v1/payment_methods/{id}/detach")
def post_detach(store, params, id):
    method = resolve(store, id, "id")
    if not method["customer"]:
        raise invalid("The payment method you provided is not attached to a customer so detachment is impossible.")
    return detach(store, method)


@listing("/v1/payment_methods", "customer type")
def list_payment_methods(store, params):
    customer = forms.text(params, "customer")
    if customer is None:
        return {"object": "list", "data": [], "has_more": False, "url": "/v1/payment_methods"}
    store.get(customer, "customer", "customer")
    kind = forms.text(params, "type")
    return page(store, params, "payment_method", "/v1/payment_methods", customer=customer, type=kind)
