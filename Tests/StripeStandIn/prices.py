"""Products and prices; `/v1/plans` is the older name of recurring prices (docs.stripe.com/api/prices)."""

import forms
from errors import invalid, malformed, required
from events import emit, watching
from lists import page
from routes import listing, route

INTERVALS = ("day", "week", "month", "year")


def product(store, name, metadata=None, id=None, description=None):
    made = store.new(
        "prod", "product", id, active=True, default_price=None, description=description, images=[],
        marketing_features=[], metadata=metadata or {}, name=name, package_dimensions=None, shippable=None,
        statement_descriptor=None, tax_code=None, type="service", unit_label=None, updated=store.now(), url=None)
    emit(store, "product.created", made)
    return made


def price(store, product, amount, currency, interval=None, count=1, id=None, metadata=None, lookup_key=None,
          nickname=None):
    recurring = interval and {
        "interval": interval, "interval_count": count, "meter": None, "trial_period_days": None,
        "usage_type": "licensed"}
    made = store.new(
        "price", "price", id, active=True, billing_scheme="per_unit", currency=currency, custom_unit_amount=None,
        lookup_key=lookup_key, metadata=metadata or {}, nickname=nickname, product=product, recurring=recurring or None,
        tax_behavior="unspecified", tiers_mode=None, transform_quantity=None,
        type="recurring" if recurring else "one_time", unit_amount=amount, unit_amount_decimal=str(amount))
    emit(store, "price.created", made)
    return made


def plan(price):
    """The older form of a recurring price."""
    recurring = price["recurring"] or {}
    return {
        "id": price["id"], "object": "plan", "active": price["active"], "amount": price["unit_amount"],
        "amount_decimal": price["unit_amount_decimal"], "billing_scheme": "per_unit", "created": price["created"],
        "currency": price["currency"], "interval": recurring.get("interval"),
        "interval_count": recurring.get("interval_count"), "livemode": False, "metadata": price["metadata"],
        "nickname": price["nickname"], "product": price["product"], "usage_type": "licensed",
    }


def unused(store, id):
    if id and store.find(id):
        raise invalid("Object already exists.", "id", "resource_already_exists")
    return id


def product_of(store, params):
    given = params.get("product")
    if isinstance(given, str) and given:
        return store.get(given, "product", "product")["id"]
    data = forms.mapping(params, "product_data") or (given if isinstance(given, dict) else {})
    if not data:
        raise required("product")
    return product(store, forms.needed(data, "name"), forms.metadata(data), unused(store, data.get("id")))["id"]


@route("POST", "/v1/products", "id name description metadata active images url unit_label tax_code")
def post_product(store, params):
    name = forms.needed(params, "name")
    return product(
        store, name, forms.metadata(params), unused(store, params.get("id")), forms.text(params, "description"))


@route("GET", "/v1/products/{id}")
def get_product(store, params, id):
    return store.get(id, "product")


@route("POST", "/v1/products/{id}", "name description metadata active")
def update_product(store, params, id):
    made = store.get(id, "product")
    with watching(store, "product.updated", made):
        made["name"] = forms.text(params, "name", made["name"])
        made["description"] = forms.text(params, "description", made["description"])
        made["active"] = forms.boolean(params, "active", made["active"])
        made["metadata"] = forms.metadata(params, made["metadata"])
    return made


@listing("/v1/products", "active")
def list_products(store, params):
    return page(store, params, "product", "/v1/products")


@route("POST", "/v1/prices", "currency unit_amount product product_data recurring metadata nickname lookup_key active"
       " tax_behavior billing_scheme")
def post_price(store, params):
    currency = forms.currency(params)
    amount = forms.integer(params, "unit_amount", least=0)
    if amount is None:
        raise required("unit_amount")
    recurring = forms.mapping(params, "recurring")
    interval = forms.word(recurring, "interval", INTERVALS)
    if recurring and not interval:
        raise required("recurring[interval]")
    return price(
        store, product_of(store, params), amount, currency, interval, forms.integer(recurring, "interval_count", 1, 1),
        metadata=forms.metadata(params), lookup_key=forms.text(params, "lookup_key"),
        nickname=forms.text(params, "nickname"))


@route("GET", "/v1/prices/{id}")
def get_price(store, params, id):
    return store.get(id, "price")


@route("POST", "/v1/prices/{id}", "active metadata nickname lookup_key tax_behavior")
def update_price(store, params, id):
    made = store.get(id, "price")
    with watching(store, "price.updated", made):
        made["active"] = forms.boolean(params, "active", made["active"])
        made["nickname"] = forms.text(params, "nickname", made["nickname"])
        made["lookup_key"] = forms.text(params, "lookup_key", made["lookup_key"])
        made["metadata"] = forms.metadata(params, made["metadata"])
    return made


@listing("/v1/prices", "active product currency type lookup_keys recurring")
def list_prices(store, params):
    return page(
        store, params, "price", "/v1/prices", product=forms.text(params, "product"),
        currency=forms.text(params, "currency"), type=forms.text(params, "type"),
        lookup_key=forms.sequence(params, "lookup_keys") or None)


@route("POST", "/v1/plans", "id amount currency interval interval_count product nickname metadata active")
def post_plan(store, params):
    currency = forms.currency(params)
    amount = forms.integer(params, "amount", least=0)
    interval = forms.word(params, "interval", INTERVALS)
    if amount is None or interval is None:
        raise malformed("Missing required param: amount or interval.", code="parameter_missing")
    return plan(price(
        store, product_of(store, params), amount, currency, interval, forms.integer(params, "interval_count", 1, 1),
        unused(store, params.get("id")), forms.metadata(params), nickname=forms.text(params, "nickname")))


@route("GET", "/v1/plans/{id}")
def get_plan(store, params, id):
    return plan(store.get(id, "price", "id"))
