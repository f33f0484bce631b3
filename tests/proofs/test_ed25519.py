"""Ed25519 against the vectors of RFC 8032, against `cryptography`, and against malicious bytes."""

import os

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings
from hypothesis import strategies as some

from compliance.proofs import ed25519

ORDER = 2**252 + 27742317777372353535851937790883648493
PRIME = 2**255 - 19
SEEDS = some.binary(min_size=32, max_size=32)

RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        "d25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        "387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        "4a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
        "454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
        "3dca179c138ac17ad9bef1177331a704",
    ),
]
"""Seed, public key, message, signature: section 7.1."""

EDGES = [
    (
        "8c93255d71dcab10e8f379c26200f3c7bd5f09d9bc3068d3ef4edeb4853022b6",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a" + "00" * 32,
    ),
    (
        "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43"
        "a5bb704786be79fc476f91d3f3f89b03984d8068dcf1bb7dfc6637b45450ac04",
    ),
    (
        "9bd9f44f4dcc75bd531b56b2cd280b0bb38fc1cd6d1230e14861d861de092e79",
        "cdb267ce40c5cd45306fa5d2f29731459387dbf9eb933b7bd5aed9a765b88d4d",
        "9046a64750444938de19f227bb80485e92b83fdb4b6506c160484c016cc1852f"
        "87909e14428a7a1d62e9f22f3d3ad7802db02eb2e688b6c52fcd6648a98bd009",
    ),
    (
        "85e241a07d148b41e47d62c63f830dc7a6851a0b1f33ae4bb2f507fb6cffec40",
        "442aad9f089ad9e14647b1ef9099a1ff4798d78589e66f28eca69c11f582a623",
        "e96f66be976d82e60150baecff9906684aebb1ef181f67a7189ac78ea23b6c0e"
        "547f7690a0e2ddcd04d87dbc3490dc19b3b3052f7ff0538cb68afb369ba3a514",
    ),
    (
        "fdaebc429f4a735932a160da1301080c13280eea8bc280d1b392c6b9e6ba3a5a",
        "f7badec5b8abeaf699583992219b7b223f1df3fbbea919844e3f7c554a43dd43",
        "ed" + "ff" * 30 + "7f" + "454d370c8d9fc323a41450f8d513eafeb5b0697390c1e505a0d4ddc71f566607",
    ),
]
"""Message, key, signature: points of small or mixed order, S not below the order, R in a second encoding.

From "Taming the many EdDSAs" (Chalkias, Garillot, Nikolaenko; https://doi.org/10.1007/978-3-030-64357-7_4).
"""


def library_accepts(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@pytest.mark.parametrize(("seed", "public", "message", "signature"), RFC_8032)
def test_the_vectors_of_the_rfc_are_reproduced(seed: str, public: str, message: str, signature: str) -> None:
    content = bytes.fromhex(message)
    assert ed25519.public_key(bytes.fromhex(seed)).hex() == public
    assert ed25519.sign(bytes.fromhex(seed), content).hex() == signature
    assert ed25519.verify(bytes.fromhex(public), bytes.fromhex(signature), content)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS, message=some.binary(max_size=300))
def test_keys_and_signatures_are_those_of_another_implementation(seed: bytes, message: bytes) -> None:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    public, signature = key.public_key().public_bytes_raw(), key.sign(message)
    assert ed25519.public_key(seed) == public
    assert ed25519.sign(seed, message) == signature
    assert ed25519.verify(public, signature, message)


@settings(max_examples=150, deadline=None)
@given(seed=SEEDS, bit=some.integers(0, (32 + 64 + 8) * 8 - 1))
def test_no_bit_of_key_signature_or_message_can_change(seed: bytes, bit: int) -> None:
    whole = bytearray(ed25519.public_key(seed) + ed25519.sign(seed, b"8 octets") + b"8 octets")
    whole[bit // 8] ^= 1 << bit % 8
    public, signature, message = bytes(whole[:32]), bytes(whole[32:96]), bytes(whole[96:])
    assert not ed25519.verify(public, signature, message)
    assert not library_accepts(public, signature, message)


@settings(max_examples=100, deadline=None)
@given(public=SEEDS, signature=some.binary(min_size=64, max_size=64), message=some.binary(max_size=20))
def test_arbitrary_bytes_are_refused_without_an_error(public: bytes, signature: bytes, message: bytes) -> None:
    assert ed25519.verify(public, signature, message) == library_accepts(public, signature, message)


@pytest.mark.parametrize(("message", "public", "signature"), EDGES)
def test_edge_cases_have_the_verdict_of_another_implementation(message: str, public: str, signature: str) -> None:
    found = (bytes.fromhex(public), bytes.fromhex(signature), bytes.fromhex(message))
    assert ed25519.verify(*found) == library_accepts(*found)


def test_a_signature_has_no_second_form() -> None:
    seed, message = os.urandom(32), b"once"
    signature = ed25519.sign(seed, message)
    response = int.from_bytes(signature[32:], "little")
    for multiple in range(1, 8):
        larger = response + multiple * ORDER
        again = signature[:32] + larger.to_bytes(32, "little")
        assert not ed25519.verify(ed25519.public_key(seed), again, message)


@pytest.mark.parametrize(
    "encoded",
    [
        (PRIME + 1).to_bytes(32, "little"),  # a second encoding of y = 1
        (1 | 1 << 255).to_bytes(32, "little"),  # x = 0 with a sign
        (PRIME - 1 | 1 << 255).to_bytes(32, "little"),
        (PRIME + 1 | 1 << 255).to_bytes(32, "little"),
        (2).to_bytes(32, "little"),  # no point has this y
        b"\xff" * 32,
    ],
)
def test_a_key_that_is_no_canonical_point_verifies_nothing(encoded: bytes) -> None:
    identity = (1).to_bytes(32, "little")
    assert ed25519.verify(identity, identity + bytes(32), b"any")  # according to the RFC a valid, if useless, key
    assert not ed25519.verify(encoded, identity + bytes(32), b"any")
    assert not ed25519.verify(encoded, encoded + bytes(32), b"any")


@pytest.mark.parametrize(("key", "signature"), [(0, 64), (31, 64), (33, 64), (32, 0), (32, 63), (32, 65)])
def test_other_lengths_are_refused_without_an_error(key: int, signature: int) -> None:
    seed = bytes(range(32))
    right = ed25519.public_key(seed) + bytes(1), ed25519.sign(seed, b"") + bytes(1)
    assert not ed25519.verify(right[0][:key], right[1][:signature], b"")


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        ed25519.public_key(bytes(length))
    with pytest.raises(ValueError, match="32 bytes"):
        ed25519.sign(bytes(length), b"")
