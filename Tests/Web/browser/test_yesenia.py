"""The app `yesenia`: the shop for visitors and customers, and the owner's side."""

import email
import email.policy
import json
import pathlib
import re
import subprocess
import time
import uuid

import pytest

from looks import look
from shares import assert_previewed, copied
from staff import data_folder, make_staff, sign_in_staff

NAVIGATION = ["Home", "Blog", "Watch Videos", "Shop", "Orders", "Tools and Supplies", "Newsletter", "Contact", "Login/Register"]
ADDRESS = {"name": "Ada Lovelace", "street": "1 Main Street", "city": "Oakland", "postalCode": "94601", "region": "US-CA"}


def usd(amount):
    return {"amount": amount, "currency": "USD"}


def post(person, path, body):
    return person.call("POST", path, body, **{"Idempotency-Key": f'"{uuid.uuid4()}"'})


class Shop:
    """A shop with products, pages and prices, and its owner."""

    def __init__(self, quintet):
        self.owner = make_staff(quintet, "owner", "Yesenia Owner")
        self.type = f"wreaths-{uuid.uuid4().hex[:6]}"
        post(self.owner, "/v1/product-types", {"slug": self.type, "name": f"Wreaths {self.type[-6:]}"})
        self.wreath, self.candle = self.add_product("Meadow wreath", 5400, 40), self.add_product("Honey candle", 2400, 40)
        post(self.owner, "/v1/media/links", {
            "url": f"https://www.youtube.com/watch?v={uuid.uuid4().hex[:11]}", "title": "Make a wreath", "productType": self.type,
            "visibility": "everyone"})
        self.post = post(self.owner, "/v1/posts", {
            "title": "How I dry flowers", "date": "2026-11-12", "description": "With patience.\n\nIn the dark.",
            "mediaLink": "https://www.youtube.com/watch?v=aaaaaaaaaaa"})
        post(self.owner, "/v1/tools", {"name": "Scissors", "description": "Sharp.", "link": "https://example.com/"})
        self.owner.call("PUT", "/v1/site", {
            "title": "Crafts made by hand", "home": "Wreaths and candles.", "email": "hello@example.com",
            "socialLinks": [{"name": "Instagram", "link": "https://www.instagram.com/yeseniadesigns"}],
            "tutorials": [{"title": "Pour a candle", "link": "https://www.youtube.com/watch?v=bbbbbbbbbbb"}]})
        rules = self.owner.call("GET", "/v1/pricing-rules")
        self.owner.call("PUT", "/v1/pricing-rules", {
            "tax": [{"region": "US-CA", "rate": 72500, "isIncluded": False}], "shipping": [{"base": usd(590)}],
            "version": rules["version"]})

    def add_product(self, title, amount, count, **more):
        name = f"{title} {uuid.uuid4().hex[:6]}"
        body = {"type": self.type, "title": name, "description": "Made by hand.", "price": usd(amount), "isShipped": True,
                "weightGrams": 400, "onHand": count, **more}
        return post(self.owner, "/v1/products", body)

    def paid_order(self, person):
        post(person, "/v1/cart/items", {"productID": self.wreath["id"]})
        return self.pay(person, post(person, "/v1/cart/checkout", {
            "shippingAddress": ADDRESS, "payment": {"provider": "test", "token": "test_success"}}))

    @staticmethod
    def pay(person, order):
        end = time.monotonic() + 20
        while order["status"] != "placed" and time.monotonic() < end:
            time.sleep(0.2)
            order = person.call("GET", f"/v1/orders/{order['id']}")
        return order


@pytest.fixture(scope="module")
def shop(quintet):
    return Shop(quintet)


@pytest.fixture
def owner_page(open_page, shop, quintet):
    """A page of the owner's side, signed in."""

    def open_signed_in(path="/"):
        # Each recovery code signs in once.
        if not shop.owner.recovery_codes:
            shop.owner = make_staff(quintet, "owner", shop.owner.name)
        return sign_in_staff(open_page(f"/admin/shop{path}"), shop.owner)

    return open_signed_in


def number_of(order):
    return re.sub("^(.{4})", r"\1-", order["id"][-8:].upper())


