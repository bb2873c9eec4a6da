"""Reads lines `WIDTH HEIGHT RGBA-IN-HEXADECIMAL` and prints the ThumbHash of each by the package `thumbhash`.

Two mistakes of the package (0.1.2) are mended: it fails for pictures with transparency, because a conditional expression
covers only the first of three values, and it rounds halves to even where JavaScript, the original, rounds them up.
"""
import importlib.util
import math
import sys

source = open(importlib.util.find_spec("thumbhash").origin).read()
wrong = "encode_channel(a, 5, 5) if has_alpha else 1.0, [], 1.0"
assert wrong in source
module = {"__name__": "thumbhash", "round": lambda value: math.floor(value + 0.5)}
exec(source.replace(wrong, "encode_channel(a, 5, 5) if has_alpha else (1.0, [], 1.0)"), module)

for line in sys.stdin:
    width, height, pixels = line.split()
    print(bytes(module["rgba_to_thumb_hash"](int(width), int(height), bytes.fromhex(pixels))).hex())
