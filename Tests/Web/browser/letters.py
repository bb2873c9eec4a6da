"""What the platform under test has mailed: without a mail server, it keeps letters as files."""

import email
import pathlib
import re
import time

from staff import data_folder


def code_for(quintet, address, seconds=20):
    """The code of the newest letter to an address."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for path in sorted(pathlib.Path(data_folder(quintet), "mail").glob("*.eml"), reverse=True):
            letter = email.message_from_bytes(path.read_bytes())
            if address in letter["To"] and (code := code_in(letter)):
                return code
        time.sleep(0.2)
    raise AssertionError(f"no letter to {address} with a code")


def code_in(letter):
    text = letter.get_payload(decode=True).decode()
    found = re.search(r"^[\w-]{30,}\s*$", text, re.M)
    return found and found[0].strip()
