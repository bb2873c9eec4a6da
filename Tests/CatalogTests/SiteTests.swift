import Contracts
import Foundation
import Persistence
import TestKit
import Testing

@testable import CatalogService

/// Site information, links and recommended tools.
struct SiteTests {
  private func site() throws -> Site {
    Site(
      title: try ShortText(validating: "Yesenia's shop"),
      home: try LongText(validating: "Welcome."),
      email: try EmailAddress(validating: "boss@example.com"),
      socialLinks: [
        .init(name: try ShortText(validating: "Pictures"), link: try WebLink(validating: "https://example.com/me"))
      ],
      tutorials: [
        .init(
          title: try ShortText(validating: "A bow"),
          link: try YouTubeLink(validating: "https://youtu.be/aqz-KE-bpKQ"),
          productType: try Slug(validating: "bows")
        )
      ]
    )
  }

  @Test(arguments: TestDatabase.allCases)
  func theOwnerDescribesTheSite(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      #expect(try await host.client.send(CatalogAPI.GetSite()) == Site())
      let owner = try await host.owner()
      var wanted = try site()
      let first = try await owner.send(CatalogAPI.PutSite(ifMatch: EntityTag(version: 0), body: wanted))
      #expect(first.version == 1)
      // Writing the same content again changes nothing.
      #expect(try await owner.send(CatalogAPI.PutSite(body: wanted)) == first)
      wanted.tutorials = []
      let late = try await problem {
        _ = try await owner.send(CatalogAPI.PutSite(ifMatch: EntityTag(version: 0), body: wanted))
      }
      #expect(late?.status == 412)
      let second = try await owner.send(CatalogAPI.PutSite(ifMatch: EntityTag(version: 1), body: wanted))
      let seen = try await host.client.sendForResponse(CatalogAPI.GetSite())
      #expect(seen.value == second)
      #expect(second.tutorials.isEmpty)
      #expect(second.version == 2)
      #expect(seen.response.header("etag")?.hasPrefix("\"2.") == true)

      let user = try await host.user("ada").client
      #expect(try await problem { _ = try await user.send(CatalogAPI.PutSite(body: wanted)) }?.status == 403)
      #expect(try await problem { _ = try await host.client.send(CatalogAPI.PutSite(body: wanted)) }?.status == 401)
      wanted.socialLinks = Array(repeating: try site().socialLinks[0], count: 51)
      let many = try await problem { _ = try await owner.send(CatalogAPI.PutSite(body: wanted)) }
      #expect(many?.errors?.first?.location == "body.socialLinks")
    }
  }

  @Test(arguments: [
    ("https://example.com", true), ("HTTPS://Example.com:8443/a?b=c#d", true), ("https://sub.example.co.uk/%20", true),
    ("http://example.com", false), ("javascript:alert(1)", false), ("https://", false), ("https:///path", false),
    ("https://user:secret@example.com", false), ("https://example.com\r\nX: y", false), ("https://exa mple.com", false),
    ("https://-example.com", false), ("https://example..com", false), ("https://example.com:0", false),
    ("https://example.com:99999", false), ("https://example.com/\"onload", false), ("https://bücher.example", false),
    ("//example.com", false), (" https://example.com", false), ("https://xn--bcher-kva.example/a?b=%C3%BC#%2f", true),
    ("https://example.com?a/b?c", true), ("https://example.com#a?b", true), ("https://example.com:+80/", false),
    ("https://[::1]/", false), ("https://example.com%41/", false), ("https://user[%@example.com/", false),
  ])
  func linksAreCheckedAddresses(text: String, isGood: Bool) throws {
    let link = try? WebLink(validating: text)
    #expect((link?.rawValue == text) == isGood)
    // The document describes the same, but for the scheme's case and the greatest port.
    let pattern = try Regex(try #require(WebLink.rule.pattern))
    let matches = text.replacing("HTTPS:", with: "https:").wholeMatch(of: pattern) != nil
    #expect(matches == (text.hasSuffix(":99999") ? true : isGood))
  }

  /// As browsers do; links like these were accepted as they are once, and are stored.
  @Test(arguments: [
    ("https://example.com/a[b]?c[]=1", "https://example.com/a%5Bb%5D?c%5B%5D=1"),
    ("https://example.com/%zz%4", "https://example.com/%25zz%254"),
    ("https://example.com?100%", "https://example.com?100%25"),
    ("https://example.com/a#b#c", "https://example.com/a#b%23c"), ("https://example.com#[", "https://example.com#%5B"),
  ])
  func linksAreEscaped(text: String, uri: String) throws {
    #expect(try WebLink(validating: text).rawValue == uri)
    #expect(try JSONDecoder().decode([WebLink].self, from: JSONEncoder().encode([text]))[0].rawValue == uri)
    #expect(try uri.wholeMatch(of: Regex(#require(WebLink.rule.pattern)))?.output.isEmpty == false)
    let video = text.replacing("example.com", with: "youtu.be")
    #expect(try YouTubeLink(validating: video).rawValue == uri.replacing("example.com", with: "youtu.be"))
  }

  @Test(arguments: [
    ("https://www.youtube.com/watch?v=aqz-KE-bpKQ", true), ("https://youtu.be/aqz-KE-bpKQ", true),
    ("https://m.youtube.com/watch?v=1", true), ("https://notyoutube.com/watch?v=1", false),
    ("https://youtube.com.example.com/", false), ("https://youtube.com@example.com/", false),
    ("https://youtube.com?v=1", true), ("https://youtu.be:443/a", true), ("https://youtu.be/a b", false),
  ])
  func tutorialsAreAtYouTube(text: String, isGood: Bool) {
    #expect(((try? YouTubeLink(validating: text)) != nil) == isGood)
  }

  @Test(arguments: ["", "-", "a-", "-a", "a--b", "A", "a b", "ä", "a_b", String(repeating: "a", count: 61)])
  func slugsArePlain(text: String) {
    #expect(throws: ValueError.self) { try Slug(validating: text) }
  }

  @Test(arguments: TestDatabase.allCases)
  func toolsAreRecommended(_ database: TestDatabase) async throws {
    try await TestPlatform.catalog(database: database) { host async throws in
      let owner = try await host.owner()
      func create(_ name: String, key: String? = nil) async throws -> Tool {
        host.time.advance(seconds: 1)
        let form = CatalogAPI.CreateTool(
          name: try ShortText(validating: name),
          description: try LongText(validating: "Sharp."),
          link: try WebLink(validating: "https://example.com/tool"),
          productType: try Slug(validating: "bows")
        )
        return try await owner.send(form, idempotencyKey: key)
      }
      let scissors = try await create("Scissors", key: "k1")
      #expect(try await create("Scissors", key: "k1") == scissors)
      let glue = try await create("Glue")
      let wire = try await create("Wire")
      let first = try await host.client.send(CatalogAPI.ListTools(limit: PageSize(checked: 2)))
      #expect(first.items == [wire, glue])
      _ = try await create("Ribbon")
      let rest = try await host.client.send(CatalogAPI.ListTools(limit: PageSize(checked: 2), cursor: first.nextCursor))
      #expect(rest.items == [scissors])
      #expect(rest.nextCursor == nil)

      let changed = try await owner.send(
        CatalogAPI.UpdateTool(
          id: glue.id,
          ifMatch: EntityTag(version: 1),
          name: ShortText(validating: "Hot glue"), link: .remove)
      )
      #expect(changed.name.rawValue == "Hot glue")
      #expect(changed.link == nil)
      #expect(changed.description?.rawValue == "Sharp.")
      #expect(changed.version == 2)
      let late = try await problem {
        _ = try await owner.send(
          CatalogAPI.UpdateTool(id: glue.id, ifMatch: EntityTag(version: 1), link: .remove)
        )
      }
      #expect(late?.status == 412)
      for _ in 0..<2 { _ = try await owner.send(CatalogAPI.DeleteTool(id: glue.id)) }
      let gone = try await problem { _ = try await owner.send(CatalogAPI.UpdateTool(id: glue.id)) }
      #expect(gone?.is(.toolNotFound) == true)
      #expect(
        try await host.client.send(CatalogAPI.ListTools()).items.map(\.name.rawValue) == ["Ribbon", "Wire", "Scissors"]
      )
      let user = try await host.user("ada").client
      #expect(try await problem { _ = try await user.send(CatalogAPI.DeleteTool(id: wire.id)) }?.status == 403)
    }
  }
}
