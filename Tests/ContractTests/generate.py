"""Prints requests that follow an OpenAPI document, as JSON lines; a generator that knows nothing else of the API.

    generate.py openapi.json COUNT SEED      COUNT requests per operation that takes a body or returns a file
    generate.py openapi.json COUNT SEED all  ... per operation
"""
import json
import sys
import warnings
from urllib.parse import quote, urlencode

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies
from hypothesis_jsonschema import from_schema

warnings.filterwarnings("ignore")
document = json.load(open(sys.argv[1]))
count, chosen, isForAll = int(sys.argv[2]), int(sys.argv[3]), "all" in sys.argv[4:]


def resolved(schema, depth=0):
    """The schema with its references replaced; deep inside a recursive type nothing more is allowed."""
    if isinstance(schema, list):
        return [resolved(item, depth) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return resolved(document["components"]["schemas"][name], depth + 1) if depth < 8 else {"type": "null"}
    # A pattern says more than a format, whose values it would mostly refuse.
    unused = ("examples", "format") if "pattern" in schema else ("examples",)
    result = {key: resolved(value, depth) for key, value in schema.items() if key not in unused}
    if result.get("type") == "object" and "additionalProperties" not in result:
        result["additionalProperties"] = False
    return result


def body_of(operation):
    """The media type of an operation's body, and what generates its text; `None` for operations without one."""
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        return "application/json", from_schema(resolved(content["application/json"]["schema"])).map(json.dumps)
    raw = "application/offset+octet-stream"
    return (raw, strategies.text(alphabet="RIFFWAVE0123", max_size=300)) if raw in content else None


def parameters_of(operation, locations, required):
    found = [p for p in operation.get("parameters", []) if p["in"] in locations and p["required"] == required]
    return {(p["in"], p["name"]): from_schema(resolved(p["schema"])) for p in found}


def examples_of(operation):
    """What generates the values that the document gives as examples of optional header fields."""
    found = [p for p in operation.get("parameters", []) if p["in"] == "header" and not p["required"]]
    return {(p["in"], p["name"]): strategies.sampled_from(p["schema"]["examples"])
            for p in found if "examples" in p["schema"]}


def is_sendable(value):
    return str(value).isascii() and str(value).isprintable() and str(value).strip() == str(value)


for path, methods in document["paths"].items():
    for method, operation in methods.items():
        body = body_of(operation)
        isFile = "206" in operation["responses"]
        if body is None and not isFile and not isForAll:
            continue
        media_type, text = body or (None, strategies.none())
        # Optional header fields are part of the requests whose bodies or responses are not JSON.
        isPlain = media_type != "application/json"
        needed = parameters_of(operation, ("path", "query") + (("header",) if isPlain else ()), True)
        optional = parameters_of(operation, ("header",) if isPlain else (), False)
        fields = strategies.fixed_dictionaries(needed, optional=optional)
        if isFile and body is None:
            # What is generated seldom asks for bytes that a file has; the document's example does.
            fields = fields | strategies.fixed_dictionaries(needed | examples_of(operation))

        @seed(chosen)
        @settings(max_examples=3 * count if isPlain else count, database=None, deadline=None, phases=[Phase.generate],
                  suppress_health_check=list(HealthCheck))
        @given(fields, text)
        def emit(fields, text):
            target, query, headers = path, {}, {}
            for (location, name), value in fields.items():
                if location == "path":
                    target = target.replace("{" + name + "}", quote(str(value), safe=""))
                elif location == "query":
                    query[name] = value
                elif is_sendable(value):
                    headers[name] = str(value)
            target += "?" + urlencode(query) if query else ""
            print(json.dumps({"operation": operation["operationId"], "method": method.upper(), "path": target,
                              "keyed": any(p["name"] == "Idempotency-Key" for p in operation.get("parameters", [])),
                              "headers": headers, "type": media_type, "body": text}))

        emit()
