"""The first page of every app: what it weighs, and how it looks."""

import pytest

from looks import look
from quintet import ROOT

APPS = sorted(it.parent.name for it in (ROOT / "Services/Web/Client").glob("*/index.html"))


@pytest.mark.parametrize("app", APPS)
def test_a_first_page_is_light_and_accessible(open_page, app):
    page = open_page("about:blank")
    sizes = {}

    def weigh(request):
        if request.resource_type in ("document", "script", "stylesheet", "manifest"):
            sizes[request.url] = request.sizes()["responseBodySize"]

    page.on("requestfinished", weigh)
    page.goto(f"/{app}/")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes.values()) <= 60_000, sorted(sizes.items(), key=lambda it: -it[1])[:10]
    look(page)


@pytest.mark.parametrize("app", APPS)
def test_a_page_without_its_script_says_so(open_page, app):
    page = open_page(f"/{app}/", java_script_enabled=False)
    # Not `get_by_text`, which leaves out what is in a `noscript`.
    for language, words in {"en": "needs JavaScript", "de": "braucht JavaScript"}.items():
        sentence = page.locator(f"noscript p:lang({language})")
        sentence.wait_for()
        assert words in sentence.inner_text()
