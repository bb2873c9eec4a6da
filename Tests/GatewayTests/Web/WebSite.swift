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

  static let files = [
    "index.html": "<title>All</title><a href=\"{{archived}}/\"><a href=\"{{keepfit}}/\">{{assets}}/home.css</a>",
    "not-found.html": "<title>Nothing</title>",
    "archived/index.html": "<html data-base=\"{{base}}\"><script src=\"{{assets}}/archived/main.js\">",
    "archived/main.js": "// why\nimport '../shared/view.js'\n  /** one\n line */\n"
      + String(repeating: "text()\n", count: 200),
    "archived/main.test.js": "never served",
    "archived/notes.md": "never served",
    "archived/.hidden.js": "never served",
    "keepfit/index.html": "<html data-archived=\"{{archived}}\" data-account=\"{{account}}\">",
    "admin/index.html": "<html data-base=\"{{base}}\">",
    "admin/shop/index.html": "<html data-base=\"{{base}}\" data-yesenia=\"{{yesenia}}\">",
    "letustudy/index.html": "<html data-base=\"{{base}}\">",
    "letustudy/sw.js": "const shell = ['{{base}}/', '{{assets}}/letustudy/main.js']",
    "letustudy/manifest.webmanifest": "{\"start_url\":\"{{base}}/\"}",
    "shared/view.js": "export const view = 1",
    "shared/icon.svg": "<svg/>",
    "shared/sounds/done.mp3": "sound",
  ]
}
