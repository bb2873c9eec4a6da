import Contracts
import Crypto
import Foundation
import HTTPTypes
import HummingbirdCore
import ServiceKit
import Synchronization

/// The platform's OpenAPI document and an HTML page of it, both generated when they are first asked for.
final class Documentation: Feature {
  private struct Rendered {
    var json: [UInt8]
    var page: [UInt8]
  }

  private struct State {
    var services: [ServiceDescription] = []
    var rendered: Rendered?
  }

  private let own: ServiceDescription
  private let state = Mutex(State())

  /// - Parameter own: What the gateway serves itself.
  init(own: ServiceDescription) { self.own = own }

  /// Replaces the described services.
  func describe(_ services: [ServiceDescription]) { state.withLock { $0 = State(services: services) } }

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.openAPI) { [self] request, _ in
      .content(
        Content(mediaType: "application/json; charset=utf-8", bytes: try rendered().json), caching: .shared, to: request
      )
    }
    routes.on(GatewayAPI.documentation) { [self] request, _ in
      let page = Content(mediaType: "text/html; charset=utf-8", bytes: try rendered().page)
      var response = Response.content(page, caching: .shared, to: request)
      response.headers[.contentSecurityPolicy] = DocumentationPage.policy
      return response
    }
  }

  private func rendered() throws -> Rendered {
    let (services, known) = state.withLock { ($0.services, $0.rendered) }
    if let known { return known }
    let document = OpenAPIDocument.merged((services + [own]).map { ($0.name, $0.openAPI) })
    let rendered = Rendered(
      json: try WireJSON.encode(document), page: Array(DocumentationPage(document).html.utf8)
    )
    state.withLock { if $0.services == services { $0.rendered = rendered } }
    return rendered
  }
}

/// Renders an OpenAPI document as one HTML page without scripts.
private struct DocumentationPage {
  private let document: JSONValue

  init(_ document: JSONValue) { self.document = document }

  var html: String {
    """
    <!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
    <title>Quintet API</title><style>\(Self.style)</style></head><body><main>
    <h1>Quintet API</h1>
    <p>All operations of the platform. Machine-readable: <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).
    Errors are <code>application/problem+json</code> (RFC 9457). \(escape(document["info"]?["description"]?.string))</p>
    \(scopes)\(tags.map(section).joined())
    <h2>Types</h2>\(schemas.map { type($0.name, $0.value) }.joined())
    </main></body></html>
    """
  }

  /// Allows this style, and nothing else.
  static let policy: String = {
    let hash = Data(SHA256.hash(data: Data(style.utf8))).base64EncodedString()
    return "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
  }()

  private static let style = """
    body{font:16px/1.5 system-ui,sans-serif;color:#1c1c1e;background:#fff;margin:0}main{max-width:52rem;margin:0 auto;padding:2rem 1rem}
    h2{margin-top:3rem;border-bottom:1px solid #ddd}h3{margin:2rem 0 .3rem}code,pre{font:14px/1.5 ui-monospace,monospace}
    .method{display:inline-block;min-width:4.2rem;font-weight:600;color:#0b5cad}table{border-collapse:collapse;margin:.4rem 0 1rem}
    td,th{text-align:left;padding:.15rem 1.2rem .15rem 0;vertical-align:top}th{font-weight:600;color:#555}.note{color:#555}
    @media(prefers-color-scheme:dark){body{color:#eee;background:#1c1c1e}h2{border-color:#444}.method{color:#6cb6ff}th,.note{color:#aaa}a{color:#6cb6ff}}
    """

  private func members(_ value: JSONValue?) -> [JSONValue.Member] { value?.members ?? [] }
  private func elements(_ value: JSONValue?) -> [JSONValue] { value?.elements ?? [] }
  private var tags: [JSONValue] { elements(document["tags"]) }
  private var schemas: [JSONValue.Member] { members(document["components"]?["schemas"]) }

