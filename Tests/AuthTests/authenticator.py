"""A software authenticator (soft-webauthn, and fido2 for Ed25519): answers WebAuthn options as a browser does.

authenticator.py < request, a JSON object:
  action     create or get
  device     the file of the device's credential; create writes it
  options    what the service answered
  origin     the page
and, to misbehave: algorithm (-8 for Ed25519), flags, signCount, type, domain, userHandle, challenge, crossOrigin,
attestation (a statement that nothing vouches for).
"""

import json
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode
from struct import pack

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from fido2 import cbor
from fido2.cose import ES256, EdDSA
from fido2.utils import sha256
from fido2.webauthn import AttestedCredentialData
from soft_webauthn import SoftWebauthnDevice


def encode(data):
    return urlsafe_b64encode(data).decode().rstrip("=")


def decode(text):
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


request = json.load(sys.stdin)
options = request["options"]
challenge = request.get("challenge", options["challenge"])
PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def client_data(kind):
    data = {"type": request.get("type", kind), "challenge": challenge, "origin": request["origin"]}
    return json.dumps({**data, "crossOrigin": request.get("crossOrigin", False)}).encode()


def save(device):
    key = device.private_key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    with open(request["device"], "w") as file:
        json.dump({"credential": encode(device.credential_id), "key": key.decode(), "domain": device.rp_id,
                   "user": encode(device.user_handle), "count": device.sign_count}, file)


def load():
    with open(request["device"]) as file:
        stored = json.load(file)
    device = SoftWebauthnDevice()
    device.credential_id, device.rp_id = decode(stored["credential"]), stored["domain"]
    device.user_handle, device.sign_count = decode(stored["user"]), stored["count"]
    device.private_key = serialization.load_pem_private_key(stored["key"].encode(), None)
    return device


def create():
    device = SoftWebauthnDevice()
    excluded = [one["id"] for one in options["excludeCredentials"]]
    device.create({"publicKey": {
        "rp": options["rp"], "user": {"id": decode(options["user"]["id"])}, "challenge": decode(challenge),
        "pubKeyCredParams": options["pubKeyCredParams"], "attestation": options["attestation"],
    }}, request["origin"])
    key = ES256.from_cryptography_key(device.private_key.public_key())
    if request.get("algorithm") == -8:
        device.private_key = ed25519.Ed25519PrivateKey.generate()
        key = EdDSA.from_cryptography_key(device.private_key.public_key())
    device.sign_count = request.get("signCount", device.sign_count)
    flags = request.get("flags", PRESENT | VERIFIED) | ATTESTED
    domain = request.get("domain", device.rp_id)
    credential = AttestedCredentialData.create(device.aaguid, device.credential_id, key)
    data = sha256(domain.encode()) + pack(">BI", flags, device.sign_count) + credential
    statement = request.get("attestation")
    attestation = {"fmt": "packed", "attStmt": {"alg": -7, "sig": decode(statement)}} if statement else {
        "fmt": "none", "attStmt": {}}
    save(device)
    return {"clientDataJSON": encode(client_data("webauthn.create")), "transports": ["internal", "carrier-pigeon"],
            "attestationObject": encode(cbor.encode({**attestation, "authData": data}))}, device, excluded


def get():
    device = load()
    allowed = [one["id"] for one in options["allowCredentials"]]
    device.sign_count = request.get("signCount", device.sign_count + 1)
    flags = request.get("flags", PRESENT | VERIFIED)
    domain = request.get("domain", device.rp_id)
    data = sha256(domain.encode()) + pack(">BI", flags, device.sign_count)
    client = client_data("webauthn.get")
    message = data + sha256(client)
    if isinstance(device.private_key, ed25519.Ed25519PrivateKey):
        signature = device.private_key.sign(message)
    else:
        signature = device.private_key.sign(message, ec.ECDSA(hashes.SHA256()))
    save(device)
    handle = request.get("userHandle", encode(device.user_handle))
    return {"clientDataJSON": encode(client), "authenticatorData": encode(data), "signature": encode(signature),
            **({"userHandle": handle} if handle else {})}, device, allowed


response, device, listed = {"create": create, "get": get}[request["action"]]()
credential = encode(device.credential_id)
print(json.dumps({"id": credential, "rawId": credential, "type": "public-key", "response": response,
                  "authenticatorAttachment": "platform", "clientExtensionResults": {}, "listed": listed}))
