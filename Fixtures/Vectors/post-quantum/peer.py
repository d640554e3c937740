"""ML-KEM and ML-DSA by another implementation: python3 peer.py > answers.json"""

import json
import sys
from hashlib import sha256

from cryptography.hazmat.backends.openssl.backend import backend
from cryptography.hazmat.primitives.asymmetric import mldsa, mlkem

KEMS = {"ML-KEM-768": mlkem.MLKEM768PrivateKey, "ML-KEM-1024": mlkem.MLKEM1024PrivateKey}
SIGNERS = {"ML-DSA-65": mldsa.MLDSA65PrivateKey, "ML-DSA-87": mldsa.MLDSA87PrivateKey}


def seed(name, number, byte_count):
    """The seeds follow from their names."""
    parts = [sha256(f"{name} {number} {part}".encode()).digest() for part in range(2)]
    return b"".join(parts)[:byte_count]


def kem_answers(name, private_key_type):
    for number in range(3):
        bytes_of_seed = seed(name, number, 64)
        key = private_key_type.from_seed_bytes(bytes_of_seed)
        secret, ciphertext = key.public_key().encapsulate()
        altered = bytearray(ciphertext)
        altered[number * 7] ^= 1 << number
        yield {
            "kind": name,
            "seed": bytes_of_seed.hex(),
            "publicKey": key.public_key().public_bytes_raw().hex(),
            "ciphertext": ciphertext.hex(),
            "secret": secret.hex(),
            # Implicit rejection: what an altered ciphertext holds.
            "alteredByte": number * 7,
            "alteredBit": number,
            "rejectedSecret": key.decapsulate(bytes(altered)).hex(),
        }


def signing_answers(name, private_key_type):
    for number in range(3):
        bytes_of_seed = seed(name, number, 32)
        key = private_key_type.from_seed_bytes(bytes_of_seed)
        message = f"message {number}".encode() * number
        context = b"context"[: number * 4]
        yield {
            "kind": name,
            "seed": bytes_of_seed.hex(),
            "publicKey": key.public_key().public_bytes_raw().hex(),
            "message": message.hex(),
            "context": context.hex(),
            "signature": key.sign(message, context).hex(),
        }


def main():
    answers = [answer for name, kind in KEMS.items() for answer in kem_answers(name, kind)]
    answers += [answer for name, kind in SIGNERS.items() for answer in signing_answers(name, kind)]
    print(backend.openssl_version_text(), file=sys.stderr)
    json.dump(answers, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
