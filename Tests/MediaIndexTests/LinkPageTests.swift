import AuthService
import CatalogService
import Contracts
import CurlClient
import Foundation
import GatewayService
import HTTPTypes
import Persistence
import ServiceKit
import StudySyncService
import TestKit
import Testing

@testable import MediaIndexService

/// The pages of shared links, read by a parser that follows the HTML standard.
@Suite(.serialized)
struct LinkPageTests {
  private struct Page: Decodable {
    var title: String
    var metas: [String: String]
    var heading: String
    var text: String
    var links: [String]
    var images: [String]
    var canonical: [String]
    var elements: [String]
    var handlers: [String]
    var errors: [String]
  }

  private static let markup = #""><script>alert(1)</script></title><img src=x onerror=alert(1)> & 'a' <"# + "\u{0338}b"

  private static func run(
    _ plugins: [any ServicePlugin.Type], settings: [String: String] = [:], _ database: TestDatabase = .sqlite,
    _ body: (TestPlatform) async throws -> Void
  ) async throws {
    let usual = ["limits.read": "0/1", "limits.write": "0/1", "gateway.publicUrl": "https://quintet.example"]
    try await TestPlatform.run(
      [GatewayPlugin.self, AuthPlugin.self] + plugins, settings: usual.merging(settings) { $1 }, database: database,
      time: ManualTime(), body)
  }

  private static func get(_ path: String, _ host: TestPlatform) async throws -> WireResponse {
    try await host.send(.get, path)
  }

  private static func parse(_ response: WireResponse) async throws -> Page {
    let text = String(decoding: response.body, as: UTF8.self)
    let output = try await Command.run([Python.path(), LivestreamHost.path("link_page.py")], input: text)
    return try WireJSON.decode(Page.self, from: output.utf8)
  }

  private static func user(_ name: String, _ host: TestPlatform, as role: Role = .user) async throws -> TestUser {
    _ = try await host.plugin(AuthPlugin.self).createAccount(
      email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
      displayName: DisplayName(validating: name), password: Password(validating: "correct horse \(name)"),
      roles: [role])
    return TestUser(try await host.plugin(AuthPlugin.self).provedSession(of: name), host.client)
  }

  private static func listing(_ name: String, by user: TestUser, _ host: TestPlatform) async throws -> Listing {
    try await user.client.send(
      CatalogAPI.CreateListing(
        kind: .beat, name: ShortText(checked: name), description: LongText(checked: "Slow.\n\(name)"),
        cover: host.ids.make(), audio: host.ids.make(), price: Price(checked: Money(2499, .usd))))
  }

  // MARK: what is shown

  @Test(arguments: TestDatabase.allCases)
  func aListingsPageHasItsOpenGraphData(_ database: TestDatabase) async throws {
    try await Self.run([CatalogPlugin.self], settings: ["links.app": "archived://open/{kind}/{id}"], database) {
      host async throws in
      let ada = try await Self.user("ada", host)
      let listing = try await Self.listing("Night", by: ada, host)
      let response = try await Self.get("/s/listing/\(listing.id)", host)
      #expect(response.status == 200)
      #expect(response.header("content-type") == "text/html; charset=utf-8")
      #expect(response.header("cache-control") == "public, max-age=60")
      #expect(response.header("x-robots-tag") == "noindex")
      let page = try await Self.parse(response)
      let picture = "https://quintet.example/v1/media/\(try #require(listing.cover))/thumbnail?width=1280&format=jpeg"
      let expected = [
        "og:title": "Night", "og:type": "music.song", "og:description": "Slow. Night", "og:site_name": "Quintet",
        "og:url": "https://quintet.example/s/listing/\(listing.id)", "og:image": picture, "twitter:image": picture,
        "twitter:card": "summary_large_image", "twitter:title": "Night", "twitter:description": "Slow. Night",
        "description": "Slow. Night", "product:price:amount": "24.99", "product:price:currency": "USD",
        "robots": "noindex", "viewport": "width=device-width",
      ]
      #expect(page.metas == expected)
      #expect(page.title == "Night")
      #expect(page.heading == "Night")
      #expect(page.canonical == ["https://quintet.example/s/listing/\(listing.id)"])
      #expect(page.links == ["archived://open/listing/\(listing.id)", "/archived/listings/\(listing.id)"])
      #expect(page.errors.isEmpty)
    }
  }

  @Test func aPageLeadsToTheHostOfItsApp() async throws {
    try await Self.run([CatalogPlugin.self], settings: ["web.hosts": "archived=archived.example"]) {
      host async throws in
      let ada = try await Self.user("ada", host)
      let listing = try await Self.listing("Night", by: ada, host)
      let page = try await Self.parse(try await Self.get("/s/listing/\(listing.id)", host))
      #expect(page.links == ["https://archived.example/listings/\(listing.id)"])
    }
  }

