"""Canonical JSON (RFC 8785), read strictly and written."""
import hashlib
import json
from decimal import Decimal


def number_text(number):
    """As ECMAScript prints the double."""
    if isinstance(number, int) and abs(number) <= 2**53:
        return str(number)
    sign, digits, exponent = Decimal(repr(float(number))).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if text == "0":
        return "0"
    if len(text) <= point <= 21:
        text = text + "0" * (point - len(text))
    elif 0 < point <= 21:
        text = text[:point] + "." + text[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + text
    else:
        rest = "." + text[1:] if len(text) > 1 else ""
        text = f"{text[0]}{rest}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return ("-" if sign else "") + text


def canonical(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        return number_text(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def once(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def parse(text):
    return json.loads(text, object_pairs_hook=once, parse_constant=no_constant)


def sha256_hex(text):
    return hashlib.sha256(text.encode()).hexdigest()
