import Contracts
import Foundation
import GatewayService
import Observability
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// Services note the ends of each other's audit chains.
@Suite(.serialized)
struct AuditNoteTests {
  private func verdict(_ host: TestPlatform, of service: String = "auth") async throws -> AuditChain.Verdict {
    try #require(try await host.platform.verifyAudit().first { $0.service == service }).verdict
  }

  /// Has the chains noted until the gateway, which subscribes to auth's events at its start, has noted auth's.
  private func noteAll(_ host: TestPlatform) async throws -> AuditHead {
    let gateway = try host.database(of: GatewayAPI.self)
    try await eventually("the gateway has noted auth's chain") {
      try await host.platform.noteAuditHeads()
      let last = try await gateway.read { try AuditHeadNotes.list(of: "auth", limit: 1, in: $0).first }
      let count = try await host.database.read { db in try db.count("SELECT COUNT(*) FROM audit") }
      return last.map { Int($0.sequence) } == count
    }
    return try #require(try await gateway.read { try AuditHeadNotes.list(of: "auth", limit: 1, in: $0).first })
  }

  @Test("S23: a cut tail is found by what another service has noted")
  func aCutTailIsFoundByTheGatewaysNotes() async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self]) { host, _ async throws in
      for name in ["ada", "bob"] { _ = try await host.signUp(name) }
      let head = try await noteAll(host)
      #expect(try await verdict(host).flaw == nil)
      #expect(try await verdict(host).agreeing >= 1)
      _ = try await host.database.write { tx in
        try tx.execute("DELETE FROM audit WHERE sequence > \(head.sequence - 2)")
      }
      #expect(try await verdict(host).flaw == .cut(noted: head.sequence, by: "gateway"))
      // The service notices it itself when it reports, and does not replace the note.
      try await host.platform.noteAuditHeads()
      let noted = try await host.database(of: GatewayAPI.self).read { db in
        try AuditHeadNotes.list(of: "auth", limit: 1, in: db).first
      }
      #expect(noted == head)
      // Once a minute, the service reports by itself as well.
      let isCounted = host.platform.metrics.text().contains(/audit_heads_refused_total\{service="auth"\} [1-9]/)
      #expect(isCounted)
    }
  }

  @Test("S23: what replaces a cut tail is found")
  func aRewrittenTailIsFound() async throws {
    try await TestPlatform.listen([GatewayPlugin.self, AuthPlugin.self]) { host, _ async throws in
      for name in ["ada", "bob"] { _ = try await host.signUp(name) }
      let head = try await noteAll(host)
      _ = try await host.database.write { tx in
        try tx.execute("DELETE FROM audit WHERE sequence > \(head.sequence - 2)")
      }
      for _ in 0..<5 { _ = try await host.logIn("ada") }
      #expect(try await verdict(host).flaw == .rewritten(at: head.sequence, notedBy: "gateway"))
    }
  }

  @Test func servicesSpeakForTheirOwnChainOnly() async throws {
    try await TestPlatform.auth { host async throws in
      let head = AuditHead(service: "catalog", sequence: 1_000_000, hash: "0", key: "k", code: "0")
      let orders = host.platform.client(of: AuthAPI.self, as: "orders")
      #expect(try await problem { _ = try await orders.send(AuditAPI.NoteHead(head)) }?.is(.forbidden) == true)
      #expect(
        try await problem { _ = try await orders.send(AuditAPI.GetHead(service: "catalog")) }?.is(.forbidden) == true)
      #expect(try await problem { _ = try await host.client.send(AuditAPI.NoteHead(head)) }?.is(.tokenMissing) == true)
      // The trail itself is shown to auth only.
      let search = AuditAPI.Search(filter: AuditFilter())
      #expect(try await problem { _ = try await orders.send(search) }?.is(.serviceNotAllowed) == true)
    }
  }
}
