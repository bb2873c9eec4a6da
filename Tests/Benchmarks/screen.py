#!/usr/bin/env python3
"""How fast pages are in Chromium, of a release build with the demo world in it, while 500 people use it.

    swift build -c release --product quintet
    .build/python/bin/python3 Tests/Benchmarks/screen.py [--people 200]

First pages are opened by a browser that has nothing of them; a page counts as usable when its heading and its content are
there. A bid is measured from its request at one browser to its price on the page of another.
"""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Web/browser"))
from quintet import PASSWORD, StartedQuintet  # noqa: E402
from test_archived import Shop, key, usd  # noqa: E402
from test_first_pages import STARTS  # noqa: E402

CROWD = [sys.executable, str(ROOT / "Tests/Benchmarks/crowd.py")]
PEOPLE = 500
# What each of the people asks for, on average, in seconds.
PAUSE = 2
# The app, a link of its navigation, and the heading behind it.
ROUTES = [
    ("archived", "Opens", "Opens"), ("letustudy", "Library", "Library"), ("yesenia", "Blog", "Blog"),
]


def show(name, times, target):
    times = sorted(times)
    p95 = times[min(len(times) - 1, len(times) * 95 // 100)]
    print(f"  {name:<34} median {statistics.median(times) * 1000:6.0f} ms   p95 {p95 * 1000:6.0f} ms   (target {target} ms)",
          flush=True)


def fill(quintet, people):
    """Makes the demo world, without the shop, which needs an owner."""
    begin = time.monotonic()
    subprocess.run([quintet.binary("quintet-demo"), "--url", quintet.url, "--journal", str(quintet.folder / "journal"),
                    "--people", str(people)], check=True, stdout=subprocess.DEVNULL)
    print(f"  the demo world of {people} people took {time.monotonic() - begin:.0f} s", flush=True)


def newcomer(quintet, app):
    """Someone who has done what the app asks for first."""
    return STARTS.get(app, lambda it: it.sign_up("Ada Lovelace", app))(quintet)


def sign_in(context, person, app):
    page = context.new_page()
    page.goto(f"/{app}/sign-in")
    page.get_by_label("E-mail or username").fill(person.username)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("button", name=person.name, exact=True).wait_for()
    return page


def await_content(page):
    page.get_by_role("heading", level=1).first.wait_for()
    page.locator("[aria-busy=true], .skeleton").first.wait_for(state="detached")


def first_page(browser, quintet, person, app):
    """Of someone who is signed in, by a browser without any file of it."""
    context = browser.new_context(base_url=quintet.url, locale="en-US")
    sign_in(context, person, app).close()
    page = context.new_page()
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.setCacheDisabled", {"cacheDisabled": True})
    devtools.send("Network.setBypassServiceWorker", {"bypass": True})
    begin = time.perf_counter()
    page.goto(f"/{app}/", wait_until="commit")
    await_content(page)
    seconds = time.perf_counter() - begin
    context.close()
    return seconds


def route_changes(browser, quintet, person, app, link, heading, count):
    context = browser.new_context(base_url=quintet.url, locale="en-US", viewport={"width": 1280, "height": 800})
    page = sign_in(context, person, app)
    times = []
    for _ in range(count):
        page.goto(f"/{app}/")
        await_content(page)
        target = page.get_by_role("navigation").get_by_role("link", name=link, exact=True).first
        target.wait_for()
        begin = time.perf_counter()
        target.click()
        page.get_by_role("heading", name=heading, level=1).wait_for()
        times.append(time.perf_counter() - begin)
    context.close()
    return times


# Keeps the moment at which the price changes, in milliseconds since 1970.
WATCH = """() => {
  const price = () => document.querySelector("[data-price]")?.dataset.price;
  const before = price();
  window.changed = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (price() === before) return;
      observer.disconnect();
      resolve(Date.now());
    });
    observer.observe(document.body, { subtree: true, childList: true, attributes: true });
  });
}"""


def bids(browser, quintet, count):
    """Two bidders take turns; each of their maximums is the other's next price."""
    shop = Shop(quintet)
    auction = shop.auction(shop.listing("Measured"))
    rivals = [quintet.sign_up("Ben Artist", "archived"), quintet.sign_up("Cleo Carter", "archived")]
    context = browser.new_context(base_url=quintet.url, locale="en-US")
    page = sign_in(context, quintet.sign_up("Dana Evans", "archived"), "archived")
    page.goto(f"/archived/auctions/{auction['id']}")
    page.get_by_text("No one has bid yet.").wait_for()
    times = []
    for turn in range(count + 1):
        # The first bid shows the start price; only later ones change it.
        page.evaluate(WATCH)
        begin = time.time()
        body = {"maxAmount": usd(5000 * (turn + 1))}
        rivals[turn % 2].call("POST", f"/v1/auctions/{auction['id']}/bids", body, **key())
        if turn > 0:
            times.append(page.evaluate("window.changed") / 1000 - begin)
    context.close()
    return times


def crowd(quintet):
    port = quintet.ports["quintet"][0]
    tokens = [quintet.call("POST", "/v1/auth/guest", {})["accessToken"] for _ in range(PEOPLE)]
    streams = subprocess.Popen(CROWD + ["streams", str(port), str(PEOPLE), *tokens], stdout=subprocess.PIPE, text=True)
    print(f"  {streams.stdout.readline().strip()} are open", flush=True)
    requests = subprocess.Popen(CROWD + ["requests", str(port), tokens[0], str(PEOPLE), str(PEOPLE // PAUSE), "3600"],
                                stdout=subprocess.PIPE, text=True)
    requests.stdout.readline()
    return [streams, requests]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--people", type=int, default=200)
    people = arguments.parse_args().people
    load = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        quintet = StartedQuintet(pathlib.Path(folder), HTTP_CONNECTIONS_PER_ADDRESS="0", REALTIME_STREAMS_PER_ADDRESS="0")
        try:
            quintet.start()
            fill(quintet, people)
            load = crowd(quintet)
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            print(f"pages of a browser beside {PEOPLE} people, {PEOPLE // PAUSE} requests per second, on the same cores")
            for app in ("archived", "keepfit", "yesenia", "letustudy"):
                person = quintet.sign_up("Ada Lovelace", app)
                show(f"first page of {app}", [first_page(browser, quintet, person, app) for _ in range(10)], 1000)
            for app, link, heading in ROUTES:
                person = newcomer(quintet, app)
                show(f"route change in {app}", route_changes(browser, quintet, person, app, link, heading, 20), 150)
            show("a bid on another screen", bids(browser, quintet, 40), 200)
            browser.close()
        finally:
            for process in load:
                process.kill()
            quintet.stop()


main()
