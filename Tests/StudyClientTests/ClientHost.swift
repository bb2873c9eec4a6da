import Contracts
import Foundation
import GatewayService
import Persistence
import ServiceKit
import SyncMerge
import TestKit

@testable import AuthService
@testable import StudyClient
@testable import StudySyncService

/// study-sync behind the gateway, and the files of devices.
struct ClientHost: Sendable {
  let test: TestPlatform
  /// A file with the schema; devices begin with a copy, because making the tables takes longer than a test.
  private let template: String

  static let plugins: [any ServicePlugin.Type] = [GatewayPlugin.self, AuthPlugin.self, StudySyncPlugin.self]
  static let unlimited = ["limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1"]

  init(_ test: TestPlatform) throws {
    self.test = test
    template = test.folder + "/template.db"
    _ = try DeviceDatabase(path: template, survivesPowerLoss: false)
  }

  static func run(
    _ database: TestDatabase = .sqlite, time: ManualTime = ManualTime(), _ body: (ClientHost) async throws -> Void
  ) async throws {
    try await TestPlatform.run(plugins, settings: unlimited, database: database, time: time) { test in
      try await body(ClientHost(test))
    }
  }

  /// A user with a token that does not expire. There is no account; study-sync does not need one.
  ///
  /// - Parameter time: The platform's.
  func user(time: TimeSource? = nil) async throws -> TestUser {
    let id: UserID = IDGenerator().make()
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let now = (time ?? test.time.source).now().unixSeconds
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.web.rawValue, sid: IDGenerator().text(),
      scope: ClientApp.web.scopeClaim(),
      roles: [Role.user.rawValue], iat: now - 60, exp: now + 10 * 365 * 86_400, jti: IDGenerator().text())
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }

  /// A device of a user whose clock is right.
  func device(
    of user: TestUser, transport: (any StudyTransport)? = nil, limits: StudyClient.Limits = StudyClient.Limits()
  ) throws -> StudyClient {
    try open(newFile(), of: user, transport: transport, limits: limits)
  }

  /// The path of a new file.
  func newFile() throws -> String {
    let path = test.folder + "/device-\(UUID().uuidString).db"
    try FileManager.default.copyItem(atPath: template, toPath: path)
    return path
  }

  func open(
    _ path: String, of user: TestUser, transport: (any StudyTransport)? = nil, time: TimeSource? = nil,
    limits: StudyClient.Limits = StudyClient.Limits(),
    reach: @escaping @Sendable (StudyClient.Step) throws -> Void = { _ in }
  ) throws -> StudyClient {
    try StudyClient(
      path: path, user: user.id, transport: transport ?? user.client, time: time ?? test.time.source, limits: limits,
      survivesPowerLoss: false, reach: reach)
  }

  func write<Value: Sendable>(_ body: @escaping @Sendable (Transaction) throws -> Value) async throws -> Value {
    try await test.database(of: StudyAPI.self).write(body)
  }
}

extension StudyClient.Limits {
  /// Requests and responses as small as these make histories short.
  init(operations: Int, page: Int) {
    self.init()
    self.operations = operations
    self.page = SyncPageSize(page)
  }
}

/// Everything that a device shows, and whether what it has of the server is what the server has.
struct DeviceContent: Equatable, Sendable {
  struct Record: Equatable, Sendable {
    var collection: String
    var id: String
    var set: StudySetID?
    var fields: [JSONValue.Member]
    var variants: [SyncVariant]
  }

  var records: [Record] = []
  var checksums: [SyncCollection: Checksum] = [:]
}

extension StudyClient {
  /// The visible content; deleted records are left out.
  func content() async throws -> DeviceContent {
    try await read { tx in
      var content = DeviceContent()
      for row in try tx.db.rows(
        "SELECT \(RecordTable.columns) FROM records WHERE is_visible = 1 ORDER BY collection, id")
      {
        let record = try RecordTable.decode(row)
        guard let local = LocalRecord(record) else { continue }
        content.records.append(
          .init(
            collection: local.collection, id: local.id, set: local.set, fields: local.fields.members,
            variants: local.variants))
      }
      for collection in SyncCollection.allCases {
        content.checksums[collection] = try Checksums.find(collection.rawValue, tx.db)
      }
      return content
    }
  }
}
