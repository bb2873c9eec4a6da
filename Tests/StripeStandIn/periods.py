"""Billing periods: months and years end on the day on which they began, or on the last of a shorter month."""

import calendar
import datetime

DAYS = {"day": 1, "week": 7}


def after(anchor, periods, recurring):
    """The end of a number of periods after an anchor, in seconds since 1970."""
    count = periods * recurring["interval_count"]
    if days := DAYS.get(recurring["interval"]):
        return anchor + count * days * 86_400
    start = datetime.datetime.fromtimestamp(anchor, datetime.timezone.utc)
    month = start.year * 12 + start.month - 1 + count * (12 if recurring["interval"] == "year" else 1)
    year, month = divmod(month, 12)
    day = min(start.day, calendar.monthrange(year, month + 1)[1])
    return int(start.replace(year=year, month=month + 1, day=day).timestamp())
