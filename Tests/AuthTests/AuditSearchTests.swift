import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// One search over the audit trails of all services, what devices report, and the export.
@Suite(.serialized)
struct AuditSearchTests {
  /// Another service with a trail.
  private struct Shelf: ServicePlugin, Feature {
    static let manifest = Manifest(
      name: "shelf",
      consumes: [.init(from: AuthAPI.self, [UserRegistered.self])],
      migrations: [Migration("shelf-001", why: "books", ["CREATE TABLE books (id TEXT PRIMARY KEY)"])]
    )

    init(environment: ServiceEnvironment) async throws {}

    func register(in routes: inout Routes) {
      routes.on(UserRegistered.self) { event, tx in
        try tx.audit(
          "book.added", object: "book:\(event.userID)", by: AuditActor("service:auth", app: event.app),
          changes: [AuditChange("title", from: nil, to: "=HYPERLINK(\"http://evil.example\")")])
      }
    }
  }

  private static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, Shelf.self]

  /// Waits until the other service has heard of all accounts, and auth knows of the service.
  private func shelved(_ count: Int, _ host: TestPlatform) async throws {
    let shelf = try #require(host.platform.database(of: "shelf"))
    try await eventually("the other service has heard of all accounts") {
      try await AuditTrail(shelf).search(AuditFilter(action: "book.added"), limit: 10, cursor: nil).items.count == count
    }
  }

  @Test func oneSearchCoversAllServices() async throws {
    try await TestPlatform.listen(Self.plugins) { host, _ async throws in
      let support = try await host.staff(.support)
      for name in ["ada", "bob", "eve"] { _ = try await host.signUp(name, app: .keepfit) }
      try await shelved(4, host)
      // Paged without gaps or repetitions, newest first, across services.
      let until = host.time.source.now().advanced(bySeconds: 10 * 365 * 86_400)
      let filter = AuditFilter(until: until)
      let all = try await support.client.send(AuthAPI.SearchAudit(filter: filter, limit: PageSize(checked: 100))).items
      #expect(Set(all.compactMap(\.service)).isSuperset(of: ["auth", "shelf"]))
      #expect(all.map(\.id) == all.map(\.id).sorted(by: >))
      var (found, cursor): ([AuditRecord], String?) = ([], nil)
      repeat {
        let page = try await support.client.send(
          AuthAPI.SearchAudit(
            filter: AuditFilter(action: "book.added"), limit: PageSize(checked: 2), cursor: cursor))
        #expect(page.unavailable.isEmpty)
        found += page.items
        cursor = page.nextCursor
      } while cursor != nil
      #expect(found.count == 4)
      #expect(Set(found.map(\.id)).count == 4)
      let phones = try await support.client.send(
        AuthAPI.SearchAudit(filter: AuditFilter(action: "book.added", app: .keepfit)))
      #expect(phones.items.count == 3)
      let one = try await support.client.send(AuthAPI.SearchAudit(service: "auth", filter: filter))
      #expect(Set(one.items.compactMap(\.service)) == ["auth"])
      let unknown = try await problem { _ = try await support.client.send(AuthAPI.SearchAudit(service: "nobody")) }
      #expect(unknown?.errors?.first?.location == "query.service")
      // The searches are entries themselves, with what was searched for.
      let searches = try await host.entries("audit.searched")
      #expect(searches.first?.actor == "user:\(support.id)")
      #expect(searches.contains { $0.changes.contains(AuditChange("action", from: nil, to: "book.added")) })
    }
  }

  @Test func exportsAreSafeToOpenInASpreadsheet() async throws {
    try await TestPlatform.listen(Self.plugins) { host, _ async throws in
      let admin = try await host.staff(.administrator)
      let support = try await host.staff(.support)
      try await shelved(2, host)
      let response = try await host.send(.get, "/v1/admin/audit.csv?action=book.added", by: admin)
      #expect(response.status == 200)
      let text = String(decoding: response.body, as: UTF8.self)
      let lines = text.split(separator: "\r\n")
      try #require(lines.count == 3)
      #expect(lines[0].hasPrefix("time,service,actor"))
      #expect(lines[1].contains("\"shelf\""))
      #expect(text.contains("title: - > =HYPERLINK(\"\"http://evil.example\"\")"))
      #expect(try await host.entries("audit.exported").first?.actor == "user:\(admin.id)")
      #expect(try await host.send(.get, "/v1/admin/audit.csv", by: support).status == 403)
    }
  }

  @Test(arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1+1"])
  func formulasAreNeutralised(_ text: String) {
    #expect(AuditCSV.cell(text) == "\"'\(text)\"")
    #expect(AuditCSV.cell("a\(text)") == "\"a\(text)\"")
  }

  @Test func aQuoteDoesNotEndACell() { #expect(AuditCSV.cell("a\",\"b") == "\"a\"\",\"\"b\"") }

  // MARK: devices

  @Test(arguments: TestDatabase.allCases)
  func whatAppsReportOfTheirDeviceIsInTheTrailOnly(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.signUp("ada")
      let body = #"{"login":"ada","password":"correct horse ada","app":"keepfit"}"#
      let headers = [
        ("x-app-version", "3.2.1 (45)"), ("x-device", "iPhone17,1"), ("x-network", "cellular"), ("x-battery", "17"),
      ].map { (name: $0.0, value: $0.1) }
      #expect(try await host.send(.post, "/v1/auth/login", body, headers: headers).status == 200)
      let entry = try #require(try await host.entries("session.begun").first)
      #expect(
        entry.device == DeviceFacts(version: "3.2.1 (45)", device: "iPhone17,1", network: .cellular, battery: 17))
      #expect(try await AuditChain(host.database, of: "auth", keys: host.platform.dataKeys).verify().flaw == nil)
    }
  }

  @Test(arguments: [
    ("x-battery", "101"), ("x-battery", "-1"), ("x-battery", "9999999999999999999999"), ("x-network", "carrier pigeon"),
    ("x-device", String(repeating: "x", count: 81)), ("x-device", "téléphone"), ("x-app-version", ""),
  ])
  func whatIsNotValidIsNotStored(_ name: String, _ value: String) async throws {
    try await TestPlatform.auth { host async throws in
      _ = try await host.signUp("ada")
      let body = #"{"login":"ada","password":"correct horse ada"}"#
      let response = try await host.send(.post, "/v1/auth/login", body, headers: [(name: name, value: value)])
      #expect(response.status == 200)
      #expect(try await host.entries("session.begun").map(\.device) == [nil, nil])
    }
  }
}
