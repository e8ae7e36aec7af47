"""Ed25519, verification only (RFC 8032, section 5.1), and the forms a public key is given in."""
import base64
import binascii
import hashlib
import os
import re

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def point_add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def point_times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = point_add(result, point)
        point = point_add(point, point)
        scalar >>= 1
    return result


def decompress(data):
    number = int.from_bytes(data, "little")
    y, sign = number & ((1 << 255) - 1), number >> 255
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else (0, y, 1, 0)
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0:
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = decompress(BASE_Y.to_bytes(32, "little"))


def is_signed(public, message, signature):
    if len(public) != 32 or len(signature) != 64:
        return False
    a, r = decompress(public), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    h = int.from_bytes(digest, "little") % L
    left, right = point_times(s, BASE), point_add(r, point_times(h, a))
    return (left[0] * right[2] - right[0] * left[2]) % P == 0 and (
        left[1] * right[2] - right[1] * left[2]
    ) % P == 0


# --- a public key as people have it -----------------------------------------------------------
# DER head of an Ed25519 public key (RFC 8410): the 32 bytes follow.
SPKI_HEAD = bytes.fromhex("302a300506032b6570032100")
KEY_FILE_MAX_BYTES = 10_000
FORMS = "it is 32 bytes in base64 or hexadecimal, a SubjectPublicKeyInfo in base64, or a PEM file"


class NoKey(Exception):
    pass


def key_bytes(text):
    """The 32 bytes, or None where the text is no Ed25519 public key in any of its forms."""
    if re.fullmatch(r"[0-9A-Fa-f]{64}", text):
        return bytes.fromhex(text)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    if data.startswith(SPKI_HEAD):
        data = data[len(SPKI_HEAD) :]
    return data if len(data) == 32 else None


def text_of(given):
    """The key itself, or what is in the file of that name."""
    if key_bytes(given) is not None or "-----BEGIN" in given:
        return given
    if not os.path.isfile(given):
        raise NoKey(f"`{given}` is neither a public key nor a file with one: {FORMS}")
    if os.path.getsize(given) > KEY_FILE_MAX_BYTES:
        raise NoKey(f"{given}: it is too large for a key")
    try:
        with open(given, encoding="ascii") as file:
            return file.read()
    except (OSError, UnicodeDecodeError) as error:
        raise NoKey(f"{given}: the key cannot be read: {error}") from error


def public_key(given):
    """The 32 bytes of a key given as text or as a file's name; NoKey says what is wrong."""
    text = text_of(given).strip()
    if "PRIVATE KEY" in text:
        raise NoKey("this is a private key: it belongs to nobody but its device; give the public")
    pem = re.search(r"-----BEGIN PUBLIC KEY-----(.*?)-----END PUBLIC KEY-----", text, re.DOTALL)
    found = key_bytes("".join((pem.group(1) if pem else text).split()))
    if found is None or decompress(found) is None:
        raise NoKey(f"{given.splitlines()[0]}: no Ed25519 public key: {FORMS}")
    return found
