"""Stripe's form encoding with brackets, and the checks of single parameters."""

import re
from urllib.parse import parse_qsl

from errors import malformed, required

CURRENCIES_WITHOUT_DIGITS = set("bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf".split())
# The smallest charge of some currencies (docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).
MINIMUM_CHARGES = {
    "usd": 50, "aed": 200, "aud": 50, "brl": 50, "cad": 50, "chf": 50, "czk": 1500, "dkk": 250, "eur": 50, "gbp": 30,
    "hkd": 400, "huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300, "nzd": 50, "pln": 200,
    "ron": 200, "sek": 300, "sgd": 50, "thb": 1000,
}
CURRENCIES = set(
    "aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf clp"
    " cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl htg huf idr ils inr"
    " isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr mwk mxn"
    " myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd shp sle"
    " sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx usd uyu uzs vnd vuv wst xaf xcd xof xpf yer zar"
    " zmw".split()
)


def decode(text):
    """`a[b][]=1&a[b][]=2&c[0][d]=3` as nested dictionaries and lists."""
    root = {}
    for key, value in parse_qsl(text, keep_blank_values=True):
        head, *rest = re.findall(r"^[^\[]+|\[[^\]]*\]", key) or [key]
        node, name = root, head
        for part in rest:
            node = node.setdefault(name, {})
            if not isinstance(node, dict):
                raise malformed(f"Invalid parameter: {key}", key)
            name = part[1:-1] or str(len(node))
        node[name] = value
    return {name: _lists(value) for name, value in root.items()}


def _lists(node):
    if not isinstance(node, dict):
        return node
    children = {name: _lists(value) for name, value in node.items()}
    if children and all(name.isdigit() for name in children):
        return [children[name] for name in sorted(children, key=int)]
    return children


def known(params, allowed):
    for name in params:
        if name not in allowed:
            raise malformed(f"Received unknown parameter: {name}", name, "parameter_unknown")


def text(params, name, default=None):
    value = params.get(name)
    if value is None or value == "":
        return default
    if not isinstance(value, str):
        raise malformed(f"Invalid string: {value}", name)
    return value


def needed(params, name):
    value = text(params, name)
    if value is None:
        raise required(name)
    return value


def integer(params, name, default=None, least=None, most=None):
    value = text(params, name)
    if value is None:
        return default
    if not re.fullmatch(r"-?\d{1,18}", value):
        raise malformed(f"Invalid integer: {value}", name, "parameter_invalid_integer")
    number = int(value)
    if least is not None and number < least:
        raise malformed(f"This value must be greater than or equal to {least}.", name, "parameter_invalid_integer")
    if most is not None and number > most:
        raise malformed(f"This value must be less than or equal to {most}.", name, "parameter_invalid_integer")
    return number


def boolean(params, name, default=False):
    value = text(params, name)
    if value is None:
        return default
    if value not in ("true", "false"):
        raise malformed(f"Invalid boolean: {value}", name)
    return value == "true"


def word(params, name, words, default=None):
    value = text(params, name, default)
    if value is not None and value not in words:
        raise malformed(f"Invalid {name}: must be one of {', '.join(words)}", name)
    return value


def mapping(params, name):
    value = params.get(name) or {}
    if not isinstance(value, dict):
        raise malformed(f"Invalid object: {value}", name)
    return value


def sequence(params, name):
    value = params.get(name) or []
    if not isinstance(value, list):
        raise malformed(f"Invalid array: {value}", name)
    return value


def currency(params, name="currency"):
    code = needed(params, name).lower()
    if code not in CURRENCIES:
        raise malformed(
            f"Invalid currency: {code}. Stripe currently supports these currencies: {', '.join(sorted(CURRENCIES))}",
            name)
    return code


def charge_amount(amount, code, param="amount"):
    """Checks the bounds of an amount to charge."""
    if amount < MINIMUM_CHARGES.get(code, 1):
        raise malformed(
            f"Amount must be at least {in_words(MINIMUM_CHARGES.get(code, 1), code)}", param, "amount_too_small"
        )
    if amount > 99_999_999:
        raise malformed("Amount must be no more than $999,999.99", param, "amount_too_large")
    return amount


def in_words(amount, code):
    return f"{amount if code in CURRENCIES_WITHOUT_DIGITS else f'{amount / 100:.2f}'} {code}"


def metadata(params, present=None):
    """The metadata after a request: an empty value removes a key, an empty string removes all."""
    if params.get("metadata") == "":
        return {}
    merged = dict(present or {})
    for key, value in mapping(params, "metadata").items():
        if len(key) > 40:
            raise malformed("Metadata keys can be at most 40 characters.", f"metadata[{key}]")
        if not isinstance(value, str) or len(value) > 500:
            raise malformed("Metadata values can be at most 500 characters.", f"metadata[{key}]")
        if value == "":
            merged.pop(key, None)
        else:
            merged[key] = value
    if len(merged) > 50:
        raise malformed("You can have at most 50 metadata keys.", "metadata")
    return merged
