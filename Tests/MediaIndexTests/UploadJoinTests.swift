import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import MediaIndexService

/// Joins take no more than what their user is charged for, also when they are canceled while they wait.
struct UploadJoinTests {
  private let file = [UInt8].recording(300_000)

  /// Uploads the file as parts, and stores the row of the upload that joins them.
  private func parts(_ client: TusClient, in host: UploadHost) async throws -> (final: UploadID, parts: [UploadID]) {
    var parts: [UploadID] = []
    for range in [0..<150_000, 150_000..<file.count] {
      let path = try await client.create(length: range.count, ["Upload-Concat": "partial"]).location
      _ = try await client.append(file[range], at: 0, to: path)
      parts.append(try host.id(of: path))
    }
    let creation = UploadCreation(
      uploads: try host.uploads.uploads, user: UploadHost.caller(client.user), metadata: nil, concat: "final;")
    return (try await creation.create(.final(parts)).id, parts)
  }

  /// Lets the joins of a user wait until the body has ended.
  private func whileJoinsWait<Value: Sendable>(
    of user: UserID, _ joins: UploadJoins, _ body: () async throws -> Value
  ) async throws -> Value {
    let (gate, end) = AsyncStream.makeStream(of: Void.self)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let holder = Task {
      try await joins.run(of: user) {
        begin.finish()
        for await _ in gate {}
      }
    }
    for await _ in begun {}
    let value: Value
    do { value = try await body() } catch {
      end.finish()
      throw error
    }
    end.finish()
    try await holder.value
    return value
  }

  /// A canceled upload, whose parts another one joins by now.
  @Test(arguments: TestDatabase.allCases)
  func aJoinThatWasCanceledWhileItWaitedStoresNothing(_ database: TestDatabase) async throws {
    try await UploadHost.run(database) { host async throws in
      let client = try await host.client()
      let (final, parts) = try await parts(client, in: host)
      let (uploads, finisher) = (try host.uploads.uploads, try host.uploads.finisher)
      let join = try await whileJoinsWait(of: client.user.id, uploads.joins) {
        let join = Task { try await finisher.finish(final) }
        try await eventually("the join waits") { uploads.joins.waiting == 1 }
        // The work of another instance on a DELETE.
        try await uploads.delete([final])
        return join
      }
      await #expect(throws: Problem(.uploadGone)) { _ = try await join.value }
      #expect(try await host.count("SELECT COUNT(*) FROM blob_checks") == 0)
      #expect(try host.files() == parts.map(\.rawValue).sorted())
    }
  }

