"""A shop as a seasoned Python team would write it, with the same work per checkout as ours: FastAPI, SQLAlchemy 2, uvicorn
with uvloop and httptools, and SQLite with our settings (WAL, synchronous=FULL, foreign keys, busy timeout). It is what
our figures are held against.

    python -m venv peer && peer/bin/pip install -r Tests/Benchmarks/peers/requirements.txt
    SHOP_DATA=/tmp/shop peer/bin/python Tests/Benchmarks/peers/shop.py serve 8090
    TOKEN=$(SHOP_DATA=/tmp/shop peer/bin/python Tests/Benchmarks/peers/shop.py token ada)

Every request carries an access token (ES256), which is verified each time, as PyJWT does. 1,000 products are there, each
with a stock of a thousand million.

GET /products: the 20 newest products, or the next 20 after a cursor.

    curl -s "http://127.0.0.1:8090/products?cursor=981" -H "Authorization: Bearer $TOKEN"

POST /cart/items: puts a product into the caller's open cart; answers the cart.

    curl -s http://127.0.0.1:8090/cart/items -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
        -d '{"productID": 7, "quantity": 2}'

POST /cart/checkout: turns the cart into a paid order, in one transaction: the idempotency key's row, the stock by
conditional updates, order, lines, payment, ledger entries, the outbox row, and a new cart. The same key gives the first
answer again.

    curl -s -X POST http://127.0.0.1:8090/cart/checkout -H "Authorization: Bearer $TOKEN" -H 'Idempotency-Key: k1'
"""

import hashlib
import json
import os
import sys
import time
import uuid
from pathlib import Path
from typing import Annotated

import jwt
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel, Field
from sqlalchemy import ForeignKey, Index, create_engine, event, insert, select, text, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

DATA = Path(os.environ.get("SHOP_DATA", "shop-data"))
PRODUCTS = 1000
PAGE = 20
TAX_PER_MILLION = 82_500


# MARK: tables

class Base(DeclarativeBase):
    pass


class Product(Base):
    __tablename__ = "products"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    description: Mapped[str]
    price: Mapped[int]
    currency: Mapped[str]
    stock: Mapped[int]
    created_at: Mapped[int]


class Cart(Base):
    __tablename__ = "carts"
    id: Mapped[str] = mapped_column(primary_key=True)
    owner: Mapped[str]
    status: Mapped[str]
    version: Mapped[int]
    __table_args__ = (Index("carts_open", "owner", unique=True, sqlite_where=text("status = 'open'")),)


class CartItem(Base):
    __tablename__ = "cart_items"
    cart_id: Mapped[str] = mapped_column(ForeignKey("carts.id"), primary_key=True)
    product_id: Mapped[int] = mapped_column(ForeignKey("products.id"), primary_key=True)
    quantity: Mapped[int]


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[str] = mapped_column(primary_key=True)
    owner: Mapped[str]
    cart_id: Mapped[str] = mapped_column(ForeignKey("carts.id"))
    status: Mapped[str]
    subtotal: Mapped[int]
    tax: Mapped[int]
    total: Mapped[int]
    currency: Mapped[str]
    created_at: Mapped[int]
    __table_args__ = (Index("orders_by_owner", "owner", "id"),)


class OrderLine(Base):
    __tablename__ = "order_lines"
    order_id: Mapped[str] = mapped_column(ForeignKey("orders.id"), primary_key=True)
    product_id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    quantity: Mapped[int]
    price: Mapped[int]
    tax: Mapped[int]


class Payment(Base):
    __tablename__ = "payments"
    id: Mapped[str] = mapped_column(primary_key=True)
    order_id: Mapped[str] = mapped_column(ForeignKey("orders.id"), index=True)
    status: Mapped[str]
    amount: Mapped[int]
    currency: Mapped[str]
    created_at: Mapped[int]


class LedgerEntry(Base):
    __tablename__ = "ledger_entries"
    id: Mapped[str] = mapped_column(primary_key=True)
    order_id: Mapped[str] = mapped_column(ForeignKey("orders.id"), index=True)
    account: Mapped[str]
    amount: Mapped[int]
    currency: Mapped[str]
    created_at: Mapped[int]
    __table_args__ = (Index("ledger_by_account", "account", "id"),)


class OutboxEvent(Base):
    __tablename__ = "outbox"
    id: Mapped[str] = mapped_column(primary_key=True)
    type: Mapped[str]
    subject: Mapped[str]
    data: Mapped[str]
    delivered_at: Mapped[int | None]
    created_at: Mapped[int]
    __table_args__ = (Index("outbox_waiting", "id", sqlite_where=text("delivered_at IS NULL")),)


