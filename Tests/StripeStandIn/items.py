"""The items of a subscription: prices, seats and their periods (docs.stripe.com/api/subscription_items)."""

import forms
from errors import invalid, malformed, no_such, required
from prices import plan


def price_of(store, wanted, where):
    id = forms.text(wanted, "price") or forms.text(wanted, "plan")
    if id is None:
        raise required(f"{where}[price]")
    price = store.find(id, "price")
    if price is None:
        raise no_such("price", id, f"{where}[price]")
    if not price["recurring"]:
        raise malformed("The price specified is set to `type=one_time` but this field only accepts prices with"
                        " `type=recurring`.", f"{where}[price]")
    if not price["active"]:
        raise invalid("The price specified is inactive. This field only accepts active prices.", f"{where}[price]")
    return price


def new(store, subscription, metadata):
    return store.new(
        "si", "subscription_item", subscription=subscription, discounts=[], metadata=metadata, tax_rates=[])


def fill(store, made, price, quantity, start, end):
    made.update(price=store.snapshot(price), plan=plan(price), quantity=quantity, current_period_start=start,
                current_period_end=end)


def items_of(store, subscription):
    return [store.get(id, "subscription_item") for id in subscription["_items"]]


def show(store, subscription):
    """Copies the items, and the period of the first for older API versions, into the subscription."""
    items = items_of(store, subscription)
    url = f"/v1/subscription_items?subscription={subscription['id']}"
    subscription["items"] = {"object": "list", "data": [store.snapshot(one) for one in items], "has_more": False,
                             "url": url}
    subscription["current_period_start"] = items[0]["current_period_start"]
    subscription["current_period_end"] = items[0]["current_period_end"]
    subscription["plan"] = items[0]["plan"] if len(items) == 1 else None
    subscription["quantity"] = items[0]["quantity"] if len(items) == 1 else None


def period_lines(subscription, items):
    return [
        (f"{one['quantity']} × {one['price']['nickname'] or one['price']['id']}",
         one["price"]["unit_amount"] * one["quantity"], one["price"], one["quantity"], False,
         one["current_period_start"], one["current_period_end"], one["id"])
        for one in items]


def method_of(store, subscription):
    customer = store.get(subscription["customer"], "customer")
    return subscription["default_payment_method"] or customer["invoice_settings"]["default_payment_method"]
