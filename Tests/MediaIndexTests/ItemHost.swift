import BlobStorage
import CatalogService
import Contracts
import Crypto
import Foundation
import GatewayService
import MatchingService
import OrdersService
import Persistence
import ServiceKit
import TestKit

@testable import AuthService
@testable import MediaIndexService

/// media-index among the services that use media, without workers.
struct ItemHost: Sendable {
  let test: TestPlatform
  let core: MediaCore

  static let plugins: [any ServicePlugin.Type] = [
    GatewayPlugin.self, AuthPlugin.self, CatalogPlugin.self, MatchingPlugin.self, MediaIndexPlugin.self,
    OrdersPlugin.self,
  ]

  /// - Parameter others: Further services that use media.
  static func run(
    _ database: TestDatabase = .sqlite, time: ManualTime = ManualTime(), with others: [any ServicePlugin.Type] = [],
    _ body: (ItemHost) async throws -> Void
  ) async throws {
    let settings = [
      "limits.read": "0/1", "limits.write": "0/1", "limits.signIn": "0/1", "payments.test": "true",
    ]
    try await TestPlatform.run(plugins + others, settings: settings, database: database, time: time) { test in
      let features = try test.plugin(MediaIndexPlugin.self).features
      guard let items = features.lazy.compactMap({ $0 as? Items }).first else {
        throw TestKitError("media-index has no items")
      }
      try await body(ItemHost(test: test, core: items.core))
    }
  }

  // MARK: users

  /// Accounts whose tokens outlive what a test does with the clock.
  func users(_ names: String...) async throws -> [TestUser] {
    var users: [TestUser] = []
    for name in names { users.append(try await user(test.client.signUp(name).user.id, [.user])) }
    return users
  }

  /// A user with roles that sign-up does not give.
  func user(_ id: UserID, _ roles: [Role]) async throws -> TestUser {
    let keys = try await SigningKeys.load(Settings([:]), dataFolder: test.folder)
    let now = test.time.source.now().unixSeconds
    let scope = ClientApp.web.scopeClaim(isStaff: roles.contains(.owner))
    let claims = AccessClaims(
      iss: Issuer.name, sub: id.rawValue, aud: ClientApp.archived.rawValue, sid: test.ids.text(), scope: scope,
      roles: roles.map(\.rawValue), iat: now - 60, exp: now + 10 * 365 * 86_400, jti: test.ids.text())
    return TestUser(id: id, token: try await keys.sign(claims), client: test.client)
  }

  func connect(_ one: TestUser, _ other: TestUser) async throws {
    for (user, other) in [(one, other), (other, one)] {
      let response = try await test.send(.post, "/v1/connections", #"{"userID":"\#(other.id)"}"#, by: user)
      guard response.status == 200 else { throw TestKitError("connecting: \(response.status)") }
    }
  }

  /// Blocks a user as matching reports it to the services that respect blocks.
  func block(_ blocker: TestUser, _ blocked: TestUser) async throws {
    let event = BlockChanged(blocker: blocker.id, blocked: blocked.id, isBlocked: true)
    try await test.deliver(event, from: MatchingAPI.self, to: MediaAPI.self)
    try await test.deliver(event, from: MatchingAPI.self, to: CatalogAPI.self)
  }

  // MARK: media

  /// A recording that differs from others by its number; not one that plays.
  static func wav(_ number: UInt64) -> [UInt8] {
    let samples = (0..<2000).map { UInt8(truncatingIfNeeded: number &* 131 &+ UInt64($0) &* (UInt64($0) &+ number)) }
    let format: [UInt8] = [16, 0, 0, 0, 1, 0, 1, 0, 0x44, 0xAC, 0, 0, 0x88, 0x58, 1, 0, 2, 0, 16, 0]
    return Array("RIFF".utf8) + Self.little(36 + samples.count) + Array("WAVEfmt ".utf8) + format
      + Array("data".utf8) + Self.little(samples.count) + samples
  }

  private static func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }

