"""An OpenID Connect provider that signs people in without asking them, as Google does for who is signed in there."""

import base64
import hashlib
import http.server
import json
import threading
import time
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


class Provider:
    """Signs in `person`, the claims of one; without one, it says that the user has canceled."""

    def __init__(self):
        self.key, self.person, self.asked = ec.generate_private_key(ec.SECP256R1()), None, None
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                provider.answer(self, urlsplit(self.path))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def settings(self, app, client):
        """`auth.oidcProviders` with this one, for the pages of an app."""
        return json.dumps([{
            "name": "google", "issuer": self.issuer, "authorizationURL": f"{self.issuer}/in",
            "clients": [{"id": client, "app": app, "nonce": "required", "web": True}]}])

    def stop(self):
        self.server.shutdown()

    def answer(self, request, url):
        if url.path == "/in":
            self.asked = {name: values[0] for name, values in parse_qs(url.query).items()}
            request.send_response(302)
            request.send_header("Location", f"{self.asked['redirect_uri']}#{urlencode(self.result())}")
            request.end_headers()
            return
        body = json.dumps({
            "/.well-known/openid-configuration": {"issuer": self.issuer, "jwks_uri": f"{self.issuer}/keys"},
            "/keys": {"keys": [self.public_key()]}}[url.path]).encode()
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def result(self):
        state = {"state": self.asked["state"]}
        return state | ({"id_token": self.token()} if self.person else {"error": "access_denied"})

    def public_key(self):
        point = self.key.public_key().public_numbers()
        return {"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "it", "use": "sig",
                "x": encode(point.x.to_bytes(32, "big")), "y": encode(point.y.to_bytes(32, "big"))}

    def token(self):
        now = int(time.time())
        subject = hashlib.sha256(self.person["email"].encode()).hexdigest()
        claims = {"iss": self.issuer, "aud": self.asked["client_id"], "sub": subject, "iat": now, "exp": now + 600,
                  "nonce": self.asked["nonce"], "email_verified": True} | self.person
        signed = ".".join(encode(json.dumps(it).encode()) for it in ({"alg": "ES256", "kid": "it"}, claims))
        r, s = decode_dss_signature(self.key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{signed}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def encode(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