def fill_address(page):
    page.get_by_label("Recipient").fill(ADDRESS["name"])
    page.get_by_label("Street and number").fill(ADDRESS["street"])
    page.get_by_label("Postal code").fill(ADDRESS["postalCode"])
    page.get_by_label("City").fill(ADDRESS["city"])
    page.get_by_role("combobox", name="Country").select_option("US")
    page.get_by_role("textbox", name="State").fill("CA")


def test_the_navigation_is_that_of_the_document(open_page, shop):
    page = open_page("/yesenia/")
    page.get_by_role("heading", level=1).wait_for()
    navigation = page.get_by_role("navigation", name="Main menu")
    assert [it.strip() for it in navigation.locator(".shop-link").all_text_contents()] == NAVIGATION
    footer = page.get_by_role("contentinfo")
    footer.get_by_role("link", name="Instagram").wait_for()
    footer.get_by_role("link", name="hello@example.com").wait_for()


def test_the_navigation_pops_out_on_phones(open_page, shop):
    page = open_page("/yesenia/", viewport={"width": 360, "height": 740})
    page.get_by_role("heading", level=1).wait_for()
    navigation = page.get_by_role("navigation", name="Main menu")
    assert not navigation.is_visible()
    page.get_by_role("button", name="Main menu").focus()
    page.keyboard.press("Enter")
    navigation.wait_for()
    look(page)
    page.set_viewport_size({"width": 360, "height": 740})
    page.keyboard.press("Escape")
    navigation.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.ariaLabel") == "Main menu"
    page.keyboard.press("Enter")
    navigation.get_by_role("link", name="Tools and Supplies").click()
    page.get_by_role("heading", name="Tools and Supplies", level=1).wait_for()
    assert not navigation.is_visible()


