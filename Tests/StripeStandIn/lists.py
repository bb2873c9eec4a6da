"""Lists: newest first, paged by id (docs.stripe.com/api/pagination), and `expand`."""

import forms
from errors import malformed

PREFIXES = ("cus_", "pm_", "pi_", "ch_", "py_", "seti_", "re_", "du_", "sub_", "in_", "price_",
            "prod_", "txn_", "inpay_")


def page(store, params, kind, url, **equal):
    """A page of objects whose fields (`a.b` with `__` for the dot) have the given value, or one of a list.

    `None` is any value.
    """
    limit = forms.integer(params, "limit", 10, least=1, most=100)
    where, values = ["1"], []
    for name, value in equal.items():
        if value is not None:
            choices = value if isinstance(value, list) else [value]
            where.append(f"json_extract(body, '$.{name.replace('__', '.')}') IN ({', '.join('?' * len(choices))})")
            values += choices
    created = params.get("created") or {}
    if isinstance(created, str):
        created = {"gte": created, "lte": created}
    for name, sign in (("gt", ">"), ("gte", ">="), ("lt", "<"), ("lte", "<=")):
        if name in created:
            where.append(f"created {sign} ?")
            values.append(forms.integer(created, name))
    after, before = forms.text(params, "starting_after"), forms.text(params, "ending_before")
    if after and before:
        raise malformed("You may only specify one of these parameters: starting_after, ending_before.")
    if after:
        where.append("seq < ?")
        values.append(store.sequence_of(after, kind, "starting_after"))
    if before:
        where.append("seq > ?")
        values.append(store.sequence_of(before, kind, "ending_before"))
    found = store.select(kind, " AND ".join(where), values, limit + 1, newest=not before)
    data = found[:limit]
    return {"object": "list", "data": data[::-1] if before else data, "has_more": len(found) > limit, "url": url}


def expanded(store, body, paths):
    """The answer with the objects at the paths in place of their ids."""
    body = store.snapshot(body)
    for path in paths:
        names = path.split(".")
        if len(names) > 4 and names[0] != "data":
            raise malformed("You cannot expand more than 4 levels of a property.", "expand")
        expand(store, body, names)
    return body


def expand(store, node, names):
    if isinstance(node, list):
        for part in node:
            expand(store, part, names)
        return
    if not isinstance(node, dict) or not names:
        return
    name, rest = names[0], names[1:]
    if name not in node:
        raise malformed(f"This property cannot be expanded ({name}).", "expand")
    value = node[name]
    if isinstance(value, str) and value.startswith(PREFIXES):
        node[name] = store.snapshot(store.find(value))
    expand(store, node[name], rest)
