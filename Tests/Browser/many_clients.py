"""A hook of Schemathesis: each request comes from another client, so that no limit keeps it from an answer."""
import itertools

import schemathesis

numbers = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    number = next(numbers)
    case.headers = {**(case.headers or {}), "X-Forwarded-For": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"}
