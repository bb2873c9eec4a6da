"""The reference of the API: an overview, the operations of services with try-outs, problems that are explained."""

import json

import pytest

from looks import look

PHONE = {"width": 360, "height": 740}


def services(quintet):
    return [it["name"] for it in quintet.call("GET", "/openapi.json")["tags"]]


def look_at_operations(page):
    """Judges a page of a service by some of its sections, because axe takes minutes for hundreds of the same kind. What is
    off the screen has no layout of its own yet, which axe would misjudge."""
    page.evaluate("""[...document.querySelectorAll('section')].forEach((section, index) => {
        section.style.contentVisibility = 'visible';
        section.hidden = index >= 6 && !section.querySelector('form');
    })""")
    look(page)


def test_pages_of_the_reference_are_accessible(open_page, quintet):
    page = open_page("/docs")
    page.get_by_role("heading", name="Quintet API", level=1).wait_for()
    assert page.locator(".cards strong").all_text_contents() == services(quintet)
    look(page)
    page.goto("/problems")
    page.get_by_role("heading", name="Problems", level=1).wait_for()
    look(page)


def test_every_service_has_a_page(open_page, quintet):
    page = open_page("/docs")
    for name in services(quintet):
        page.goto(f"/docs/{name}")
        page.get_by_role("heading", name=name, level=1, exact=True).wait_for()
        page.get_by_role("button", name="Try it").first.wait_for()
    # The pages are made by the same code.
    look_at_operations(page)


def test_the_navigation_pops_out_on_phones(open_page):
    page = open_page("/docs", viewport=PHONE)
    navigation = page.get_by_role("navigation", name="Operations and problems")
    assert not navigation.is_visible()
    page.get_by_role("button", name="Menu").focus()
    page.keyboard.press("Enter")
    navigation.wait_for()
    navigation.get_by_text("catalog", exact=True).first.click()
    navigation.get_by_role("link", name="List listings").wait_for()
    look(page)
    page.keyboard.press("Escape")
    navigation.wait_for(state="hidden")
    # the key of the search opens it, too
    page.keyboard.press("/")
    page.get_by_role("searchbox", name="Search").wait_for()
    assert page.evaluate("document.activeElement.id") == "search"


def test_an_operation_is_found_by_keys(open_page):
    page = open_page("/docs")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    page.keyboard.press("/")
    page.keyboard.type("place bid")
    page.get_by_text("1 result", exact=True).wait_for()
    look(page)
    page.get_by_role("searchbox").press("Enter")
    page.wait_for_url("**/docs/orders#post-v1-auctions-id-bids")
    page.locator("#post-v1-auctions-id-bids h3").wait_for()
    assert page.locator("nav [aria-current=page]").get_attribute("href") == "/docs/orders#post-v1-auctions-id-bids"
    page.keyboard.press("/")
    page.keyboard.type("no such words")
    page.get_by_text("0 results").wait_for()


def test_a_try_out_changes_what_is_stored_and_a_problem_is_explained(open_page, quintet):
    ada = quintet.sign_up()
    page = open_page("/docs/auth#patch-v1-users-me")
    change = page.locator("#patch-v1-users-me")
    change.get_by_role("button", name="Try it").press("Enter")
    assert page.evaluate("document.activeElement.type") == "password"
    page.keyboard.type(ada.token)
    change.get_by_label("Body").fill('{"details": {"bio": "Writes notes."}}')
    change.get_by_role("button", name="Send").press("Enter")
    change.get_by_text("200 OK").wait_for()
    assert json.loads(change.locator("output > pre").inner_text())["details"]["bio"] == "Writes notes."
    assert ada.call("GET", "/v1/users/me")["details"]["bio"] == "Writes notes."

    # the token is kept for the other operations of the page
    read = page.locator("#get-v1-users-me")
    read.get_by_role("button", name="Try it").click()
    read.get_by_role("button", name="Send").click()
    read.get_by_text("200 OK").wait_for()
    assert json.loads(read.locator("output > pre").inner_text())["username"] == ada.username

    change.get_by_label("Body").fill('{"displayName": ""}')
    with page.watch.expecting(422):
        change.get_by_role("button", name="Send").click()
        change.get_by_text("422 Unprocessable").wait_for()
    problem = json.loads(change.locator("output > pre").inner_text())
    look_at_operations(page)
    change.get_by_role("link", name="What this problem means").click()
    page.wait_for_url(f"**{problem['type']}")
    page.get_by_role("heading", name=problem["title"], level=1).wait_for()
    page.get_by_role("heading", name="What to do").wait_for()
    look(page)


def test_a_problem_leads_to_the_operations_that_answer_it(open_page):
    page = open_page("/problems")
    page.get_by_role("main").get_by_role("link", name="below-minimum", exact=True).click()
    page.get_by_role("heading", level=1).wait_for()
    page.get_by_text("409", exact=True).last.wait_for()
    look(page)
    page.get_by_role("main").get_by_role("link", name="Place a bid").click()
    page.wait_for_url("**/docs/orders#post-v1-auctions-id-bids")


@pytest.mark.parametrize("path", ["/docs", "/docs/auth", "/problems"])
def test_pages_are_complete_without_their_script(open_page, path):
    page = open_page(path, java_script_enabled=False)
    page.get_by_role("heading", level=1).wait_for()
    assert not page.get_by_role("searchbox").is_visible()
    assert page.get_by_role("navigation").get_by_role("link").count() > 0
