"""Changes of a subscription's items in the middle of a period (docs.stripe.com/billing/subscriptions/prorations)."""

import forms
from errors import invalid, no_such
from items import fill, new


def plan_changes(store, subscription, wanted, price_of):
    """The items after a change, as (id, price, quantity); an item without an id is new."""
    planned = [
        {"id": id, "price": one["price"]["id"], "quantity": one["quantity"]}
        for id in subscription["_items"] for one in [store.get(id, "subscription_item")]]
    for index, change in enumerate(wanted):
        where = f"items[{index}]"
        id = forms.text(change, "id")
        if id is None:
            price = price_of(store, change, where)
            quantity = forms.integer(change, "quantity", 1, least=0)
            planned.append({"id": None, "price": price["id"], "quantity": quantity})
            continue
        item = next((one for one in planned if one["id"] == id), None)
        if item is None:
            raise no_such("subscription_item", id, f"{where}[id]")
        if forms.boolean(change, "deleted"):
            planned.remove(item)
            continue
        if "price" in change or "plan" in change:
            item["price"] = price_of(store, change, where)["id"]
        item["quantity"] = forms.integer(change, "quantity", item["quantity"], least=0)
    if not planned:
        raise invalid("A subscription must have at least one active plan.", "items")
    prices = [store.get(one["price"], "price") for one in planned]
    if {one["currency"] for one in prices} != {subscription["currency"]}:
        raise invalid(f"The price specified is not in the subscription's currency {subscription['currency']}.", "items")
    if len({str(one["recurring"]) for one in prices}) > 1:
        raise invalid("All prices on a subscription must have the same recurring interval.", "items")
    return planned


def changes_interval(store, subscription, planned):
    """Whether the new prices have another interval: the period then begins anew."""
    present = store.get(subscription["_items"][0], "subscription_item")["price"]["recurring"]
    wanted = store.get(planned[0]["price"], "price")["recurring"]
    names = ("interval", "interval_count")
    return any(present[name] != wanted[name] for name in names)


def lines(store, subscription, planned, at):
    """Credit for the rest of the period at the old price, and the rest at the new one."""
    result = []
    first = store.get(subscription["_items"][0], "subscription_item")
    start, end = first["current_period_start"], first["current_period_end"]
    after = {one["id"]: one for one in planned}
    for id in subscription["_items"]:
        item, then = store.get(id, "subscription_item"), after.get(id)
        if then and (then["price"], then["quantity"]) == (item["price"]["id"], item["quantity"]):
            continue
        result.append(line(f"Unused time on {item['quantity']} × {item['price']['id']}", item["price"],
                           -item["quantity"], at, start, end, id))
        if then and then["quantity"]:
            price = store.get(then["price"], "price")
            result.append(line(f"Remaining time on {then['quantity']} × {price['id']}", price, then["quantity"], at,
                               start, end, id))
    for added in planned:
        if added["id"] is None:
            price = store.get(added["price"], "price")
            result.append(line(f"Remaining time on {added['quantity']} × {price['id']}", price, added["quantity"], at,
                               start, end, None))
    return result


def line(description, price, quantity, at, start, end, item):
    full, rest, whole = price["unit_amount"] * abs(quantity), end - at, end - start
    amount = (2 * full * rest + whole) // (2 * whole)
    return description, amount if quantity > 0 else -amount, price, abs(quantity), True, at, end, item


def apply(store, subscription, planned):
    first = store.get(subscription["_items"][0], "subscription_item")
    period = first["current_period_start"], first["current_period_end"]
    ids = []
    for one in planned:
        made = store.find(one["id"] or "") or new(store, subscription["id"], {})
        fill(store, made, store.get(one["price"], "price"), one["quantity"], *period)
        ids.append(made["id"])
    subscription["_items"] = ids
