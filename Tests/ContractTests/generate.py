"""Prints requests that follow an OpenAPI document, as JSON lines; a generator that knows nothing else of the API.

    generate.py openapi.json COUNT SEED      COUNT requests per operation with a JSON body
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
count, chosen = int(sys.argv[2]), int(sys.argv[3])


def resolved(schema, depth=0):
    """The schema with its references replaced; deep inside a recursive type nothing more is allowed."""
    if isinstance(schema, list):
        return [resolved(item, depth) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return resolved(document["components"]["schemas"][name], depth + 1) if depth < 8 else {"type": "null"}
    result = {key: resolved(value, depth) for key, value in schema.items() if key != "examples"}
    if result.get("type") == "object" and "additionalProperties" not in result:
        result["additionalProperties"] = False
    return result


for path, methods in document["paths"].items():
    for method, operation in methods.items():
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        if schema is None:
            continue
        parameters = [p for p in operation.get("parameters", []) if p["in"] in ("path", "query") and p["required"]]
        place = strategies.fixed_dictionaries({p["name"]: from_schema(resolved(p["schema"])) for p in parameters})

        @seed(chosen)
        @settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate],
                  suppress_health_check=list(HealthCheck))
        @given(place, from_schema(resolved(schema)))
        def emit(place, body):
            target, query = path, {}
            for name, value in place.items():
                if "{" + name + "}" in target:
                    target = target.replace("{" + name + "}", quote(str(value), safe=""))
                else:
                    query[name] = value
            target += "?" + urlencode(query) if query else ""
            print(json.dumps({"operation": operation["operationId"], "method": method.upper(), "path": target,
                              "keyed": any(p["name"] == "Idempotency-Key" for p in operation.get("parameters", [])),
                              "body": json.dumps(body)}))

        emit()
