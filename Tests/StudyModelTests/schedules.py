"""Prints as JSON lines what PyPI's `fsrs` makes of random histories: schedules.py SEED COUNT.

A line has the scheduler's settings and per review [time, rating, state, step, stability, difficulty, due, another time,
retrievability then], times in milliseconds since 1970, step -1 for none."""
import json
import random
import sys
from datetime import datetime, timedelta, timezone

from fsrs import Card, Rating, Scheduler
from fsrs.scheduler import DEFAULT_PARAMETERS, LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS

seed, count = int(sys.argv[1]), int(sys.argv[2])
choose = random.Random(seed)
epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
millisecond = timedelta(milliseconds=1)
day = 86_400_000


def weights():
    if choose.random() < 0.5:
        return DEFAULT_PARAMETERS
    near = [value * choose.uniform(0.6, 1.6) for value in DEFAULT_PARAMETERS]
    return [min(max(*pair), high) for *pair, high in zip(near, LOWER_BOUNDS_PARAMETERS, UPPER_BOUNDS_PARAMETERS)]


def steps(usual):
    drawn = choose.random()
    if drawn < 0.6:
        return usual
    return [choose.randint(1, 7200) for _ in range(choose.randint(0, 4))]


def next_time(now, due):
    drawn = choose.random()
    if drawn < 0.5:
        return due
    if drawn < 0.6:
        return now + choose.randint(0, 3_600_000)
    if drawn < 0.62:
        return now - choose.randint(0, 3 * day)
    if drawn < 0.65:
        return now + choose.randint(-1, 1) + day
    return now + int((due - now) * choose.uniform(0.2, 2)) + choose.randint(0, day)


for _ in range(count):
    settings = {
        "weights": list(weights()),
        "retention": round(choose.uniform(0.7, 0.97), 3) if choose.random() < 0.5 else 0.9,
        "learning": steps([60, 600]),
        "relearning": steps([600]),
        "maximum": choose.choice([36500, 36500, 36500, 365, 30, 1]),
    }
    scheduler = Scheduler(
        settings["weights"], settings["retention"], [timedelta(seconds=step) for step in settings["learning"]],
        [timedelta(seconds=step) for step in settings["relearning"]], settings["maximum"], enable_fuzzing=False)
    card = Card(card_id=1)
    now = choose.randint(0, 47_000 * day)
    reviews = []
    for _ in range(choose.randint(1, 20)):
        rating = choose.choices([1, 2, 3, 4], [2, 2, 5, 1])[0]
        card, _log = scheduler.review_card(card, Rating(rating), epoch + now * millisecond)
        due = (card.due - epoch) // millisecond
        probe = now + choose.randint(-day, 100 * day)
        reviews.append([
            now, rating, int(card.state), -1 if card.step is None else card.step, card.stability, card.difficulty, due,
            probe, scheduler.get_card_retrievability(card, epoch + probe * millisecond)])
        now = next_time(now, due)
        # Beyond 3000, sums would leave the years that Python knows.
        if not 0 <= now < 376_200 * day:
            break
    print(json.dumps({**settings, "reviews": reviews}, separators=(",", ":")))
