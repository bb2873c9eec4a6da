"""Proves the stand-in with Stripe's own client. Prints `ok` or `not ok` and what each check proves; exits with 1 if
one failed. Arguments choose subjects: `billing`, `delivery`, `payments`, `refunds`, `shapes`."""

import importlib
import sys
import traceback

sys.dont_write_bytecode = True

from standin import CHECKS, StandIn

for subject in sys.argv[1:] or ["payments", "refunds", "delivery", "billing", "shapes"]:
    importlib.import_module(f"checks_{subject}")

failed = 0
for one in CHECKS:
    try:
        with StandIn() as stand_in:
            one.body(stand_in)
        print(f"ok {one.title}", flush=True)
    except Exception as error:
        failed += 1
        frames = traceback.extract_tb(error.__traceback__)
        line = next((frame for frame in reversed(frames) if "checks_" in frame.filename), frames[-1])
        print(f"not ok {one.title}: {type(error).__name__}: {error} (line {line.lineno}: {line.line})", flush=True)
print(f"{len(CHECKS)} checks, {failed} failed", flush=True)
sys.exit(1 if failed else 0)
