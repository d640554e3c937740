"""The keys of a circle by another implementation: python3 peer.py > answers.json"""

import hmac
import json
import sys
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric import ec, mlkem
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.keywrap import aes_key_wrap
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def fixed(name, byte_count=32):
    """Every fixed value follows from its name."""
    return sha256(name.encode()).digest()[:byte_count]


def derive(secret, info, count=32):
    return HKDF(SHA256(), count, None, info).derive(secret)


def info(purpose, *parts):
    return b"latchkey sync " + purpose.encode() + b"\0" + b"".join(parts)


def number(value, byte_count):
    return value.to_bytes(byte_count, "big")


# Codes: Reed-Solomon over GF(32), by tables.
POWERS = [1]
while len(POWERS) < 31:
    double = POWERS[-1] << 1
    POWERS.append(double ^ 0b100101 if double > 31 else double)


def times(one, other):
    if 0 in (one, other):
        return 0
    return POWERS[(POWERS.index(one) + POWERS.index(other)) % 31]


def value_at(numbers, point):
    total = 0
    for each in numbers:
        total = times(total, point) ^ each
    return total


def code(name, count):
    numbers = [byte & 31 for byte in fixed(name, count - 2)]
    for high in range(32):
        for low in range(32):
            whole = numbers + [high, low]
            if value_at(whole, 2) == 0 and value_at(whole, 4) == 0:
                return "".join(ALPHABET[each] for each in whole)
    raise ValueError("no check characters")


def grouped(text):
    return "-".join(text[i : i + 4] for i in range(0, len(text), 4))


# Recovery keys.
def p256(material):
    return ec.derive_private_key(int.from_bytes(material, "big") % (ORDER - 1) + 1, ec.SECP256R1())


def point(key):
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


class Recovery:
    def __init__(self, text):
        secret = text[:-2].encode()
        self.signing = p256(derive(secret, info("recovery signing"), 40))
        self.agreement = p256(derive(secret, info("recovery agreement"), 40))
        seed = derive(secret, info("recovery encapsulation"), 64)
        self.encapsulation = mlkem.MLKEM768PrivateKey.from_seed_bytes(seed)
        self.receive_keys = point(self.agreement) + self.encapsulation.public_key().public_bytes_raw()
        self.public_keys = point(self.signing) + self.receive_keys
        self.party = b"\2" + sha256(b"\1" + self.public_keys).digest()[:16]


CIRCLE, DEVICE, EPOCH, EARLIER = fixed("circle", 16), fixed("device", 16), fixed("epoch"), fixed("earlier epoch")
KEY_A, KEY_C, SECRET = fixed("zone key A"), fixed("zone key C"), fixed("circle secret")
EARLIER_A = fixed("earlier zone key A")
A, C = b"\1", b"\2"


def code_over(key, message):
    return hmac.new(key, message, sha256).digest()


def commitments(number_of_epoch):
    def place(zone):
        return info("commitment", CIRCLE, number(number_of_epoch, 4), zone)

    return code_over(KEY_A, place(A)) + code_over(KEY_C, place(C) + code_over(SECRET, place(C)))


def share(content, zone, receiver):
    ephemeral = ec.generate_private_key(ec.SECP256R1())
    agreed = ephemeral.exchange(ec.ECDH(), receiver.agreement.public_key())
    encapsulated, ciphertext = receiver.encapsulation.public_key().encapsulate()
    head = point(ephemeral) + ciphertext
    key = derive(
        agreed + encapsulated,
        info("share", CIRCLE, commitments(7), zone, receiver.party, sha256(head + receiver.receive_keys).digest()),
    )
    return head + aes_key_wrap(key, content)


def padded(content):
    needed = len(content) + 4
    size = next((step for step in (1024, 2048) if needed <= step), -(-needed // 4096) * 4096)
    return (number(len(content), 4) + content).ljust(size, b"\0")


def sealed(key, content, header):
    nonce = fixed("nonce", 12)
    return nonce + AESGCM(key).encrypt(nonce, content, header)


def described(key):
    name, system = "Wohnzimmer é".encode(), b"Debian 12"
    text = bytes([len(name)]) + name + bytes([len(system)]) + system
    return sealed(key, text.ljust(-(-len(text) // 64) * 64, b"\0"), b"")


def fingerprint():
    """130 bits of a hash over the circle and the six public keys of a device."""
    keys = point(0) + point(1) + point(2) + encapsulation(3) + point(4) + encapsulation(5)
    digest = sha256(info("fingerprint", CIRCLE, keys)).digest()
    bits = int.from_bytes(digest, "big") >> 126
    text = "".join(ALPHABET[bits >> 5 * place & 31] for place in reversed(range(26)))
    return {"fingerprint": text, "fingerprintRequestName": digest[:16].hex()}


def point(index):
    return b"\4" + fixed(f"point {index} x") + fixed(f"point {index} y")


def encapsulation(index):
    return b"".join(fixed(f"encapsulation {index} {part}") for part in range(37))


def main():
    recovery_code, invitation_code = code("recovery code", 28), code("invitation code", 22)
    recovery, invitation = Recovery(recovery_code), invitation_code[:-2].encode()
    place = (CIRCLE, EPOCH, DEVICE)
    answers = {
        "recoveryCode": grouped(recovery_code),
        "recoveryPublicKeys": recovery.public_keys.hex(),
        "commitments": commitments(7).hex(),
        "shareA": share(KEY_A, A, recovery).hex(),
        "shareC": share(KEY_C + SECRET, C, recovery).hex(),
        "wrappedEarlierA": aes_key_wrap(
            derive(KEY_A, info("earlier", CIRCLE, commitments(7), A, EARLIER)), EARLIER_A
        ).hex(),
        "segment": sealed(
            derive(KEY_C, info("segment", *place, C, number(258, 8))), padded(b"content"), b"header"
        ).hex(),
        "snapshotPart": sealed(
            derive(KEY_A, info("snapshot", *place, A, number(3, 8), number(2, 4))), padded(b"part " * 300), b"header"
        ).hex(),
        "description": described(derive(KEY_C, info("description", *place))).hex(),
        "name": code_over(derive(SECRET, info("name", CIRCLE)), b"identity")[:16].hex(),
        "digest": code_over(derive(SECRET, info("digest", CIRCLE)), b"item").hex(),
        "invitationCode": grouped(invitation_code),
        "invitationName": derive(invitation, info("invitation"), 16).hex(),
        "requestName": derive(invitation, info("request"), 16).hex(),
        "memberCode": code_over(derive(invitation, info("member")), b"object").hex(),
        "joinerCode": code_over(derive(invitation, info("joiner")), b"object").hex(),
        **fingerprint(),
        "invitationDescription": described(derive(invitation, info("seal"))).hex(),
    }
    json.dump(answers, sys.stdout, indent=1)
    print()


main()
