"""Customers (docs.stripe.com/api/customers)."""

import forms
from errors import no_such
from events import emit, watching
from lists import page
from payment_methods import attach, detach, resolve
from routes import listing, route
from store import token

TEXTS = ("name", "email", "description", "phone")
FIELDS = "name email description phone address shipping metadata payment_method invoice_settings preferred_locales"

on_deleted = []


def existing(store, id, param=None):
    customer = store.get(id, "customer", param)
    if customer.get("deleted"):
        raise no_such("customer", id, param)
    return customer


def apply(store, customer, params):
    for name in TEXTS:
        if name in params:
            customer[name] = forms.text(params, name)
    for name in ("address", "shipping"):
        if name in params:
            customer[name] = forms.mapping(params, name) or None
    customer["metadata"] = forms.metadata(params, customer["metadata"])
    attached = None
    if id := forms.text(params, "payment_method"):
        attached = attach(store, resolve(store, id), customer)
    settings = forms.mapping(params, "invoice_settings")
    if "default_payment_method" in settings:
        id = forms.text(settings, "default_payment_method")
        # The same test name in both places is the same card.
        if id and id == params.get("payment_method"):
            id = attached["id"]
        if id and (store.find(id, "payment_method") or {}).get("customer") != customer["id"]:
            raise no_such("PaymentMethod", id, "invoice_settings[default_payment_method]")
        customer["invoice_settings"]["default_payment_method"] = id


@route("POST", "/v1/customers", FIELDS)
def create(store, params):
    customer = store.new(
        "cus", "customer", **dict.fromkeys(TEXTS), address=None, shipping=None, balance=0, currency=None,
        default_source=None, delinquent=False, invoice_prefix=token(8).upper(), metadata={},
        invoice_settings={"custom_fields": None, "default_payment_method": None, "footer": None},
    )
    apply(store, customer, params)
    emit(store, "customer.created", customer)
    return customer


@route("GET", "/v1/customers/{id}")
def get(store, params, id):
    return answer(store.get(id, "customer"))


def answer(customer):
    """A deleted customer is shown with nothing but the fact."""
    if not customer.get("deleted"):
        return customer
    return {"id": customer["id"], "object": "customer", "deleted": True}


@route("POST", "/v1/customers/{id}", FIELDS)
def update(store, params, id):
    customer = existing(store, id)
    with watching(store, "customer.updated", customer):
        apply(store, customer, params)
    return customer


@route("DELETE", "/v1/customers/{id}")
def delete(store, params, id):
    customer = existing(store, id)
    for hook in on_deleted:
        hook(store, customer)
    for method in store.select("payment_method", "json_extract(body, '$.customer') = ?", [id]):
        detach(store, method)
    customer["deleted"] = True
    emit(store, "customer.deleted", customer)
    return answer(customer)


@listing("/v1/customers", "email")
def list_customers(store, params):
    # No JSON value equals a field that is not there.
    return page(store, params, "customer", "/v1/customers", email=forms.text(params, "email"))


@listing("/v1/customers/{id}/payment_methods", "type")
def list_methods(store, params, id):
    existing(store, id)
    url = f"/v1/customers/{id}/payment_methods"
    return page(store, params, "payment_method", url, customer=id, type=forms.text(params, "type"))


@route("GET", "/v1/customers/{id}/payment_methods/{method}")
def get_method(store, params, id, method):
    found = store.get(method, "payment_method")
    if found["customer"] != id:
        raise no_such("PaymentMethod", method)
    return found
