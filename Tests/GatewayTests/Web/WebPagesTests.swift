import AuthService
import Contracts
import CurlClient
import Foundation
import HTTPTypes
import NIOCore
import ServiceKit
import TestKit
import Testing
import WebClient

@testable import GatewayService

/// Pages and files of the client as browsers get them.
@Suite(.serialized)
struct WebPagesTests {
  private static let common = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; \
    connect-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'
    """
  private static let policy = common + "; trusted-types 'none'"

  // MARK: pages

  @Test(arguments: [false, true]) func everyPathOfAnAppIsItsPage(isFast: Bool) async throws {
    try await WebSite.run(["edge.fast": "\(isFast)"]) { site async throws in
      for path in ["/archived/", "/archived/listings/1", "/archived/a/b/c?d=e", "/archived/%2e%2e/x"] {
        let page = try await site.get(path)
        #expect(page.status == 200, "\(path)")
        #expect(page.headers["content-type"] == "text/html; charset=utf-8")
        #expect(page.headers["cache-control"] == "no-cache")
        #expect(page.headers["content-security-policy"] == Self.policy)
        #expect(page.headers["cross-origin-opener-policy"] == "same-origin")
        #expect(page.headers["x-content-type-options"] == "nosniff")
        #expect(page.headers["referrer-policy"] == "no-referrer")
        #expect(page.headers["x-frame-options"] == "DENY")
        #expect(page.headers["set-cookie"] == nil)
        #expect(page.body == site.page("Archived", base: "/archived"))
        let tag = try #require(page.headers["etag"])
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
          let same = try await site.get(path, ["If-None-Match": known])
          #expect(same.status == 304, "\(known)")
          #expect(same.headers["etag"] == tag)
          #expect(same.body.isEmpty)
        }
        #expect(try await site.get(path, ["If-None-Match": "\"other\""]).status == 200)
        let head = try await site.get(path, method: "HEAD")
        #expect(head.status == 200)
        #expect(head.headers["content-length"] == page.headers["content-length"])
        #expect(head.body.isEmpty)
      }
      let moved = try await site.get("/archived?a=b")
      #expect(moved.status == 308)
      #expect(moved.headers["location"] == "/archived/?a=b")
      #expect(try await site.get("/archived/", method: "POST").status == 404)
      // An app without pages.
      #expect(try await site.get("/roomi/").status == 404)
      #expect(try await site.get("/").body.contains("/assets/\(site.build)/home.css"))
      // The reference has a policy of its own.
      #expect(try await site.get("/docs").headers["content-security-policy"]?.contains("img-src 'self';") == true)
    }
  }

  @Test(arguments: [false, true]) func aFolderOfAnAppCanHaveAPageOfItsOwn(isFast: Bool) async throws {
    try await WebSite.run(["edge.fast": "\(isFast)"]) { site async throws in
      for path in ["/admin/shop/", "/admin/shop/products/1", "/admin/shop/?a=b"] {
        let page = try await site.get(path)
        #expect(page.status == 200, "\(path)")
        #expect(page.headers["content-security-policy"] == Self.policy)
        #expect(page.body == site.page("Shop", base: "/admin/shop"), "\(path)")
      }
      for path in ["/admin/", "/admin/shopping", "/admin//shop/", "/admin/people/shop/"] {
        #expect(try await site.get(path).body == site.page("Office", base: "/admin"), "\(path)")
      }
      let moved = try await site.get("/admin/shop?a=b")
      #expect(moved.status == 308)
      #expect(moved.headers["location"] == "/admin/shop/?a=b")
      #expect(try await site.get("/shop/").status == 404)
    }
  }

  @Test(arguments: [false, true]) func aWorkerIsAllowedWhereThereIsOne(isFast: Bool) async throws {
    try await WebSite.run(["edge.fast": "\(isFast)"]) { site async throws in
      let page = try await site.get("/letustudy/")
      #expect(page.headers["content-security-policy"] == Self.common + "; trusted-types quintet-worker")
      #expect(page.body.contains("<link rel=\"manifest\" href=\"/letustudy/manifest.webmanifest\" />"))
      let worker = try await site.get("/letustudy/sw.js")
      #expect(worker.headers["content-type"] == "text/javascript; charset=utf-8")
      #expect(worker.headers["cache-control"] == "no-cache")
      let again = try await site.get("/letustudy/sw.js", ["If-None-Match": try #require(worker.headers["etag"])])
      #expect(again.status == 304)
      #expect(worker.body == "const shell = ['/letustudy/', '/assets/\(site.build)/letustudy/main.js']")
      let manifest = try await site.get("/letustudy/manifest.webmanifest")
      #expect(manifest.headers["content-type"] == "application/manifest+json")
      #expect(manifest.body == "{\"start_url\":\"/letustudy/\"}")
    }
  }

  @Test(arguments: [false, true]) func peopleGetAPageWhenThereIsNone(isFast: Bool) async throws {
    try await WebSite.run(["edge.fast": "\(isFast)"]) { site async throws in
      let page = try await site.get("/nowhere", ["Sec-Fetch-Dest": "document"])
      #expect(page.status == 404)
      #expect(page.headers["content-type"] == "text/html; charset=utf-8")
      #expect(page.body == "<title>Nothing</title>")
      #expect(page.headers["content-security-policy"] == Self.policy)
      let head = try await site.get("/nowhere", ["Sec-Fetch-Dest": "document"], method: "HEAD")
      #expect(head.status == 404)
      #expect(head.headers["content-length"] == page.headers["content-length"])
      // Whoever shares the connection would take it for the next answer.
      #expect(head.body.isEmpty)
      let problem = try await site.get("/nowhere")
      #expect(problem.status == 404)
      #expect(problem.headers["content-type"] == "application/problem+json")
    }
  }

  // MARK: files

  @Test(arguments: [false, true]) func filesAreKeptForever(isFast: Bool) async throws {
    try await WebSite.run(["edge.fast": "\(isFast)"]) { site async throws in
      let file = try await site.get("/assets/\(site.build)/archived/main.js")
      #expect(file.status == 200)
      #expect(file.headers["content-type"] == "text/javascript; charset=utf-8")
      #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
      #expect(file.headers["vary"] == "Accept-Encoding")
      #expect(file.headers["x-content-type-options"] == "nosniff")
      #expect(file.headers["cross-origin-resource-policy"] == "same-origin")
      // Comments become empty lines.
      #expect(file.body == "\nimport '../shared/view.js'\n\n\n" + String(repeating: "text()\n", count: 200))
      let tag = try #require(file.headers["etag"])
      for accepted in ["gzip", "gzip, deflate, br, zstd", "br;q=1.0, gzip;q=0.8", "*"] {
        let small = try await site.get("/assets/\(site.build)/archived/main.js", ["Accept-Encoding": accepted])
        #expect(small.headers["content-encoding"] == "gzip", "\(accepted)")
        #expect(Int(small.headers["content-length"] ?? "").map { $0 < 200 } == true)
        #expect(small.headers["etag"] == "\(tag.dropLast())-gzip\"")
      }
      for refused in ["identity", "gzip;q=0", "br", "gzip\u{37E}q=1, *;q=0"] {
        let whole = try await site.get("/assets/\(site.build)/archived/main.js", ["Accept-Encoding": refused])
        #expect(whole.headers["content-encoding"] == nil, "\(refused)")
      }
      #expect(
        try await site.get(
          "/assets/\(site.build)/archived/main.js", ["If-None-Match": "\(tag.dropLast())-gzip\""]
        ).status == 304)
      // Not worth it.
      let short = try await site.get("/assets/\(site.build)/shared/view.js", ["Accept-Encoding": "gzip"])
      #expect(short.headers["content-encoding"] == nil)
      #expect(
        try await site.get("/assets/\(site.build)/shared/sounds/done.mp3").headers["content-type"] == "audio/mpeg")
      #expect(try await site.get("/assets/\(site.build)/shared/icon.svg").headers["content-type"] == "image/svg+xml")
    }
  }

  @Test(arguments: [false, true]) func nothingElseIsServed(isFast: Bool) async throws {
    try await WebSite.run(["edge.fast": "\(isFast)"]) { site async throws in
      let paths = [
        "/assets/\(site.build)/archived/main.test.js", "/assets/\(site.build)/archived/notes.md",
        "/assets/\(site.build)/archived/.hidden.js", "/assets/\(site.build)/archived/page.json",
        "/assets/\(site.build)/page.html", "/assets/\(site.build)/index.html",
        "/assets/\(site.build)/../../etc/passwd", "/assets/\(site.build)/..%2f..%2fetc%2fpasswd",
        "/assets/\(site.build)/archived/%2e%2e/shared/view.js", "/assets/\(site.build)/archived/../shared/view.js",
        "/assets/\(site.build)//etc/passwd", "/assets/\(site.build)/", "/assets/\(site.build)", "/assets/",
        "/assets/0000000000000000/archived/main.js", "/assets/\(site.build)/archived/main.js/",
        "/assets/\(site.build)/archived/MAIN.JS", "/assets/\(site.build)/archived/main.js%00", "/shared/view.js",
      ]
      for path in paths {
        let answer = try await site.get(path)
        #expect(answer.status == 404, "\(path)")
        // A file of another build may be there again tomorrow.
        #expect(answer.headers["cache-control"] == "no-store", "\(path)")
      }
    }
  }

  @Test(arguments: [false, true]) func dataIsNeverCode(isFast: Bool) async throws {
    try await WebSite.run(["edge.fast": "\(isFast)"]) { site async throws in
      for use in ["script", "style", "worker", "serviceworker", "object"] {
        for path in ["/v1/fitness-levels", "/openapi.json", "/web/archived/v1/fitness-levels"] {
          let answer = try await site.get(path, ["Sec-Fetch-Dest": use, "Sec-Fetch-Site": "same-origin"])
          #expect(answer.status == 403, "\(use) \(path)")
        }
        let file = try await site.get("/assets/\(site.build)/archived/main.js", ["Sec-Fetch-Dest": use])
        #expect(file.status == 200)
        #expect(try await site.get("/assets/0/archived/main.js", ["Sec-Fetch-Dest": use]).status == 404)
        #expect(try await site.get("/letustudy/sw.js", ["Sec-Fetch-Dest": use]).status == 200)
      }
      let data = try await site.get("/v1/fitness-levels", ["Sec-Fetch-Dest": "empty"])
      #expect(data.status == 200)
    }
  }

  @Test func anotherFileIsAnotherBuild() async throws {
    try await TemporaryFolder.run { folder in
      try WebSite.write(WebSite.files, to: folder)
      let before = try WebClient.load(folder).build
      #expect(try WebClient.load(folder).build == before)
      try WebSite.write(["shared/view.js": "export const view = 2"], to: folder)
      #expect(try WebClient.load(folder).build != before)
    }
  }

  /// One connection for a whole page, with what is not a file between files.
  @Test(arguments: [false, true]) func filesShareAConnectionWithOtherRequests(isFast: Bool) async throws {
    try await WebSite.run(["edge.fast": "\(isFast)"]) { site async throws in
      func get(_ path: String, _ headers: String = "") -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\(headers)\r\n" }
      let file = "/assets/\(site.build)/archived/main.js"
      let connection = try RawConnection(to: site.web.url)
      connection.send(
        get("/archived/") + get(file) + get(file, "If-None-Match: *\r\n") + get("/v1/fitness-levels") + get(file)
          + get("/archived/x", "Connection: close\r\n"))
      let (text, isClosed) = await connection.receiveAll()
      #expect(isClosed)
      let answers = PlainAnswer.all(in: text)
      #expect(answers.map(\.status) == [200, 200, 304, 200, 200, 200])
      #expect(answers[1].comparable == answers[4].comparable)
      #expect(answers[0].body == answers[5].body)
    }
  }

  // MARK: settings

  /// A forgotten placeholder would make a link that leads nowhere.
  @Test func everyPlaceholderOfTheBuiltInPagesIsFilled() throws {
    let client = try WebClient.load(WebClient.builtIn)
    for path in ["/", "/admin/shop/"] + WebApp.allCases.map({ "/\($0.rawValue)/" }) {
      guard case .file(let file)? = client.find(path) else {
        Issue.record("there is no page at \(path)")
        continue
      }
      #expect(!String(buffer: file.plain.body).contains("{{"), "\(path)")
    }
  }

  @Test func aWrongFolderOrHostIsNoticedAtTheStart() async throws {
    try await TemporaryFolder.run { folder async throws in
      for settings in [
        ["web.root": "\(folder)/none"], ["web.root": folder], ["web.hosts": "archived"],
        ["web.hosts": "none=a.example"],
        ["web.hosts": "archived=a.example,keepfit=a.example"], ["web.hosts": "archived=https://a.example"],
        // The common host is not set, or is the host of one app.
        ["web.hosts": "archived=a.example", "gateway.publicUrl": ""],
        ["web.hosts": "archived=a.example,keepfit=b.example", "gateway.publicUrl": "https://B.example:8443"],
      ] {
        await #expect(throws: SettingError.self, "\(settings)") {
          let all = ["gateway.publicUrl": "https://all.example"].merging(settings) { $1 }
          try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self], settings: all) { _ in }
        }
      }
    }
  }

  /// Its users would be the first to notice.
  @Test func aPageThatCannotBeMadeIsNoticedAtTheStart() async throws {
    let faults: [(path: String, text: String?)] = [
      ("archived/page.json", "{"), ("archived/page.json", #"{"title":"Archived"}"#),
      ("archived/page.json", #"{"title":"Archived","description":"Beats","script":"archived/mian.js"}"#),
      ("archived/page.json", #"{"title":"Archived","description":"Beats","styles":["other.css"]}"#),
      ("roomi/page.json", #"{"title":"Roomi","description":"It has no files"}"#), ("page.html", nil),
    ]
    for (path, text) in faults {
      try await TemporaryFolder.run { folder in
        var files = WebSite.files
        files[path] = text
        try WebSite.write(files, to: folder)
        #expect(throws: WebClient.Unusable.self, "\(path): \(text ?? "absent")") { try WebClient.load(folder) }
      }
    }
  }

  /// The folder that is built with the program is where the program looks for it.
  @Test func theBuiltInPagesAreThere() async throws {
    let client = try WebClient.load(WebClient.builtIn)
    #expect(client.find("/") != nil)
    #expect(client.notFound != nil)
    try await TestPlatform.run([GatewayPlugin.self, AuthPlugin.self]) { test in
      let page = try await test.send(.get, "/")
      #expect(page.status == 200)
      #expect(page.header("content-security-policy") == Self.policy)
    }
  }
}
