import Contracts
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Moderators see the media of others, which leaves entries in the audit trail.
@Suite(.serialized)
struct ModeratorReadTests {
  private func views(_ host: ItemHost) async throws -> [AuditRecord] {
    try await AuditTrail(host.core.database).search(AuditFilter(action: "media.viewed"), limit: 100, cursor: nil).items
  }

  @Test("LS13: a moderator who loads what is private leaves one entry in ten minutes", arguments: TestDatabase.allCases)
  func loadsByModeratorsAreAudited(_ database: TestDatabase) async throws {
    try await ItemHost.run(database) { host async throws in
      let users = try await host.users("ada", "eve")
      let moderator = try await host.user(host.test.ids.make(), [.owner, .support])
      let hidden = try await host.beat(1, by: users[0], visibility: .owner)
      let shown = try await host.beat(2, by: users[0], visibility: .everyone)
      #expect(try await host.content(hidden, by: users[0]).status == 200)
      #expect(try await host.content(hidden, by: users[1]).status == 404)
      #expect(try await host.content(shown, by: moderator).status == 200)
      #expect(try await views(host).isEmpty)
      for _ in 0..<3 { #expect(try await host.content(hidden, by: moderator).status == 200) }
      _ = try await moderator.client.send(MediaAPI.GetMedia(id: hidden))
      let entries = try await views(host)
      #expect(entries.map(\.object) == ["media:\(hidden)"])
      #expect(entries.map(\.actor) == ["user:\(moderator.id)"])
      host.test.time.advance(seconds: 601)
      #expect(try await host.content(hidden, by: moderator).status == 200)
      #expect(try await views(host).count == 2)
    }
  }
}
