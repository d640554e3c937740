#!/usr/bin/python3
"""The formats of ECIES and RSA-OAEP-AESGCM (Reference 10.3, 10.4), written a second time with python3-cryptography.

  peer.py < jobs.json     does a list of jobs, writes the list of results
  peer.py --answers       writes answers.json: messages sealed under fixed keys, one for each algorithm
"""
import hashlib
import json
import os
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF

CURVES = {192: ec.SECP192R1, 224: ec.SECP224R1, 256: ec.SECP256R1, 384: ec.SECP384R1, 521: ec.SECP521R1}
DIGESTS = {"SHA1": hashes.SHA1, "SHA224": hashes.SHA224, "SHA256": hashes.SHA256, "SHA384": hashes.SHA384,
           "SHA512": hashes.SHA512}
ZERO_NONCE = bytes(16)


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def pkcs1(key):
    return key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)


def ecies_cipher(job, shared, ephemeral):
    key_length = 16 if job["curve"] <= 256 else 32
    length = key_length + (16 if job["derivesIV"] else 0)
    info = ephemeral + bytes.fromhex(job["info"])
    derived = X963KDF(DIGESTS[job["digest"]](), length, info).derive(shared)
    return AESGCM(derived[:key_length]), derived[key_length:] or ZERO_NONCE


def ecies_seal(job, own=None):
    curve = CURVES[job["curve"]]()
    recipient = ec.EllipticCurvePublicKey.from_encoded_point(curve, bytes.fromhex(job["key"]))
    own = own or ec.generate_private_key(curve)
    ephemeral = point(own.public_key())
    cipher, nonce = ecies_cipher(job, own.exchange(ec.ECDH(), recipient), ephemeral)
    return ephemeral + cipher.encrypt(nonce, bytes.fromhex(job["text"]), bytes.fromhex(job["associated"]) or None)


def ecies_open(job):
    curve = CURVES[job["curve"]]()
    own = ec.derive_private_key(int(job["key"], 16), curve)
    sealed = bytes.fromhex(job["text"])
    length = 1 + 2 * ((job["curve"] + 7) // 8)
    ephemeral = ec.EllipticCurvePublicKey.from_encoded_point(curve, sealed[:length])
    cipher, nonce = ecies_cipher(job, own.exchange(ec.ECDH(), ephemeral), sealed[:length])
    return cipher.decrypt(nonce, sealed[length:], bytes.fromhex(job["associated"]) or None)


def oaep(job):
    digest = DIGESTS[job["digest"]]
    return padding.OAEP(padding.MGF1(digest()), digest(), None)


def rsa_seal(job):
    recipient = serialization.load_der_public_key(bytes.fromhex(job["key"]))
    key = os.urandom(16 if recipient.key_size < 4096 else 32)
    sealed = AESGCM(key).encrypt(ZERO_NONCE, bytes.fromhex(job["text"]), pkcs1(recipient))
    return recipient.encrypt(key, oaep(job)) + sealed


def rsa_open(job):
    own = serialization.load_der_private_key(bytes.fromhex(job["key"]), None)
    sealed = bytes.fromhex(job["text"])
    length = own.key_size // 8
    key = own.decrypt(sealed[:length], oaep(job))
    return AESGCM(key).decrypt(ZERO_NONCE, sealed[length:], pkcs1(own.public_key()))


WORK = {"ecies-seal": ecies_seal, "ecies-open": ecies_open, "rsa-seal": rsa_seal, "rsa-open": rsa_open}


def answers():
    """Keys and ephemeral keys follow from names; only the seeds of OAEP are random."""
    found = []
    text = b"the quick brown fox"
    for bits, curve in CURVES.items():
        seed = lambda name: int.from_bytes(hashlib.sha512(f"{name} {bits}".encode()).digest(), "big")
        own = ec.derive_private_key(seed("owner") % 2 ** (bits - 1) + 1, curve())
        ephemeral = ec.derive_private_key(seed("ephemeral") % 2 ** (bits - 1) + 1, curve())
        number = own.private_numbers().private_value.to_bytes((bits + 7) // 8, "big")
        for digest in DIGESTS:
            for derives_iv in [False, True]:
                if digest == "SHA1" and derives_iv:
                    continue
                for info, associated in [(b"", b""), (b"shared info", b""), (b"shared info", b"associated")]:
                    job = {"curve": bits, "digest": digest, "derivesIV": derives_iv, "info": info.hex(),
                           "associated": associated.hex(), "key": point(own.public_key()).hex(), "text": text.hex()}
                    sealed = ecies_seal(job, ephemeral)
                    job["key"] = (point(own.public_key()) + number).hex()
                    found.append(dict(job, sealed=sealed.hex()))
    for name in sorted(name for name in os.listdir(os.path.dirname(os.path.abspath(__file__))) if name.endswith(".pem")):
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), "rb") as file:
            own = serialization.load_pem_private_key(file.read(), None)
        for digest in DIGESTS:
            if own.key_size // 8 < 2 * DIGESTS[digest].digest_size + 2 + 16:
                continue  # The content's key does not fit.
            job = {"digest": digest, "key": pkcs1(own.public_key()).hex(), "text": text.hex()}
            sealed = rsa_seal(job)
            found.append(dict(job, key=name, sealed=sealed.hex()))
    return found


def done(job):
    try:
        return WORK[job["work"]](job).hex()
    except (InvalidTag, ValueError):
        return None


if sys.argv[1:] == ["--answers"]:
    json.dump(answers(), sys.stdout, indent=1)
else:
    json.dump([done(job) for job in json.load(sys.stdin)], sys.stdout)