@pytest.mark.hosting
def test_from_the_sign_up_to_an_order_that_the_bank_confirms(open_page, shop):
    page = open_page(f"/yesenia/products/{shop.wreath['id']}")
    page.get_by_label("Quantity").select_option("2")
    page.get_by_role("button", name="Add to Cart", exact=True).click()
    page.get_by_role("link", name="Shopping cart: 2 items").click()
    page.get_by_role("heading", name="Shopping cart").wait_for()
    look(page)
    page.get_by_role("link", name="Checkout").click()
    page.get_by_role("link", name="New here? Create an account").click()
    name = f"grace-{uuid.uuid4().hex[:10]}"
    page.get_by_label("Your name").fill("Grace Hopper")
    page.get_by_label("Username").fill(name)
    page.get_by_label("E-mail").fill(f"{name}@example.com")
    page.get_by_label("Password", exact=True).fill("correct horse battery")
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("heading", name="Checkout").wait_for()
    fill_address(page)
    page.get_by_label("Street and number").focus()
    page.get_by_text("$122.16").wait_for()  # 2 × 54.00 and shipping of 5.90, each with a tax of 7.25 %
    look(page)
    page.get_by_text("Test card that asks the bank").click()
    page.get_by_role("button", name="Place order").click()
    page.get_by_role("heading", name="Waiting for your bank").wait_for()
    look(page)
    page.get_by_role("button", name="Approve").click()
    page.locator(".step[aria-current=step]", has_text="Processing").wait_for()
    look(page)
    page.get_by_role("link", name="Receipt").click()
    page.get_by_role("heading", name="Receipt").wait_for()
    page.get_by_text("Paid with a test card.").wait_for()
    look(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename.endswith(".html")
    page.get_by_role("link", name="Shopping cart: 0 items").wait_for()


def test_a_declined_payment_is_made_again_and_the_bank_may_be_answered_elsewhere(sign_in, quintet, shop):
    ada = quintet.sign_up(app="yesenia")
    post(ada, "/v1/cart/items", {"productID": shop.candle["id"]})
    order = post(ada, "/v1/cart/checkout", {"shippingAddress": ADDRESS, "payment": {"provider": "test", "token": "test_decline"}})
    page = sign_in(ada, "yesenia", f"/orders/{order['id']}")
    page.get_by_role("heading", name="The payment has failed").wait_for()
    look(page)
    page.get_by_text("Test card that asks the bank").click()
    page.get_by_role("button", name="Pay $32.07").click()
    page.get_by_role("heading", name="Waiting for your bank").wait_for()
    post(ada, f"/v1/orders/{order['id']}/payments", {"provider": "test", "token": "test_success"})
    page.locator(".step[aria-current=step]", has_text="Processing").wait_for()


def test_a_guests_cart_becomes_the_accounts(open_page, quintet, shop):
    ada = quintet.sign_up(app="yesenia")
    post(ada, "/v1/cart/items", {"productID": shop.wreath["id"]})
    page = open_page(f"/yesenia/shop?type={shop.type}")
    page.get_by_role("button", name=f"Add to Cart: {shop.candle['title']}").click()
    page.get_by_role("link", name="Shopping cart: 1 item", exact=True).wait_for()
    page.get_by_role("link", name="Login/Register").click()
    page.get_by_label("E-mail or username").fill(ada.username)
    page.get_by_label("Password", exact=True).fill(ada.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_role("link", name="Shopping cart: 2 items").click()
    page.get_by_role("list", name="Shopping cart").get_by_role("link", name=shop.wreath["title"]).wait_for()
    page.get_by_role("list", name="Shopping cart").get_by_role("link", name=shop.candle["title"]).wait_for()
    assert len(ada.call("GET", "/v1/cart")["items"]) == 2
    page.get_by_role("button", name=f"Remove: {shop.wreath['title']}").click()
    page.get_by_role("link", name="Shopping cart: 1 item", exact=True).wait_for()
    assert page.evaluate("document.activeElement.tagName") == "H1"


def test_orders_ask_to_sign_in_and_logging_out_stays_in_the_shop(open_page, quintet, shop):
    ada = quintet.sign_up(app="yesenia")
    page = open_page("/yesenia/orders")
    page.get_by_label("E-mail or username").fill(ada.username)
    page.get_by_label("Password", exact=True).fill(ada.password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_text("No orders yet").wait_for()
    look(page)
    page.get_by_role("button", name="Logout").click()
    page.get_by_role("heading", name="Crafts made by hand").wait_for()
    page.get_by_role("link", name="Login/Register").wait_for()


def test_more_than_is_in_stock_is_refused_in_words(sign_in, quintet, shop):
    rare = shop.add_product("Rare wreath", 9900, 1)
    ada, ben = quintet.sign_up(app="yesenia"), quintet.sign_up("Ben Buyer", app="yesenia")
    page = sign_in(ada, "yesenia", f"/products/{rare['id']}")
    page.get_by_role("button", name="Add to Cart", exact=True).click()
    page.get_by_role("link", name="Shopping cart: 1 item", exact=True).wait_for()
    post(ben, "/v1/cart/items", {"productID": rare["id"]})
    post(ben, "/v1/cart/checkout", {"shippingAddress": ADDRESS, "payment": {"provider": "test", "token": "test_success"}})
    page.goto("/yesenia/checkout")
    fill_address(page)
    with page.watch.expecting(409):
        page.get_by_role("button", name="Place order").click()
        page.get_by_text("There is less in stock than you want.").wait_for()
    look(page)


def test_a_post_is_liked_and_commented(sign_in, quintet, shop):
    page = sign_in(quintet.sign_up(app="yesenia"), "yesenia", f"/blog/{shop.post['id']}")
    page.get_by_role("button", name="Like").click()
    page.locator(".like", has_text="1 Likes").wait_for()
    page.get_by_label("Your comment").fill("Lovely!")
    page.get_by_role("button", name="Comment", exact=True).click()
    page.get_by_role("list", name="Comments").get_by_text("Lovely!").wait_for()
    look(page)
    page.get_by_role("button", name="More for this comment").click()
    page.get_by_role("menuitem", name="Delete").click()
    page.get_by_text("No comments yet").wait_for()


def test_a_post_is_shared(open_page, quintet, shop):
    page = open_page(f"/yesenia/blog/{shop.post['id']}")
    address = copied(page, page.get_by_role("button", name="Share"))
    assert address == f"{quintet.url}/s/post/{shop.post['id']}"
    assert_previewed(page, address, shop.post["title"])


def test_a_letter_is_answered(open_page, owner_page, shop):
    page = open_page("/yesenia/contact")
    page.get_by_role("button", name="Send Message").click()
    assert page.evaluate("document.activeElement.name") == "firstName"
    subject = f"A wreath {uuid.uuid4().hex[:6]}"
    for label, text in [("First name", "Rosa"), ("Last name", "Diaz"), ("E-mail", "rosa@example.com"), ("Subject", subject),
                        ("Message", "Could you make one of 80 cm?")]:
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Send Message").click()
    page.get_by_text("Thank you for your message").wait_for()
    look(page)
    owner = owner_page("/letters")
    owner.get_by_role("link", name=subject).click()
    owner.get_by_text("Could you make one of 80 cm?").wait_for()
    look(owner)
    owner.get_by_label("Your answer").fill("Yes, gladly.")
    owner.get_by_role("button", name="Send answer").click()
    owner.get_by_text("Your answer was sent").wait_for()
    owner.get_by_text("Answered").wait_for()


def test_the_import_takes_good_rows_and_shows_bad_ones(open_page, owner_page, shop):
    good, source = f"Imported wreath {uuid.uuid4().hex[:6]}", uuid.uuid4().hex[:8]
    rows = ["sourceID,type,title,price,currency,onHand", f"{source}-1,{shop.type},{good},12.50,USD,3",
            f"{source}-2,{shop.type},Free of charge,minus,USD,3", f"{source}-3,no-such-type,Lost,5,USD,1"]
    page = owner_page("/import")
    look(page)
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "products.csv", "mimeType": "text/csv", "buffer": "\n".join(rows).encode()})
    page.get_by_role("button", name="Import").click()
    bad = page.get_by_role("table")
    bad.get_by_text("Free of charge").wait_for()
    bad.get_by_text("Lost").wait_for()
    assert bad.locator("tbody tr").count() == 2
    look(page)
    customer = open_page(f"/yesenia/shop?q={good.split()[-1]}")
    customer.get_by_role("link", name=good).first.wait_for()


def test_the_import_of_old_posts_makes_no_doubles(open_page, owner_page, shop):
    source, old = uuid.uuid4().hex[:8], f"Dried lavender {uuid.uuid4().hex[:6]}"
    rows = ["sourceID,date,title,text,mediaLink", f'{source}-1,2019-04-30,{old},"In May,\nupside down.",',
            f"{source}-2,30 April 2019,Undated,Lost,"]
    page = owner_page("/pages")
    page.get_by_role("link", name="Import old posts").click()

    def take(content, name="blog.csv", **counts):
        page.get_by_label("File", exact=True).set_input_files(
            {"name": name, "mimeType": "text/csv" if name.endswith(".csv") else "application/json", "buffer": content.encode()})
        page.get_by_role("button", name="Import", exact=True).click()
        for kind, count in counts.items():
            page.locator(".counts > div", has_text=re.compile(f"^{kind}{count}$", re.I)).wait_for()

    take("\n".join(rows), new=1, unchanged=0, refused=1)
    page.get_by_role("table").get_by_text("30 April 2019").wait_for()
    look(page)
    take("\n".join(rows), new=0, unchanged=1, refused=1)
    take("\n".join(rows[:2]).replace("In May", "In June"), new=0, changed=1, refused=0)
    items = [{"sourceID": f"{source}-1", "date": "2019-04-30", "title": old}, {"sourceID": f"{source}-3", "title": "Dateless"}]
    take(json.dumps(items), "blog.json", new=0, changed=0, refused=1)
    page.get_by_role("table").get_by_text("Dateless").wait_for()
    found = [it for it in shop.owner.call("GET", "/v1/posts?limit=100")["items"] if it["title"] == old]
    assert [(it["date"][:10], it["description"]) for it in found] == [("2019-04-30", "In June,\nupside down.")]
    customer = open_page(f"/yesenia/blog/{found[0]['id']}")
    customer.get_by_role("heading", name=old).wait_for()


def test_the_owner_sets_taxes_and_shipping(owner_page, shop):
    before = shop.owner.call("GET", "/v1/pricing-rules")
    page = owner_page()
    page.get_by_role("button", name=shop.owner.name).click()
    page.get_by_role("menuitem", name="Taxes and shipping").click()
    taxes, shipping = page.get_by_role("list", name="Taxes"), page.get_by_role("list", name="Shipping")
    dialog, save = page.get_by_role("dialog"), page.get_by_role("button", name="Save")

    def choose(rules, place, action):
        rules.get_by_role("listitem").filter(has_text=place).get_by_role("button", name="Change or delete").click()
        page.get_by_role("menuitem", name=action).click()

    page.get_by_role("button", name="New tax rule").click()
    dialog.get_by_label("Rate in percent").fill("190")
    save.click()
    dialog.get_by_text("Please enter a number from 0 to 100.").wait_for()
    dialog.get_by_label("Rate in percent").fill("7.125")
    dialog.get_by_role("combobox", name="Country").select_option("US")
    dialog.get_by_role("textbox", name="State").fill("a-b")
    with page.watch.expecting(422):
        save.click()
        dialog.get_by_text("must be a country such as US").wait_for()
    look(page)
    dialog.get_by_role("textbox", name="State").fill("nv")
    dialog.get_by_label("Prices include this tax").check()
    save.click()
    taxes.get_by_text("7.125%, included in prices").wait_for()
    choose(taxes, "NV, United States", "Change")
    dialog.get_by_label("Tax class").fill("standard")
    save.click()
    taxes.get_by_text("7.125%, included in prices · standard").wait_for()

    page.get_by_role("button", name="New shipping rule").click()
    dialog.get_by_role("combobox", name="Country").select_option("CA")
    dialog.get_by_label("Price per shipment").fill("12")
    dialog.get_by_label("Price per started kilogram").fill("1.50")
    dialog.get_by_label("Free from").fill("100")
    save.click()
    shipping.get_by_text("$12.00 per shipment · $1.50 per kilogram · free from $100.00").wait_for()
    look(page)
    stored = shop.owner.call("GET", "/v1/pricing-rules")
    assert stored["tax"] == before["tax"] + [{"region": "US-NV", "taxClass": "standard", "rate": 71250, "isIncluded": True}]
    assert stored["shipping"] == before["shipping"] + [
        {"region": "CA", "base": usd(1200), "perKilogram": usd(150), "freeFrom": usd(10000)}]

    # what others have changed meanwhile is not lost
    shop.owner.call("PUT", "/v1/pricing-rules", {"tax": stored["tax"], "shipping": stored["shipping"]})
    choose(shipping, "Canada", "Delete")
    with page.watch.expecting(412):
        dialog.get_by_role("button", name="Delete").click()
        page.get_by_text("The rules were changed elsewhere meanwhile.").wait_for()
    # nor is what was typed, and the next attempt changes the same rule, wherever it is by then
    choose(shipping, "Canada", "Change")
    dialog.get_by_label("Free from").fill("200")
    mexico = {"region": "MX", "base": usd(1500)}
    shop.owner.call("PUT", "/v1/pricing-rules", {"tax": stored["tax"], "shipping": [mexico] + stored["shipping"]})
    with page.watch.expecting(412):
        save.click()
        dialog.get_by_text("The rules were changed elsewhere meanwhile.").wait_for()
    save.click()
    shipping.get_by_text("free from $200.00").wait_for()
    assert shop.owner.call("GET", "/v1/pricing-rules")["shipping"] == [
        mexico, *before["shipping"], {**stored["shipping"][-1], "freeFrom": usd(20000)}]
    for place in ("Mexico", "Canada"):
        choose(shipping, place, "Delete")
        dialog.get_by_role("button", name="Delete").click()
        shipping.get_by_text(place).wait_for(state="detached")
    choose(taxes, "NV, United States", "Delete")
    dialog.get_by_role("button", name="Delete").click()
    taxes.get_by_text("NV, United States").wait_for(state="detached")
    after = shop.owner.call("GET", "/v1/pricing-rules")
    assert (after["tax"], after["shipping"]) == (before["tax"], before["shipping"])


@pytest.mark.hosting
def test_the_board_moves_an_order_and_the_customer_sees_it(sign_in, owner_page, quintet, shop):
    ada = quintet.sign_up(app="yesenia")
    order = shop.paid_order(ada)
    customer = sign_in(ada, "yesenia", f"/orders/{order['id']}")
    customer.locator(".step[aria-current=step]", has_text="Processing").wait_for()
    page = owner_page()
    number = number_of(order)
    page.get_by_role("button", name=f"Mark processed: {number}").click()
    page.get_by_role("region", name="Processed").get_by_role("link", name=number).wait_for()
    assert page.evaluate("document.activeElement.textContent") == number
    customer.locator(".step[aria-current=step]", has_text="Processed").wait_for()
    page.get_by_role("button", name=f"Ship: {number}").click()
    page.get_by_label("Carrier").fill("UPS")
    look(page)
    page.get_by_label("Tracking number").fill("1Z999")
    page.get_by_role("button", name="Mark as shipped").click()
    page.get_by_role("region", name="Shipped").get_by_role("link", name=number).wait_for()
    customer.get_by_text("UPS: 1Z999").wait_for()
    page.get_by_role("link", name=number).click()
    page.get_by_role("heading", name=f"Order {number}").wait_for()
    look(page)
    page.get_by_role("button", name="Mark delivered").click()
    customer.locator(".step[aria-current=step]", has_text="Delivered").wait_for()
    customer.goto("/yesenia/orders")
    customer.get_by_role("link", name=number).wait_for()
    look(customer)


def test_the_owner_adds_a_product_and_sets_its_stock(owner_page, shop):
    page = owner_page("/products")
    page.get_by_role("link", name="New product").click()
    look(page)
    title = f"Tote {uuid.uuid4().hex[:6]}"
    page.get_by_label("Name", exact=True).fill(title)
    page.get_by_label("Product type").select_option(shop.type)
    page.get_by_label("Price").fill("34.00")
    page.get_by_label("On hand").fill("5")
    page.get_by_role("button", name="Pictures").set_input_files(
        {"name": "tote.png", "mimeType": "image/png", "buffer": page.screenshot(clip={"x": 0, "y": 0, "width": 200, "height": 250})})
    page.locator(".upload").wait_for()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("heading", name=title).wait_for()
    page.get_by_label("On hand").fill("7")
    page.get_by_role("button", name="Set stock").click()
    page.get_by_text("Saved").last.wait_for()
    look(page)
    found = shop.owner.call("GET", f"/v1/products?query={title.split()[1]}")["items"]
    assert [it["available"] for it in found] == [7] and len(found[0]["images"]) == 1


def test_the_owner_writes_what_the_pages_say(owner_page, shop):
    page = owner_page("/pages")
    page.get_by_role("button", name="New post").click()
    title = f"News {uuid.uuid4().hex[:6]}"
    page.get_by_label("Title").fill(title)
    page.get_by_role("textbox", name="Text").fill("All about it.")
    look(page)
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.get_by_role("list", name="Blog").get_by_text(title).wait_for()
    for tab in ("Videos", "Tools", "Home page"):
        page.get_by_role("tab", name=tab).click()
        page.get_by_role("tabpanel").get_by_role("button").first.wait_for()
        look(page)
    page.get_by_label("Welcome").fill("Wreaths, candles and more.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("Saved").last.wait_for()
    assert shop.owner.call("GET", "/v1/site")["home"] == "Wreaths, candles and more."


def test_a_video_of_the_owners_own_is_watched_in_the_shop(open_page, owner_page, shop, tmp_path):
    file, title = tmp_path / "wreath.mp4", f"Wreath {uuid.uuid4().hex[:6]}"
    subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=10:duration=1",
                    "-pix_fmt", "yuv420p", str(file)], check=True)
    page = owner_page("/pages")
    page.get_by_role("tab", name="Videos").click()
    page.get_by_role("button", name="New video").click()
    page.get_by_role("button", name="Or a video of your own").set_input_files(str(file))
    page.get_by_text("Uploaded: wreath.mp4").wait_for(timeout=120_000)
    page.get_by_label("Title").fill(title)
    page.get_by_label("Product type").select_option(shop.type)
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    page.get_by_role("list", name="Videos").get_by_text(title).wait_for()
    customer = open_page(f"/yesenia/videos?type={shop.type}")
    customer.get_by_label(title).wait_for()
    look(customer)