class IdempotencyKey(Base):
    __tablename__ = "idempotency_keys"
    caller: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    fingerprint: Mapped[str]
    answer: Mapped[str]
    created_at: Mapped[int]


def engine(begin: str):
    made = create_engine(f"sqlite:///{DATA}/shop.sqlite")

    @event.listens_for(made, "connect")
    def connect(connection, _):
        # SQLAlchemy then leaves BEGIN to us.
        connection.isolation_level = None
        for setting in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(made, "begin")
    def start(connection):
        connection.exec_driver_sql(begin)

    return made


DATA.mkdir(parents=True, exist_ok=True)
reads, writes = engine("BEGIN"), engine("BEGIN IMMEDIATE")


def now() -> int:
    return time.time_ns() // 1000


def new_id() -> str:
    """A UUID of version 7."""
    milliseconds = time.time_ns() // 1_000_000
    return str(uuid.UUID(int=milliseconds << 80 | 7 << 76 | int.from_bytes(os.urandom(2)) % 4096 << 64 | 2 << 62
                         | int.from_bytes(os.urandom(8)) >> 2))


def prepare():
    Base.metadata.create_all(writes)
    with Session(writes) as session, session.begin():
        if session.scalar(select(Product.id).limit(1)) is None:
            session.execute(insert(Product), [
                dict(id=number, title=f"Product {number}", description=f"The product with the number {number}. " * 4,
                     price=500 + number * 7 % 9000, currency="USD", stock=10**9, created_at=now())
                for number in range(1, PRODUCTS + 1)
            ])


# MARK: callers

def signing_key():
    path = DATA / "key.pem"
    if not path.exists():
        key = ec.generate_private_key(ec.SECP256R1())
        path.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                                           serialization.NoEncryption()))
        path.chmod(0o600)
    return serialization.load_pem_private_key(path.read_bytes(), None)


KEY = signing_key()
PUBLIC_KEY = KEY.public_key()


def token(user: str) -> str:
    claims = {"iss": "shop", "aud": "shop", "sub": user, "iat": int(time.time()), "exp": int(time.time()) + 86_400}
    return jwt.encode(claims, KEY, "ES256", headers={"typ": "at+jwt"})


async def caller(authorization: Annotated[str, Header()] = "") -> str:
    scheme, _, value = authorization.partition(" ")
    try:
        if scheme.lower() != "bearer":
            raise jwt.InvalidTokenError
        return jwt.decode(value, PUBLIC_KEY, ["ES256"], audience="shop", issuer="shop")["sub"]
    except jwt.InvalidTokenError:
        raise HTTPException(401, "A valid bearer token is required")


Caller = Annotated[str, Depends(caller)]


# MARK: endpoints
#
# They are `async` and call SQLite directly: with one worker that is faster than a thread per request, because writes wait
# for each other anyway.

app = FastAPI()


class NewItem(BaseModel):
    productID: int
    quantity: int = Field(1, ge=1, le=999)


def open_cart(session: Session, user: str) -> str:
    cart = session.scalar(select(Cart.id).where(Cart.owner == user, Cart.status == "open"))
    if cart is None:
        cart = new_id()
        session.execute(insert(Cart).values(id=cart, owner=user, status="open", version=1))
    return cart


def lines_of(session: Session, cart: str):
    return session.execute(
        select(CartItem.product_id, CartItem.quantity, Product.title, Product.price, Product.currency)
        .join(Product, Product.id == CartItem.product_id)
        .where(CartItem.cart_id == cart)
        .order_by(CartItem.product_id)
    ).all()


@app.get("/products")
async def products(_: Caller, cursor: int | None = None):
    query = select(Product.id, Product.title, Product.price, Product.currency, Product.stock, Product.created_at)
    if cursor is not None:
        query = query.where(Product.id < cursor)
    with Session(reads) as session:
        found = session.execute(query.order_by(Product.id.desc()).limit(PAGE + 1)).all()
    items = [
        {"id": row.id, "title": row.title, "price": {"amount": row.price, "currency": row.currency},
         "available": row.stock, "createdAt": row.created_at}
        for row in found[:PAGE]
    ]
    return {"items": items, "nextCursor": found[PAGE - 1].id if len(found) > PAGE else None}


