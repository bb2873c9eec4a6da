import AuthService
import Foundation
import TestKit
import WebClient

@testable import GatewayService

/// A gateway that serves a few made-up files as its client.
struct WebSite {
  let web: TestPlatform.Web
  let build: String

  func get(_ path: String, _ headers: [String: String] = [:], method: String = "GET", host: String = "a") async throws
    -> RawResponse
  {
    let connection = try RawConnection(to: web.url)
    let lines = ["\(method) \(path) HTTP/1.1", "Host: \(host)", "Connection: close"] + headers.map { "\($0): \($1)" }
    connection.send(lines.map { "\($0)\r\n" }.joined() + "\r\n")
    return try RawResponse(await connection.receiveAll())
  }

  static func run(
    _ settings: [String: String] = [:], files: [String: String] = Self.files, _ body: (WebSite) async throws -> Void
  ) async throws {
    try await TemporaryFolder.run { folder async throws in
      try Self.write(files, to: folder)
      let all = ["web.root": folder].merging(settings) { $1 }
      try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self], settings: all) { _, web in
        try await body(WebSite(web: web, build: try WebClient.load(folder).build))
      }
    }
  }

  static func write(_ files: [String: String], to folder: String) throws {
    for (path, text) in files {
      let url = URL(fileURLWithPath: "\(folder)/\(path)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: url, atomically: true, encoding: .utf8)
    }
  }

  /// The page of an app, as the template makes it.
  func page(_ title: String, base: String, archived: String = "/archived", yesenia: String = "/yesenia") -> String {
    "<html data-base=\"\(base)\" data-archived=\"\(archived)\" data-yesenia=\"\(yesenia)\"><title>\(title)</title>"
      + "<link rel=\"stylesheet\" href=\"/assets/\(build)/archived/style.css\" />"
      + "<script src=\"/assets/\(build)/archived/main.js\">"
  }

  /// Of a page whose files are those of archived.
  private static func manifest(_ title: String) -> String {
    """
    {"title": "\(title)", "description": "It is \(title)", "icon": "shared/icon.svg", "styles": ["archived/style.css"],
    "script": "archived/main.js"}
    """
  }

  static let files = [
    "index.html": "<title>All</title><a href=\"{{archived}}/\"><a href=\"{{keepfit}}/\">{{assets}}/home.css</a>",
    "not-found.html": "<title>Nothing</title>",
    "page.html": "<html data-base=\"{{base}}\" data-archived=\"{{archived}}\" data-yesenia=\"{{yesenia}}\">"
      + "<title>{{title}}</title>{{links}}<script src=\"{{assets}}/{{script}}\">",
    "archived/page.json": #"{"title":"Archived","description":"Beats"}"#,
    "archived/icon.svg": "<svg/>",
    "archived/style.css": "a{}",
    "archived/main.js": "// why\nimport '../shared/view.js'\n  /** one\n line */\n"
      + String(repeating: "text()\n", count: 200),
    "archived/main.test.js": "never served",
    "archived/notes.md": "never served",
    "archived/.hidden.js": "never served",
    "keepfit/page.json": Self.manifest("KeepFit"),
    "admin/page.json": Self.manifest("Office"),
    "admin/shop/page.json": Self.manifest("Shop"),
    "letustudy/page.json": Self.manifest("LetuStudy"),
    "letustudy/sw.js": "const shell = ['{{base}}/', '{{assets}}/letustudy/main.js']",
    "letustudy/manifest.webmanifest": "{\"start_url\":\"{{base}}/\"}",
    "shared/view.js": "export const view = 1",
    "shared/icon.svg": "<svg/>",
    "shared/sounds/done.mp3": "sound",
  ]
}
