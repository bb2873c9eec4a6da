"""The first page of every app: what it weighs, and how it looks."""

import pytest

from looks import look
from quintet import ROOT

CLIENT = ROOT / "Services/Web/Client"
# Those of the apps, and of folders in them.
PAGES = sorted(str(it.parent.relative_to(CLIENT)) for it in CLIENT.glob("*/**/index.html"))


@pytest.mark.parametrize("path", PAGES)
def test_a_first_page_is_light_and_accessible(open_page, path):
    page = open_page("about:blank")
    sizes = {}

    def weigh(request):
        if request.resource_type in ("document", "script", "stylesheet", "manifest"):
            sizes[request.url] = request.sizes()["responseBodySize"]

    page.on("requestfinished", weigh)
    page.goto(f"/{path}/")
    page.get_by_role("heading", level=1).wait_for()
    page.wait_for_load_state("networkidle")
    assert 0 < sum(sizes.values()) <= 60_000, sorted(sizes.items(), key=lambda it: -it[1])[:10]
    look(page)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_without_its_script_says_so(open_page, path):
    page = open_page("about:blank", java_script_enabled=False)
    # Without JavaScript, Chromium does not load modules in advance.
    with page.watch.expecting(0):
        page.goto(f"/{path}/")
    # Not `get_by_text`, which leaves out what is in a `noscript`.
    for language, words in {"en": "needs JavaScript", "de": "braucht JavaScript"}.items():
        sentence = page.locator(f"noscript p:lang({language})")
        sentence.wait_for()
        assert words in sentence.inner_text()
