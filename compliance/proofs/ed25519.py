"""Ed25519 of RFC 8032 (https://www.rfc-editor.org/rfc/rfc8032#section-5.1) with only the standard library.

A verification takes a few milliseconds. Signing takes the same steps whatever the key, but Python's arithmetic is not
free of timing differences, so it is meant for a key that signs seldom, on a machine of its own (a witness's). Keys that
sign often, or on a shared machine, use `cryptography` (`note_keys`).

Points are in extended coordinates (X, Y, Z, T): x = X / Z, y = Y / Z, x * y = T / Z.
"""

import hashlib

SEED_BYTES = 32
PUBLIC_KEY_BYTES = 32
SIGNATURE_BYTES = 64

Point = tuple[int, int, int, int]

_PRIME = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
_SCALAR_BITS = 253
_D = -121665 * pow(121666, -1, _PRIME) % _PRIME
_TWICE_D = 2 * _D % _PRIME
_ROOT_OF_MINUS_ONE = pow(2, (_PRIME - 1) // 4, _PRIME)
_SIGN_BIT = 1 << 255
_IDENTITY: Point = (0, 1, 1, 0)


def public_key(seed: bytes) -> bytes:
    """Return the 32 public bytes of a 32-byte seed (5.1.5). Raises ValueError for a seed of another length."""
    return _encode(_multiply_base(_secret(seed)[0]))


def sign(seed: bytes, message: bytes) -> bytes:
    """Return the 64-byte signature of `message` (5.1.6). Raises ValueError for a seed of another length."""
    scalar, prefix = _secret(seed)
    public = _encode(_multiply_base(scalar))
    nonce = _hash_number(prefix + message) % _ORDER
    commitment = _encode(_multiply_base(nonce))
    challenge = _hash_number(commitment + public + message) % _ORDER
    return commitment + ((nonce + challenge * scalar) % _ORDER).to_bytes(32, "little")


def verify(public: bytes, signature: bytes, message: bytes) -> bool:
    """Tell whether `signature` is a signature of `message` by the key `public` (5.1.7, without the factor 8).

    Strict: a second encoding of a number or a point is refused, so no signature has two forms. It raises nothing: bytes
    that cannot be a key or a signature are not valid.
    """
    if len(public) != PUBLIC_KEY_BYTES or len(signature) != SIGNATURE_BYTES:
        return False
    point = _decode(public)
    response = int.from_bytes(signature[32:], "little")
    if point is None or response >= _ORDER:
        return False
    challenge = _hash_number(signature[:32] + public + message) % _ORDER
    x, y, z, t = point
    return _encode(_sum_of_two(response, challenge, (_PRIME - x, y, z, _PRIME - t))) == signature[:32]


def _secret(seed: bytes) -> tuple[int, bytes]:
    """The scalar and the nonce prefix of a seed."""
    if len(seed) != SEED_BYTES:
        raise ValueError(f"A seed has {SEED_BYTES} bytes.")
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & ((1 << 254) - 8) | 1 << 254, digest[32:]


def _hash_number(content: bytes) -> int:
    return int.from_bytes(hashlib.sha512(content).digest(), "little")


def _add(left: Point, right: Point) -> Point:
    """The sum of two points; complete, so also of a point and itself (5.1.4)."""
    x1, y1, z1, t1 = left
    x2, y2, z2, t2 = right
    a, b = (y1 - x1) * (y2 - x2) % _PRIME, (y1 + x1) * (y2 + x2) % _PRIME
    c, d = t1 * t2 % _PRIME * _TWICE_D % _PRIME, 2 * z1 * z2 % _PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _double(point: Point) -> Point:
    x, y, z, _ = point
    a, b = x * x % _PRIME, y * y % _PRIME
    h = a + b
    e, g = h - (x + y) * (x + y) % _PRIME, a - b
    f = 2 * z * z + g
    return e * f % _PRIME, g * h % _PRIME, f * g % _PRIME, e * h % _PRIME


def _multiply_base(scalar: int) -> Point:
    """The base point times the secret `scalar`: every bit takes one doubling and one sum, whether used or not."""
    scalar %= _ORDER
    found = _IDENTITY
    for place in reversed(range(_SCALAR_BITS)):
        found = _double(found)
        found = (found, _add(found, _BASE))[scalar >> place & 1]
    return found


def _sum_of_two(first: int, second: int, point: Point) -> Point:
    """The base point times `first` plus `point` times `second`, both public; computed together bit by bit."""
    choices = (_IDENTITY, _BASE, point, _add(_BASE, point))
    found = _IDENTITY
    for place in reversed(range(_SCALAR_BITS)):
        found = _double(found)
        choice = (first >> place & 1) | (second >> place & 1) << 1
        if choice:
            found = _add(found, choices[choice])
    return found


def _encode(point: Point) -> bytes:
    """The 32 bytes of a point: y, and the lowest bit of x in the highest (5.1.2)."""
    x, y, z, _ = point
    inverse = pow(z, -1, _PRIME)
    x, y = x * inverse % _PRIME, y * inverse % _PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decode(encoded: bytes) -> Point | None:
    """The point of 32 bytes, or None when they are not the one encoding of a point (5.1.3)."""
    number = int.from_bytes(encoded, "little")
    odd, y = number >> 255, number & (_SIGN_BIT - 1)
    if y >= _PRIME:
        return None
    numerator, denominator = (y * y - 1) % _PRIME, (_D * y * y + 1) % _PRIME
    x = _square_root(numerator * pow(denominator, -1, _PRIME) % _PRIME)
    if x is None or (x == 0 and odd):
        return None
    if x & 1 != odd:
        x = _PRIME - x
    return x, y, 1, x * y % _PRIME


def _square_root(square: int) -> int | None:
    """A number whose square is `square` modulo the prime, or None where there is none."""
    root = pow(square, (_PRIME + 3) // 8, _PRIME)
    if root * root % _PRIME == square:
        return root
    root = root * _ROOT_OF_MINUS_ONE % _PRIME
    return root if root * root % _PRIME == square else None


def _base() -> Point:
    point = _decode((4 * pow(5, -1, _PRIME) % _PRIME).to_bytes(32, "little"))
    assert point is not None
    return point


_BASE = _base()