  @Test func whileUploadsAreOffPartsAreStillJoined() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      var parts: [String] = []
      for range in [0..<150_000, 150_000..<file.count] {
        let path = try await client.create(length: range.count, ["Upload-Concat": "partial"]).location
        if parts.isEmpty { _ = try await client.append(file[range], at: 0, to: path) }
        parts.append(path)
      }
      try await host.test.switchFeature(.uploads, isOn: false)
      #expect(try await client.send(.post, "/v1/uploads", ["Upload-Length": "5"]).status == 403)
      let part = ["Upload-Length": "5", "Upload-Concat": "partial"]
      #expect(try await client.send(.post, "/v1/uploads", part).status == 403)
      _ = try await client.append(file[150_000...], at: 0, to: parts[1])
      let concat = "final;" + parts.joined(separator: " ")
      let joined = try await client.send(.post, "/v1/uploads", ["Upload-Concat": concat])
      #expect(joined.status == 201)
      #expect(try await host.media(joined["Upload-Media"])?.sha256 == file.sha256)
    }
  }

  @Test func theCancelationOfAnUploadEndsItsJoin() async throws {
    try await UploadHost.run { host async throws in
      let client = try await host.client()
      let (final, parts) = try await parts(client, in: host)
      let (uploads, finisher) = (try host.uploads.uploads, try host.uploads.finisher)
      let join = try await whileJoinsWait(of: client.user.id, uploads.joins) {
        let join = Task { try await finisher.finish(final) }
        try await eventually("the join waits") { uploads.joins.waiting == 1 }
        #expect(try await client.send(.delete, "/v1/uploads/\(final)").status == 204)
        #expect(uploads.joins.waiting == 0)
        return join
      }
      await #expect(throws: Problem(.uploadGone)) { _ = try await join.value }
      let concat = "final;" + parts.map { "/v1/uploads/\($0)" }.joined(separator: " ")
      let other = try await client.send(.post, "/v1/uploads", ["Upload-Concat": concat])
      #expect(try await host.media(other["Upload-Media"])?.sha256 == file.sha256)
    }
  }

  @Test func aPartThatBelongsToAnotherUploadIsNotJoined() async throws {
    try await UploadHost.run { host async throws in
      let (final, parts) = try await parts(try await host.client(), in: host)
      let other = try host.uploads.uploads.newID()
      try await host.database.write { tx in try UploadStore.reserve([parts[1]], for: other, in: tx) }
      let finisher = try host.uploads.finisher
      await #expect(throws: Problem(.uploadGone)) { _ = try await finisher.finish(final) }
      #expect(try await host.count("SELECT COUNT(*) FROM blob_checks") == 0)
    }
  }

  // MARK: the disk

  /// Parts that together take more than is left.
  @Test func whatTheDiskHasNoSpaceForIsNotJoined() async throws {
    try await UploadHost.run(settings: try UploadHost.settings(leaving: 4 << 30)) { host async throws in
      let client = try await host.client()
      let (final, parts) = try await parts(client, in: host)
      let finisher = try host.uploads.finisher
      try await host.database.write { tx in
        try tx.execute("UPDATE uploads SET length = \(6 << 30), received = \(6 << 30) WHERE id = \(final)")
      }
      await #expect(throws: Problem(.storageFull)) { _ = try await finisher.finish(final) }
      #expect(try host.files() == ([final] + parts).map(\.rawValue).sorted())
      #expect(try await client.send(.delete, "/v1/uploads/\(final)").status == 204)

      try await host.database.write { tx in
        try tx.execute("UPDATE uploads SET length = \(3 << 30), received = \(3 << 30)")
      }
      let concat = "final;" + parts.map { "/v1/uploads/\($0)" }.joined(separator: " ")
      let refused = try await client.send(.post, "/v1/uploads", ["Upload-Concat": concat])
      #expect(refused.status == 507)
      #expect(try await host.count("SELECT COUNT(*) FROM uploads") == 2)
    }
  }

  @Test func aFailedJoinTakesNoSpace() async throws {
    try await UploadHost.run { host async throws in
      let (final, parts) = try await parts(try await host.client(), in: host)
      let name = "\(host.test.folder)/uploads/\(parts[1])"
      // A folder cannot be read.
      try FileManager.default.removeItem(atPath: name)
      try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: false)
      let finisher = try host.uploads.finisher
      await #expect(throws: (any Error).self) { _ = try await finisher.finish(final) }
      #expect(try host.files() == ([final] + parts).map(\.rawValue).sorted())
    }
  }

  // MARK: many

  @Test func onlySoManyJoinsOfAUserWait() async throws {
    let (joins, user) = (UploadJoins(), UserID(trusted: "user"))
    let waiting = try await whileJoinsWait(of: user, joins) {
      let waiting = (0..<UploadJoins.maxWaitingOfUser).map { _ in Task { try await joins.run(of: user) {} } }
      try await eventually("all wait") { joins.waiting == waiting.count }
      await #expect(throws: Problem(.overloaded, retryAfter: 5)) { try await joins.run(of: user) {} }
      try await joins.run(of: UserID(trusted: "other")) {}
      return waiting
    }
    for task in waiting { try await task.value }
  }
}
