"""Apps with a host of their own (`web.hosts`), and the links between them and the others."""

import pytest

from quintet import StartedQuintet
from staff import make_staff, sign_in_staff

APART = ["archived", "admin", "yesenia"]


@pytest.fixture(scope="module")
def hosted(tmp_path_factory):
    """A platform on which some apps have a host."""
    started = StartedQuintet(
        tmp_path_factory.mktemp("hosted"), WEB_HOSTS=",".join(f"{app}={app}.localhost" for app in APART))
    try:
        started.start()
        yield started
    finally:
        started.stop()


def address(hosted, app):
    return hosted.url.replace("localhost", f"{app}.localhost") if app in APART else f"{hosted.url}/{app}"


def sign_in(page, person):
    page.get_by_label("E-mail or username").fill(person.username)
    page.get_by_label("Password", exact=True).fill(person.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name=person.name, exact=True).wait_for()


def test_the_home_page_leads_to_every_app(open_page, hosted):
    page = open_page(hosted.url)
    links = page.get_by_role("listitem").get_by_role("link").evaluate_all("(all) => all.map((it) => it.href)")
    apps = ["archived", "keepfit", "yesenia", "roomi", "letustudy", "account", "admin"]
    assert links == [f"{address(hosted, app)}/" for app in apps] + [f"{hosted.url}/docs"]
    for link in links:
        page.goto(link)
        page.get_by_role("heading", level=1).first.wait_for()


def test_settings_lead_to_the_account_on_its_host(open_page, hosted):
    page = open_page(f"{address(hosted, 'archived')}/sign-in?next=/settings")
    sign_in(page, hosted.sign_up("Ada Lovelace", "archived"))
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Security").click()
    opened.value.wait_for_url(f"{hosted.url}/account/sign-in?**")


def test_the_owners_side_is_where_the_back_office_is(open_page, hosted):
    owner = make_staff(hosted, "owner", "Yesenia Owner")
    shop = open_page(f"{address(hosted, 'yesenia')}/sign-in")
    sign_in_staff(shop, owner)
    shop.get_by_role("button", name=owner.name, exact=True).click()
    shop.get_by_role("menuitem", name="Manage the shop").click()
    shop.wait_for_url(f"{address(hosted, 'admin')}/shop/**")
    sign_in_staff(shop, owner)
    shop.get_by_role("link", name="Products").click()
    shop.get_by_role("heading", name="Products", level=1).wait_for()
    shop.get_by_role("link", name="To the shop").click()
    shop.wait_for_url(f"{address(hosted, 'yesenia')}/")
    # Nothing of the staff's session is on the shop's host.
    with shop.watch.expecting(404):
        assert shop.evaluate("fetch('/web/admin/session').then((it) => it.status)") == 404
