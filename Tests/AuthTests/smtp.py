"""A mail server (aiosmtpd) with TLS and a login: prints each mail as one line of JSON. Refuses one address for good, and
another one once.

smtp.py PORT CERTIFICATE KEY
"""

import asyncio
import json
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, SMTP

once = {"left": 1}


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused@"):
            return "550 no such person"
        if address.startswith("later@") and once["left"]:
            once["left"] -= 1
            return "451 come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        print(json.dumps({"from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": session.ssl is not None,
                          "user": session.auth_data, "content": envelope.content.decode()}))
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    user, password = data.login.decode(), data.password.decode()
    return AuthResult(success=password == "post-secret", auth_data=user, handled=True)


class Server(Controller):
    def factory(self):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        return SMTP(self.handler, tls_context=context, require_starttls=True, authenticator=authenticate,
                    auth_required=True, enable_SMTPUTF8=True)


server = Server(Handler(), hostname="127.0.0.1", port=int(sys.argv[1]))
server.start()
print("ready")
asyncio.new_event_loop().run_forever()
