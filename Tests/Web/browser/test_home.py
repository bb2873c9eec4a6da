"""The page with all apps, and the one for addresses where there is none."""

import pytest

from looks import look

TITLES = {
    "Archived": "Archived", "KeepFit": "KeepFit", "Yesenia Designs": "Yesenia Designs", "Roomi": "Roomi",
    "LetuStudy": "LetuStudy", "Your account": "Quintet", "Back office": "Back office", "The API": "Overview · Quintet API",
}


def test_the_page_has_all_apps(open_page):
    page = open_page("/")
    page.get_by_role("heading", name="Quintet", level=1).wait_for()
    assert page.get_by_role("link").locator("strong").all_text_contents() == list(TITLES)
    look(page)


@pytest.mark.parametrize("app", TITLES)
def test_an_app_opens(open_page, app):
    page = open_page("/")
    page.get_by_role("link", name=app).press("Enter")
    page.get_by_role("heading", level=1).wait_for()
    assert page.title().endswith(TITLES[app])
    assert page.locator("h1").inner_text() != "Quintet"


@pytest.mark.parametrize("path", ["/nowhere", "/archive/listings", "/docs/nothing", "/problems/nothing"])
def test_an_address_without_a_page_leads_to_all_apps(open_page, path):
    page = open_page("about:blank")
    with page.watch.expecting(404):
        assert page.goto(path).status == 404
    page.get_by_role("heading", name="There is no such page", level=1).wait_for()
    look(page)
    page.get_by_role("link", name="All apps").click()
    page.get_by_role("heading", name="Quintet", level=1).wait_for()