  /// The head of a picture, which is enough to know what it is.
  static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8) + Array(repeating: 0, count: 80)

  /// Hands a file over as the last step of an upload does.
  @discardableResult
  func upload(
    _ bytes: [UInt8], by user: TestUser, id: MediaID? = nil, kind: MediaKind? = nil,
    visibility: MediaVisibility = .owner, name: String = "Night drive.wav",
    committing commit: @escaping @Sendable (Transaction) throws -> Void = { _ in }
  ) async throws -> MediaID {
    let path = try write(bytes)
    return try await MediaIntake(core: core).accept(
      FinishedUpload(
        id: id ?? test.ids.make(), path: path, bytes: Int64(bytes.count), hash: Self.hash(bytes), owner: user.id,
        app: .archived, fileName: name, kind: kind, visibility: visibility), committing: commit)
  }

  /// A media item that processing has finished with, and what it has made of it.
  func ready(
    _ bytes: [UInt8], by user: TestUser, visibility: MediaVisibility = .owner, files: [String: String] = [:]
  ) async throws -> MediaID {
    let id = try await upload(bytes, by: user, visibility: visibility)
    var made: [MediaFile] = []
    for (name, text) in files.sorted(by: { $0.key < $1.key }) {
      let bytes = Array(text.utf8)
      try await core.blobs.store(fileAt: write(bytes), as: Self.hash(bytes))
      made.append(
        MediaFile(name: name, blob: try Self.hash(bytes), bytes: Int64(bytes.count), contentType: Self.type(of: name)))
    }
    let added = made
    try await core.database.write { [core] tx in
      try MediaFileStore.put(added, of: id, in: tx)
      _ = try core.media.advance(id, to: .ready, MediaProperties(milliseconds: 2000), in: tx)
    }
    return id
  }

  /// A recording with its tagged preview.
  func beat(_ number: UInt64, by user: TestUser, visibility: MediaVisibility = .owner) async throws -> MediaID {
    try await ready(
      Self.wav(number), by: user, visibility: visibility,
      files: [MediaFileName.preview: "tagged \(number)", MediaFileName.mp3: "whole \(number)"])
  }

  private static func type(of name: String) -> String {
    let suffix = name.split(separator: ".").last ?? ""
    return ["mp3": "audio/mpeg", "m3u8": LinkedPlaylist.mediaType, "jpg": "image/jpeg", "mp4": "video/mp4"][suffix]
      ?? "application/octet-stream"
  }

  static func hash(_ bytes: [UInt8]) throws -> BlobHash {
    let digits = SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
    guard let hash = BlobHash(digits) else { throw TestKitError("no hash: \(digits)") }
    return hash
  }

  func write(_ bytes: [UInt8]) throws -> String {
    let path = "\(test.folder)/\(test.ids.text())"
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  func listing(of seller: TestUser, audio: MediaID, cover: MediaID? = nil) async throws -> Listing {
    let price = Price(checked: Money(2000, .usd))
    return try await seller.client.send(
      CatalogAPI.CreateListing(
        kind: .beat, name: ShortText(validating: "Night drive"), cover: cover, audio: audio,
        licenses: [LicenseOption(kind: .lease, price: price, files: [.mp3])]))
  }

  /// Reports a use as a service does.
  func use(_ media: MediaID, _ access: MediaAccessKind, in object: Topic, sequence: Int64 = 1) async throws {
    try await report([MediaUse(media, access)], of: object, sequence: sequence)
  }

  func report(_ uses: [MediaUse], of object: Topic, sequence: Int64) async throws {
    let event = MediaReferencesChanged(object, uses, sequence: sequence)
    try await test.deliver(event, from: CatalogAPI.self, to: MediaAPI.self)
  }

  /// Delivers what a service has recorded about its uses, as its relay does.
  func relayUses(from service: any ServiceAPI.Type) async throws {
    for event in try await test.recorded(MediaReferencesChanged.self, by: service) {
      try await test.deliver(event, from: service, to: MediaAPI.self)
    }
  }

  func load(_ path: String, by user: TestUser? = nil) async throws -> WireResponse {
    try await test.send(.get, path, by: user)
  }

  func content(_ media: MediaID, by user: TestUser? = nil) async throws -> WireResponse {
    try await load("/v1/media/\(media)/content", by: user)
  }

  func delete(_ media: MediaID, by user: TestUser) async throws -> String? {
    try await problem { _ = try await user.client.send(MediaAPI.DeleteMedia(id: media)) }?.code
  }

  func collect() async throws { try await test.plugin(MediaIndexPlugin.self).runOnce("media.collect") }

  func isStored(_ bytes: [UInt8]) async throws -> Bool {
    try await core.blobs.storage.size(of: Self.hash(bytes)) != nil
  }

  func count(_ sql: SQL) async throws -> Int { try await core.database.read { db in try db.count(sql) } }
}
