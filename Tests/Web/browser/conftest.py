"""Fixtures of the tests in a browser.

--hosting separate  starts a process for each service, and the gateway's byte path; otherwise one process is started
-m hosting          only the tests that touch every app and every service

QUINTET_WEB_URL     the address of a platform that runs already, in any hosting
QUINTET_DATA        the data of that platform, without which tests that read its mail or make staff are skipped
QUINTET_BINARY      the program `quintet` that is started, with those of the services beside it; otherwise the newest build of
                    this tree
"""

import os
import shutil

import pytest
from playwright.sync_api import sync_playwright

from quintet import HOSTINGS, Quintet
from watch import Watch


def pytest_addoption(parser):
    parser.addoption("--hosting", choices=HOSTINGS, default="one", help="how the platform is started")


def pytest_configure(config):
    config.addinivalue_line("markers", "hosting: runs in every hosting; together they touch every app and every service")


@pytest.fixture(scope="session")
def quintet(pytestconfig, tmp_path_factory):
    if url := os.environ.get("QUINTET_WEB_URL"):
        yield Quintet(url)
        return
    started = HOSTINGS[pytestconfig.getoption("hosting")](tmp_path_factory.mktemp("quintet"))
    try:
        started.start()
        yield started
    finally:
        started.stop()


@pytest.fixture(scope="session")
def chromium():
    program = shutil.which("chromium")
    if not program:
        pytest.fail("Chromium is missing: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program,
            args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--mute-audio"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, quintet):
    """Opens pages of browsers of their own: `open_page("/archived/", locale="de-DE")`. A fault in any of them fails the test."""
    opened = []

    def open_one(path="/", **options):
        context = chromium.new_context(
            base_url=quintet.url, **{"locale": "en-US", "viewport": {"width": 1280, "height": 800}, **options})
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.watch = Watch(page)
        opened.append((context, page))
        page.goto(path)
        return page

    yield open_one
    for _, page in opened:
        page.watch.check()
    for context, _ in opened:
        context.close()


@pytest.fixture
def sign_in(open_page):
    """Signs a person in to an app, and returns the page: `sign_in(ada, "archived")`."""

    def sign_in_one(person, app, path="/", **options):
        page = open_page(f"/{app}/sign-in?next={path}", **options)
        page.get_by_label("E-mail or username").fill(person.username)
        page.get_by_label("Password", exact=True).fill(person.password)
        page.get_by_role("button", name="Sign in", exact=True).click()
        page.get_by_role("button", name=person.name, exact=True).wait_for()
        return page

    return sign_in_one