  @Test func onTheHostOfAnAppAPageLeadsToTheOthers() async throws {
    let settings = ["web.hosts": "yesenia=shop.example", "gateway.publicUrl": "https://quintet.example"]
    let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self]
    try await TestPlatform.listen(plugins, settings: settings) { host, web in
      let listing = try await Self.listing("Night", by: Self.user("ada", host), host)
      let screen = "/archived/listings/\(listing.id)"
      for (name, address) in [("quintet.example", screen), ("shop.example", "https://quintet.example\(screen)")] {
        let connection = try RawConnection(to: web.url)
        connection.send("GET /s/listing/\(listing.id) HTTP/1.1\r\nHost: \(name)\r\nConnection: close\r\n\r\n")
        let page = try RawResponse(await connection.receiveAll())
        #expect(page.body.contains("href=\"\(address)\""), "\(name)")
      }
    }
  }

  @Test func postsAndProductsAreIndexed() async throws {
    try await Self.run([CatalogPlugin.self]) { host async throws in
      let boss = try await Self.user("boss", host, as: .owner)
      let post = try await boss.client.send(CatalogAPI.CreatePost(title: ShortText(checked: "News")))
      _ = try await boss.client.send(
        CatalogAPI.CreateProductType(
          body: ProductType(slug: Slug(checked: "earrings"), name: ShortText(checked: "Earrings"))))
      let product = try await boss.client.send(
        CatalogAPI.CreateProduct(
          type: Slug(checked: "earrings"), title: ShortText(checked: "Blue"),
          price: Price(checked: Money(2499, .usd))))
      for (path, type) in [("post/\(post.id)", "article"), ("product/\(product.id)", "product")] {
        let response = try await Self.get("/s/\(path)", host)
        #expect(response.header("x-robots-tag") == nil)
        let page = try await Self.parse(response)
        #expect(page.metas["og:type"] == type)
        #expect(page.metas["robots"] == nil)
        #expect(page.metas["twitter:card"] == "summary")
        #expect(page.images.isEmpty)
      }
    }
  }

  @Test func setsAreShownWhileTheyArePublished() async throws {
    try await Self.run([StudySyncPlugin.self]) { host async throws in
      let ada = try await Self.user("ada", host)
      let set = try await ada.client.send(StudyAPI.CreateSet(title: SetTitle(checked: "Birds")))
      #expect(try await Self.get("/s/set/\(set.id)", host).status == 404)
      host.time.advance(seconds: 61)
      _ = try await ada.client.send(StudyAPI.PublishSet(id: set.id))
      #expect(try await Self.parse(Self.get("/s/set/\(set.id)", host)).heading == "Birds")
      _ = try await ada.client.send(StudyAPI.UnpublishSet(id: set.id))
      host.time.advance(seconds: 61)
      #expect(try await Self.get("/s/set/\(set.id)", host).status == 404)
    }
  }

  @Test func onlyMediaForEveryoneAreShown() async throws {
    try await Self.run([MediaIndexPlugin.self]) { host async throws in
      let media = try host.plugin(MediaIndexPlugin.self)
      let found = media.features.compactMap { ($0 as? MediaPreviews)?.core }.first
      let core = try #require(found)
      func insert(_ visibility: MediaVisibility, _ state: MediaState, _ kind: MediaKind) async throws -> MediaID {
        let id: MediaID = host.ids.make()
        let stored = StoredMedia(
          media: Media(
            id: id, owner: host.ids.make(), kind: kind, state: state, visibility: visibility,
            contentType: "video/mp4", bytes: 1, title: ShortText(checked: "Squats"), createdAt: host.time.source.now(),
            version: 1),
          app: .keepfit)
        try await core.database.write { tx in try core.media.insert(stored, in: tx) }
        return id
      }
      let video = try await insert(.everyone, .ready, .video)
      let page = try await Self.parse(Self.get("/s/video/\(video)", host))
      #expect(page.metas["og:type"] == "video.other")
      #expect(page.images == ["/v1/media/\(video)/thumbnail?width=1280&format=jpeg"])
      #expect(try await Self.get("/s/media/\(video)", host).status == 200)
      for (visibility, state, kind) in [
        (MediaVisibility.owner, MediaState.ready, MediaKind.video), (.connections, .ready, .video),
        (.everyone, .processing, .video), (.everyone, .ready, .image),
      ] {
        let id = try await insert(visibility, state, kind)
        #expect(try await Self.get("/s/video/\(id)", host).status == 404)
      }
    }
  }

  @Test func liveStreamsForEveryoneAreShown() async throws {
    try await Self.run([MediaIndexPlugin.self]) { host async throws in
      let ada = try await Self.user("ada", host)
      func create(_ visibility: LivestreamVisibility) async throws -> LivestreamID {
        try await ada.client.send(
          MediaAPI.CreateLivestream(
            title: ShortText(checked: "Yoga"), visibility: visibility,
            joinURL: WebLink(checked: "https://meet.example.com/secret"))
        ).id
      }
      let open = try await Self.get("/s/livestream/\(try await create(.everyone))", host)
      #expect(open.status == 200)
      #expect(!String(decoding: open.body, as: UTF8.self).contains("secret"))
      #expect(try await Self.get("/s/livestream/\(try await create(.connections))", host).status == 404)
    }
  }

  // MARK: what users write

  @Test func whatUsersWriteIsText() async throws {
    try await Self.run([CatalogPlugin.self]) { host async throws in
      let ada = try await Self.user("ada", host)
      let listing = try await Self.listing(Self.markup, by: ada, host)
      let response = try await Self.get("/s/listing/\(listing.id)", host)
      let page = try await Self.parse(response)
      #expect(page.title == Self.markup)
      #expect(page.heading == Self.markup)
      #expect(page.metas["og:title"] == Self.markup)
      #expect(page.handlers.isEmpty)
      #expect(page.errors.isEmpty)
      let known = ["a", "body", "h1", "head", "html", "img", "link", "main", "meta", "p", "style", "title"]
      #expect(Set(page.elements).subtracting(known).isEmpty)
      #expect(page.images.count == 1)
      let policy = try #require(response.header("content-security-policy"))
      #expect(policy.hasPrefix("default-src 'none'; img-src 'self'; style-src 'sha256-"))
      #expect(!policy.contains("unsafe"))
      #expect(response.header("x-content-type-options") == "nosniff")
    }
  }

  @Test func longDescriptionsAreCut() async throws {
    try await Self.run([CatalogPlugin.self]) { host async throws in
      let boss = try await Self.user("boss", host, as: .owner)
      let text = String(repeating: "word\n", count: 900)
      let post = try await boss.client.send(
        CatalogAPI.CreatePost(title: ShortText(checked: "News"), description: LongText(checked: text)))
      let page = try await Self.parse(Self.get("/s/post/\(post.id)", host))
      let description = try #require(page.metas["og:description"])
      #expect(description.hasSuffix("word…"))
      #expect(description.unicodeScalars.count <= 301)
    }
  }

  // MARK: what is not shown

  @Test func privateAndMissingAreTheSame() async throws {
    try await Self.run([CatalogPlugin.self, StudySyncPlugin.self]) { host async throws in
      let ada = try await Self.user("ada", host)
      let set = try await ada.client.send(StudyAPI.CreateSet(title: SetTitle(checked: "Birds")))
      let listing = try await Self.listing("Night", by: ada, host)
      _ = try await ada.client.send(CatalogAPI.DeleteListing(id: listing.id))
      let paths = [
        "set/\(set.id)", "set/\(host.ids.text())", "listing/\(listing.id)", "user/\(ada.id)", "set/1", "SET/\(set.id)",
        "s%22%3E/\(set.id)",
      ]
      var bodies: Set<[UInt8]> = []
      for path in paths {
        let response = try await Self.get("/s/\(path)", host)
        #expect(response.status == 404, "\(path)")
        #expect(response.header("x-robots-tag") == "noindex")
        #expect(response.header("cache-control") == "public, max-age=60")
        bodies.insert(response.body)
      }
      #expect(bodies.count == 1)
      let page = try await Self.parse(Self.get("/s/set/\(set.id)", host))
      #expect(page.heading == "Not found")
      #expect(page.errors.isEmpty)
    }
  }

  // MARK: caches

  @Test func anUnchangedPageIsNotSentAgain() async throws {
    try await Self.run([CatalogPlugin.self]) { host async throws in
      let ada = try await Self.user("ada", host)
      let listing = try await Self.listing("Night", by: ada, host)
      let first = try await Self.get("/s/listing/\(listing.id)", host)
      let tag = try #require(first.header("etag"))
      let second = try await host.send(
        .get, "/s/listing/\(listing.id)", headers: [(name: "if-none-match", value: tag)])
      #expect(second.status == 304)
      #expect(second.body.isEmpty)
    }
  }

  @Test func changesAreShownAfterAMinute() async throws {
    try await Self.run([CatalogPlugin.self]) { host async throws in
      let ada = try await Self.user("ada", host)
      let listing = try await Self.listing("Night", by: ada, host)
      func heading() async throws -> String {
        try await Self.parse(Self.get("/s/listing/\(listing.id)", host)).heading
      }
      #expect(try await heading() == "Night")
      _ = try await ada.client.send(CatalogAPI.UpdateListing(id: listing.id, name: ShortText(checked: "Day")))
      #expect(try await heading() == "Night")
      host.time.advance(seconds: 61)
      #expect(try await heading() == "Day")
    }
  }

  @Test func headHasTheHeadersOfGet() async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self]) { host, web in
      let ada = try await Self.user("ada", host)
      let listing = try await Self.listing("Night", by: ada, host)
      func send(_ method: HTTPRequest.Method) async throws -> ClientResponse {
        try await web.http.execute(
          ClientRequest(
            method, origin: web.url, target: "/s/listing/\(listing.id)",
            timeouts: .init(connect: Waiting.limit, firstByte: Waiting.limit, total: nil)))
      }
      let (get, head) = (try await send(.get), try await send(.head))
      #expect(head.status == 200)
      #expect(try await head.body.collect(upTo: 1).isEmpty)
      for name in [HTTPField.Name.contentType, .eTag, .cacheControl, .contentLength, .contentSecurityPolicy] {
        #expect(head.headers[name] == get.headers[name], "\(name)")
      }
    }
  }
}
