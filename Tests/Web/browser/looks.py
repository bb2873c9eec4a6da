"""What is looked at on every page: axe, light and dark, small and large, and that something is to be seen."""

import struct
import zlib

from axe_playwright_python.sync_playwright import Axe

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def look(page):
    """Judges the page as it is now; its scheme and size are afterwards as before."""
    size = page.viewport_size
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        violations = Axe().run(page, options=RULES).response["violations"]
        assert not violations, f"{page.url} in {scheme}: {describe(violations)}"
        assert different_rows(page.screenshot()) > 20, f"{page.url} in {scheme} is blank"
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 320, "height": 640})
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= 320, f"{page.url} is {width} px wide on a screen of 320 px"
    small = page.evaluate(SMALL_TARGETS)
    assert not small, f"{page.url} has targets smaller than 44 px: {small}"
    page.set_viewport_size(size)


# Links in texts are exempt (WCAG 2.5.5), and so is what is only for screen readers.
SMALL_TARGETS = """[...document.querySelectorAll('button:not(.link), input, select, textarea, [role=tab], nav a, .button')]
  .filter((it) => it.checkVisibility() && !it.closest('.visually-hidden') && !it.matches('.visually-hidden, [type=checkbox], [type=radio]'))
  .map((it) => [it.getBoundingClientRect(), it])
  .filter(([box]) => box.width > 0 && (box.height < 43.5 || box.width < 43.5))
  .map(([box, it]) => `${it.outerHTML.slice(0, 80)} ${Math.round(box.width)}×${Math.round(box.height)}`)"""


def describe(violations):
    return "\n".join(f"{it['id']}: {it['help']}: {[node['html'][:160] for node in it['nodes']]}" for it in violations)


def different_rows(png):
    """How many different rows of pixels a picture has: an empty page has a few."""
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", png[at + 8:at + 18])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    stride = 1 + width * {2: 3, 6: 4}[color]
    rows = zlib.decompress(data)
    return len({rows[row * stride:(row + 1) * stride] for row in range(height)})
