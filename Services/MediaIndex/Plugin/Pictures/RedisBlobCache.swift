import BlobStorage
import RedisClient

/// A cache that all instances of the service share. When Redis does not respond, pictures come from the storage.
struct RedisBlobCache: BlobCache {
  /// Without use, Redis drops a picture after this long, in seconds.
  private static let seconds = 7 * 86_400
  private static let maxBytes = 1 << 20

  let client: RedisClient

  func find(_ blob: BlobHash) async -> [UInt8]? {
    let reply = try? await client.send(["GETEX", Self.key(of: blob), "EX", "\(Self.seconds)"])
    guard case .bytes(let bytes) = reply else { return nil }
    return bytes
  }

  func keep(_ bytes: [UInt8], of blob: BlobHash) async {
    guard bytes.count <= Self.maxBytes else { return }
    let words = ["SET", Self.key(of: blob)].map { Array($0.utf8) } + [bytes]
    _ = try? await client.send(words + ["EX", "\(Self.seconds)"].map { Array($0.utf8) })
  }

  /// Stores something, which a replica or a Redis without memory refuses.
  ///
  /// - Throws: ``RedisFailure`` when Redis cannot be used.
  func check() async throws { _ = try await client.send(["SET", "quintet:check", "", "EX", "60"]) }

  private static func key(of blob: BlobHash) -> String { "quintet:picture:\(blob)" }
}
