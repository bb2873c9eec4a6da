// @ts-check
/**
 * Writes api.d.ts, the types of the public API, from the OpenAPI goldens:
 *
 *   deno run --allow-read --allow-write Services/Web/Types/generate.js
 *
 * With --check it only compares. It runs in deno, which also checks, lints, formats and tests the client.
 */
const goldens = new URL("../../../Tests/ContractTests/Goldens/openapi/", import.meta.url);
const target = new URL("api.d.ts", import.meta.url);

/** @typedef {Record<string, any>} JSONObject */

/** @param {string} name */
const identifier = (name) => name.replace("API.", "").replaceAll(".", "");

/** @param {string} key */
const property = (key) => /^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key);

/**
 * @param {JSONObject} schema
 * @returns {string}
 */
function type(schema) {
  if (schema.$ref) return identifier(schema.$ref.split("/").at(-1));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((/** @type {unknown} */ it) => JSON.stringify(it)).join(" | ");
  if (schema.properties) return object(schema);
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return options.map(type).join(" | ");
  if (schema.allOf) return schema.allOf.map(type).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((it) => type({ ...schema, type: it })).join(" | ");
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array":
      return `(${type(schema.items ?? {})})[]`.replace(/^\((\w+)\)/, "$1");
    case "object":
      return object(schema);
    default:
      return "unknown";
  }
}

/** @param {JSONObject} schema */
function object(schema) {
  const required = new Set(schema.required ?? []);
  const members = Object.entries(schema.properties ?? {}).map(([key, it]) =>
    `${property(key)}${required.has(key) ? "" : "?"}: ${type(it)}`
  );
  if (schema.additionalProperties) members.push(`[key: string]: ${type(schema.additionalProperties)}`);
  return members.length ? `{ ${members.join("; ")} }` : "Record<string, never>";
}

/**
 * @param {JSONObject} document
 * @param {JSONObject} operation
 */
function operationType(document, operation) {
  const resolve = (/** @type {JSONObject} */ it) =>
    it.$ref
      ? it.$ref.split("/").slice(1).reduce((/** @type {any} */ at, /** @type {string} */ key) => at[key], document)
      : it;
  const parameters = (operation.parameters ?? []).map(resolve);
  const args = parameters
    .filter((/** @type {JSONObject} */ it) => it.in === "path" || it.in === "query")
    .map((/** @type {JSONObject} */ it) => `${property(it.name)}${it.required ? "" : "?"}: ${type(it.schema)}`);
  /** @type {[string, any][]} */
  const body = operation.requestBody && Object.entries(resolve(operation.requestBody).content);
  if (body) {
    const json = body.find(([kind]) => kind === "application/json" || kind === "application/merge-patch+json");
    const others = body.filter(([kind]) => !kind.includes("json") && !kind.includes("urlencoded"));
    const types = [...(json ? [type(json[1].schema ?? {})] : []), ...(others.length ? ["Blob", "string"] : [])];
    args.push(`body${resolve(operation.requestBody).required ? "" : "?"}: ${types.join(" | ")}`);
  }
  const headers = parameters.map((/** @type {JSONObject} */ it) => it.name);
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const content = success ? Object.values(resolve(success[1]).content ?? {})[0] : undefined;
  const kind = success ? Object.keys(resolve(success[1]).content ?? {})[0] : undefined;
  const response = !content ? "void" : kind?.includes("json") ? type(content.schema ?? {}) : "Blob";
  return [
    `args: ${args.length ? `{ ${args.join("; ")} }` : "Record<never, never>"}`,
    `response: ${response}`,
    ...(headers.includes("If-Match") ? ["hasVersion: true"] : []),
    ...(headers.includes("Idempotency-Key") ? ["isKeyed: true"] : []),
  ].join("; ");
}

/** @type {Map<string, string>} */
const types = new Map();
/** @type {string[]} */
const operations = [];
for (const entry of [...Deno.readDirSync(goldens)].sort((a, b) => a.name < b.name ? -1 : 1)) {
  const document = JSON.parse(Deno.readTextFileSync(new URL(entry.name, goldens)));
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const text = type(/** @type {any} */ (schema));
    const known = types.get(identifier(name));
    if (known !== undefined && known !== text) throw new Error(`two types are named ${identifier(name)}`);
    types.set(identifier(name), text);
  }
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith("/v1/")) continue;
    for (const [method, operation] of Object.entries(/** @type {JSONObject} */ (methods))) {
      if (method === "parameters") continue;
      operations.push(
        `  /** ${operation.summary ?? operation.operationId} */\n` +
          `  "${method.toUpperCase()} ${path}": { ${operationType(document, operation)} };`,
      );
    }
  }
}

const text = [
  "// Made by generate.js from the OpenAPI documents in Tests/ContractTests/Goldens; do not edit.",
  ...[...types].sort(([a], [b]) => a < b ? -1 : 1).map(([name, it]) => `export type ${name} = ${it};`),
  `export interface Operations {\n${operations.join("\n")}\n}`,
].join("\n\n") + "\n";

const old = await Deno.readTextFile(target).catch(() => "");
if (!Deno.args.includes("--check")) Deno.writeTextFileSync(target, text);
else if (old !== text) {
  console.error("api.d.ts is not what the OpenAPI documents say: run generate.js");
  Deno.exit(1);
}