  private func section(_ tag: JSONValue) -> String {
    let operations = members(document["paths"]).flatMap { path in
      members(path.value).filter { elements($0.value["tags"]).contains(tag["name"] ?? .null) }
        .map { operation($0.name.uppercased(), path.name, $0.value) }
    }
    return "<h2>\(escape(tag["name"]?.string))</h2><p>\(escape(tag["description"]?.string))</p>" + operations.joined()
  }

  private func operation(_ method: String, _ path: String, _ operation: JSONValue) -> String {
    var rows = elements(operation["parameters"]).map { parameter in
      row(
        escape(parameter["name"]?.string) + " <span class=note>\(escape(parameter["in"]?.string))</span>",
        kind(parameter["schema"])
      )
    }
    if let body = operation["requestBody"]?["content"]?["application/json"]?["schema"] {
      rows.append(row("body", kind(body)))
    }
    for response in members(operation["responses"]) {
      let schema = response.value["content"]?["application/json"]?["schema"]
      rows.append(
        row("→ \(escape(response.name))", schema.map { kind($0) } ?? escape(response.value["description"]?.string))
      )
    }
    return """
      <h3><span class="method">\(escape(method))</span> <code>\(escape(path))</code></h3>
      <p>\(escape(operation["summary"]?.string)).\(note(on: elements(operation["security"])))</p>
      <table>\(rows.joined())</table>
      """
  }

  private func note(on security: [JSONValue]) -> String {
    guard let token = security.compactMap({ $0["bearer"] }).first else { return "" }
    let scopes = elements(token).map { "<code>\(escape($0.string))</code>" }.joined(separator: ", ")
    let name = scopes.isEmpty ? "a bearer token" : "a bearer token with the scope \(scopes)"
    let isOptional = security.contains(.object([JSONValue.Member]()))
    return " <span class=note>\(isOptional ? "Takes" : "Needs") \(name).</span>"
  }

  /// Which app's tokens have which scope.
  private var scopes: String {
    let apps = ClientApp.allCases
    let head = "<tr><th>scope</th>\(apps.map { "<th>\($0.rawValue)</th>" }.joined())<th>covers</th></tr>"
    let rows = Scope.allCases.map { scope in
      let marks = apps.map { "<td>\($0.scopes.contains(scope) ? "yes" : "")</td>" }.joined()
      return "<tr><td><code>\(scope.rawValue)</code></td>\(marks)<td>\(escape(scope.summary))</td></tr>"
    }
    return """
      <h2 id="scopes">Scopes</h2>
      <p>A token permits what the scopes of its app cover; anything else answers 403 <code>scope-missing</code>.</p>
      <table>\(head)\(rows.joined())</table>
      """
  }

  private func type(_ name: String, _ schema: JSONValue) -> String {
    let required = elements(schema["required"]).compactMap(\.string)
    let rows = members(schema["properties"]).map { property in
      row(
        escape(property.name) + (required.contains(property.name) ? "" : " <span class=note>optional</span>"),
        kind(property.value)
      )
    }
    return "<h3 id=\"\(escape(name))\"><code>\(escape(name))</code></h3><table>\(rows.joined())</table>"
  }

  private func row(_ name: String, _ content: String) -> String { "<tr><th>\(name)</th><td>\(content)</td></tr>" }

  private func kind(_ schema: JSONValue?) -> String {
    guard let schema else { return "" }
    if let name = schema["$ref"]?.string?.split(separator: "/").last {
      return "<a href=\"#\(escape(String(name)))\">\(escape(String(name)))</a>"
    }
    if let items = schema["items"] { return "array of \(kind(items))" }
    let words = elements(schema["enum"]).compactMap(\.string)
    if !words.isEmpty { return words.map { "<code>\(escape($0))</code>" }.joined(separator: ", ") }
    let types = schema["type"]?.string.map { [$0] } ?? elements(schema["type"]).compactMap(\.string)
    let format = schema["format"]?.string.map { " (\($0))" } ?? ""
    return escape(types.joined(separator: " or ") + format)
  }

  private func escape(_ text: String?) -> String { (text ?? "").htmlEscaped }
}