def code_mailed_to(quintet, address, subject):
    """The code in the newest e-mail to an address whose subject has these words."""
    folder, end = pathlib.Path(data_folder(quintet), "mail"), time.monotonic() + 20
    while time.monotonic() < end:
        for file in sorted(folder.glob("*.eml"), reverse=True):
            message = email.message_from_bytes(file.read_bytes(), policy=email.policy.default)
            if address in message["To"] and subject in message["Subject"]:
                return re.search(r"in the app:\s+(\S+)", message.get_content())[1]
        time.sleep(0.2)
    raise AssertionError(f"no e-mail to {address} about {subject}")


def test_an_issue_reaches_who_has_confirmed_and_it_ends_the_subscription(open_page, owner_page, quintet):
    address, subject = f"rosa-{uuid.uuid4().hex[:10]}@example.com", f"Spring {uuid.uuid4().hex[:6]}"
    page = open_page("/yesenia/newsletter")
    page.get_by_label("Name").fill("Rosa Diaz")
    page.get_by_label("E-mail").fill(address)
    page.get_by_role("button", name="Subscribe").click()
    page.get_by_text("Nearly done").wait_for()
    look(page)
    page.get_by_label("Code").first.fill(code_mailed_to(quintet, address, "confirm"))
    page.get_by_role("button", name="Confirm").click()
    page.get_by_text("You are subscribed").wait_for()

    owner = owner_page("/newsletter")
    owner.get_by_label("Subject").fill(subject)
    owner.get_by_label("Text").fill("New wreaths are here.")
    look(owner)
    owner.get_by_role("button", name="Send").click()
    owner.get_by_role("dialog").get_by_role("button", name="Send").click()
    owner.get_by_role("list", name="Issues").get_by_text(subject).wait_for()

    page.get_by_text("I have a code from an e-mail").click()
    page.get_by_role("group").filter(has_text="end of each newsletter").get_by_label("Code").last.fill(
        code_mailed_to(quintet, address, subject))
    look(page)
    page.get_by_role("button", name="Unsubscribe").click()
    page.get_by_text("You will get no more newsletters").wait_for()