@app.post("/cart/items")
async def add_item(item: NewItem, user: Caller):
    with Session(writes) as session, session.begin():
        if session.scalar(select(Product.id).where(Product.id == item.productID)) is None:
            raise HTTPException(404, "There is no such product")
        cart = open_cart(session, user)
        present = session.execute(
            update(CartItem)
            .where(CartItem.cart_id == cart, CartItem.product_id == item.productID)
            .values(quantity=CartItem.quantity + item.quantity)
        )
        if present.rowcount == 0:
            session.execute(insert(CartItem).values(cart_id=cart, product_id=item.productID, quantity=item.quantity))
        session.execute(update(Cart).where(Cart.id == cart).values(version=Cart.version + 1))
        lines = lines_of(session, cart)
    return {
        "id": cart,
        "items": [
            {"productID": line.product_id, "title": line.title, "quantity": line.quantity,
             "price": {"amount": line.price, "currency": line.currency}}
            for line in lines
        ],
        "subtotal": {"amount": sum(line.quantity * line.price for line in lines), "currency": "USD"},
    }


@app.post("/cart/checkout", status_code=201)
async def check_out(user: Caller, idempotency_key: Annotated[str, Header(min_length=1, max_length=255)]):
    fingerprint = hashlib.sha256(b"POST /cart/checkout\n").hexdigest()
    with Session(writes) as session, session.begin():
        known = session.execute(
            select(IdempotencyKey.fingerprint, IdempotencyKey.answer)
            .where(IdempotencyKey.caller == user, IdempotencyKey.key == idempotency_key)
        ).first()
        if known is not None:
            if known.fingerprint != fingerprint:
                raise HTTPException(422, "The key was used for another request")
            return json.loads(known.answer)
        return place_order(session, user, idempotency_key, fingerprint)


def place_order(session: Session, user: str, key: str, fingerprint: str):
    moment = now()
    cart = open_cart(session, user)
    lines = lines_of(session, cart)
    if not lines:
        raise HTTPException(409, "There is nothing in the cart")
    for line in lines:
        taken = session.execute(
            update(Product)
            .where(Product.id == line.product_id, Product.stock >= line.quantity)
            .values(stock=Product.stock - line.quantity)
        )
        if taken.rowcount == 0:
            raise HTTPException(409, "Insufficient stock")

    order, currency = new_id(), lines[0].currency
    taxes = [(line.quantity * line.price * TAX_PER_MILLION + 500_000) // 1_000_000 for line in lines]
    subtotal, tax = sum(line.quantity * line.price for line in lines), sum(taxes)
    total = subtotal + tax
    session.execute(insert(Order).values(
        id=order, owner=user, cart_id=cart, status="paid", subtotal=subtotal, tax=tax, total=total, currency=currency,
        created_at=moment))
    session.execute(insert(OrderLine), [
        dict(order_id=order, product_id=line.product_id, title=line.title, quantity=line.quantity, price=line.price,
             tax=line_tax)
        for line, line_tax in zip(lines, taxes)
    ])
    session.execute(insert(Payment).values(
        id=new_id(), order_id=order, status="captured", amount=total, currency=currency, created_at=moment))
    # Double entry: the sums of debits and credits are the same.
    session.execute(insert(LedgerEntry), [
        dict(id=new_id(), order_id=order, account=account, amount=amount, currency=currency, created_at=moment)
        for account, amount in (("provider", total), ("revenue", -subtotal), ("tax", -tax))
    ])
    session.execute(insert(OutboxEvent).values(
        id=new_id(), type="order-placed", subject=order, data=json.dumps({"order": order, "total": total}),
        delivered_at=None, created_at=moment))
    session.execute(update(Cart).where(Cart.id == cart).values(status="closed", version=Cart.version + 1))
    session.execute(insert(Cart).values(id=new_id(), owner=user, status="open", version=1))
    answer = {
        "id": order,
        "status": "paid",
        "lines": [
            {"productID": line.product_id, "title": line.title, "quantity": line.quantity,
             "price": {"amount": line.price, "currency": currency}, "tax": {"amount": line_tax, "currency": currency}}
            for line, line_tax in zip(lines, taxes)
        ],
        "subtotal": {"amount": subtotal, "currency": currency},
        "tax": {"amount": tax, "currency": currency},
        "total": {"amount": total, "currency": currency},
        "createdAt": moment,
    }
    session.execute(insert(IdempotencyKey).values(
        caller=user, key=key, fingerprint=fingerprint, answer=json.dumps(answer), created_at=moment))
    return answer


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", port]:
            prepare()
            uvicorn.run(app, host="127.0.0.1", port=int(port), loop="uvloop", http="httptools", access_log=False,
                        log_level="warning")
        case ["token", user]:
            print(token(user))
        case _:
            sys.exit("shop.py serve PORT | shop.py token USER")
