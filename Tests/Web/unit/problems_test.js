// @ts-check
import "./document.js";
import assert from "node:assert/strict";
import { json, withGateway } from "./gateway.js";

Object.defineProperty(navigator, "languages", { value: ["de-DE"] });
const { call } = await import("../../../Services/Web/Client/shared/api.js");
const { problemText } = await import("../../../Services/Web/Client/shared/components/states.js");
const { default: german } = await import("../../../Services/Web/Client/shared/strings/problems-de.js");

const root = new URL("../../../", import.meta.url);

/** @param {URL} folder @param {string} end @returns {AsyncGenerator<string>} the texts of the files below it */
async function* filesIn(folder, end) {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* filesIn(new URL(`${name}/`, folder), end);
    else if (name.endsWith(end)) yield await Deno.readTextFile(new URL(name, folder));
  }
}

/** What is found in files by the groups of a pattern. @param {string} folder @param {string} end @param {RegExp} pattern */
async function find(folder, end, pattern) {
  const texts = await Array.fromAsync(filesIn(new URL(folder, root), end));
  return new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((it) => it[1])));
}

/** @returns {Promise<Map<string, string[]>>} the problems of each operation, as `GET /v1/…` */
async function problemsOfOperations() {
  const documents = await Array.fromAsync(filesIn(new URL("Tests/ContractTests/Goldens/openapi/", root), ".json"));
  return new Map(
    documents.flatMap((text) =>
      Object.entries(JSON.parse(text).paths).flatMap(([path, operations]) =>
        Object.entries(operations).map(([method, { responses }]) => {
          const answers = /** @type {any[]} */ (Object.values(responses ?? {}));
          const codes = answers.flatMap((it) => Object.keys(it.content?.["application/problem+json"]?.examples ?? {}));
          return /** @type {const} */ ([`${method.toUpperCase()} ${path}`, codes]);
        })
      )
    ),
  );
}

const KIND = /Self\(\s*"([a-z-]+)",\s*status:/g;

Deno.test("every problem that a page can meet has a German text", async () => {
  const problems = await problemsOfOperations();
  const called = await find("Services/Web/Client/", ".js", /["`]((?:GET|POST|PUT|PATCH|DELETE) \/v1\/[^"`]*)["`]/g);
  // the pieces of files are sent without `call`
  const operations = [...called, ...[...problems.keys()].filter((it) => it.includes("/v1/uploads"))];
  const ofAll = await find("Shared/Contracts/Core/", ".swift", KIND);
  const codes = new Set([...ofAll, ...operations.flatMap((it) => problems.get(it) ?? [])]);
  assert.ok(codes.size > 200 && ofAll.size > 20);
  assert.deepEqual([...codes].filter((it) => !(it in german)).sort(), []);
});

Deno.test("there is a problem for each German text", async () => {
  const known = await find("Shared/Contracts/", ".swift", KIND);
  assert.deepEqual(Object.keys(german).filter((it) => !known.has(it)), []);
});

Deno.test("there is a problem for each text of an app about one", async () => {
  const known = await find("Shared/Contracts/", ".swift", KIND);
  const texts = await find("Services/Web/Client/", "en.js", /"problem-([a-z-]+)":/g);
  assert.ok(texts.size > 30);
  assert.deepEqual([...texts].filter((it) => !known.has(it)), []);
});

Deno.test("a problem is shown in German", () =>
  withGateway(
    (_, index) =>
      json({ code: index ? "of-a-newer-platform" : "order-not-paid", title: "The order", detail: "Is not paid" }, 409),
    async () => {
      const refused = () => call("GET /v1/users/me").catch(problemText);
      assert.equal(await refused(), "Die Bestellung ist nicht bezahlt.");
      assert.equal(await refused(), "Is not paid");
    },
  ));