def test_a_wrong_code_is_refused_in_words(open_page):
    page = open_page("/yesenia/newsletter")
    page.get_by_text("I have a code from an e-mail").click()
    page.get_by_label("Code").first.fill("no-such-code")
    with page.watch.expecting(422):
        page.get_by_role("button", name="Confirm").click()
        page.get_by_text("This code is wrong, was already used or has expired.").wait_for()


def test_only_the_owner_sees_the_owners_side(sign_in, quintet):
    page = sign_in(quintet.sign_up(), "admin/shop")
    page.get_by_text("This is the owner's side of the shop").wait_for()
    look(page)


@pytest.mark.parametrize("path", ["", "blog", "videos", "shop", "cart", "tools", "newsletter", "contact", "sign-in", "sign-up"])
def test_pages_for_everyone(open_page, shop, path):
    page = open_page(f"/yesenia/{path}")
    page.get_by_role("heading", level=1).wait_for()
    page.locator("[aria-busy=true]").first.wait_for(state="detached")
    look(page)


@pytest.mark.parametrize("path", ["", "products", "import?of=posts", "rules", "letters"])
def test_pages_of_the_owner(owner_page, shop, quintet, path):
    shop.paid_order(quintet.sign_up(app="yesenia"))
    page = owner_page(f"/{path}")
    page.locator("[aria-busy=true]").first.wait_for(state="detached")
    look(page)


@pytest.mark.parametrize("language", ["de", "en-XA", "ar-XB"])
def test_other_languages(open_page, shop, language):
    page = open_page(f"/yesenia/products/{shop.wreath['id']}?language={language}")
    page.get_by_role("heading", level=1, name=shop.wreath["title"]).wait_for()
    assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar-XB" else "ltr")
    look(page)
    page.goto(f"/yesenia/?language={language}")
    page.get_by_role("heading", level=1).wait_for()
    look(page)
