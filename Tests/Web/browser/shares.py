"""What a page shares: an address that is copied, and the page from which other apps take what they show of it."""


def copied(page, button):
    """Presses a button that copies an address; returns the address."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button.click()
    page.get_by_text("Link copied").wait_for()
    return page.evaluate("navigator.clipboard.readText()")


def assert_previewed(page, address, title):
    """Opens a shared address as a stranger does, and as apps do that show a preview."""
    page.goto(address)
    page.get_by_role("heading", name=title, level=1).wait_for()
    assert page.locator("meta[property='og:title']").get_attribute("content") == title
    assert page.locator("meta[property='og:url']").get_attribute("content") == address
