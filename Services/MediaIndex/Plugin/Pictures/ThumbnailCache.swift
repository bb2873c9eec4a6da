import BlobStorage
import Contracts
import Observability
import RedisClient
import ServiceKit
import Synchronization

/// A cache that keeps the bytes of small pictures near those who ask for them. They are named by their content, so that
/// nothing in it is ever out of date.
protocol BlobCache: Sendable {
  func find(_ blob: BlobHash) async -> [UInt8]?
  func keep(_ bytes: [UInt8], of blob: BlobHash) async
}

/// A cache of small pictures: their bytes, and briefly which of them everyone may load.
final class ThumbnailCache: Sendable {
  /// How long a media item that has become private is still sent to everyone, in seconds.
  private static let publicSeconds = 5.0
  private static let maxSets = 10_000

  private struct Known {
    var set: ThumbnailSet
    var expiresAt: Timestamp
  }

  private let blobs: any BlobCache
  private let sets = Mutex<[MediaID: Known]>([:])
  private let hits: Metrics.Counter
  private let misses: Metrics.Counter
  let dependencies: [Dependency]

  init(_ environment: ServiceEnvironment) throws {
    let settings = environment.settings
    if let address = try settings[PictureSettings.redisURL].flatMap({ RedisAddress($0) }) {
      let redis = RedisBlobCache(client: RedisClient(address))
      blobs = redis
      dependencies = [
        Dependency(
          "redis", setting: PictureSettings.redisURL.key, without: "small pictures are read from the storage"
        ) { try await redis.check() }
      ]
    } else {
      dependencies = []
      blobs = MemoryBlobCache(maxBytes: try settings[PictureSettings.cacheMegabytes] << 20)
    }
    let metrics = environment.metrics
    hits = metrics.counter("media_thumbnail_cache_hits_total", help: "Small pictures sent from the cache")
    misses = metrics.counter("media_thumbnail_cache_misses_total", help: "Small pictures read from the storage")
  }

  func bytes(of blob: BlobHash, load: () async throws -> [UInt8]) async throws -> [UInt8] {
    if let bytes = await blobs.find(blob) {
      hits.increment()
      return bytes
    }
    misses.increment()
    let bytes = try await load()
    await blobs.keep(bytes, of: blob)
    return bytes
  }

  func publicSet(of media: MediaID, at now: Timestamp) -> ThumbnailSet? {
    sets.withLock { sets in sets[media].flatMap { $0.expiresAt > now ? $0.set : nil } }
  }

  func keep(_ set: ThumbnailSet, of media: MediaID, at now: Timestamp) {
    sets.withLock { sets in
      if sets.count >= Self.maxSets { sets.removeAll() }
      sets[media] = Known(set: set, expiresAt: now.advanced(bySeconds: Self.publicSeconds))
    }
  }
}

/// A cache in this process that drops what was not used for longest.
final class MemoryBlobCache: BlobCache {
  /// The bytes that an entry takes besides its content.
  private static let overhead = 256

  private struct Entry {
    var bytes: [UInt8]
    var newer: BlobHash?
    var older: BlobHash?
  }

  private struct State {
    var entries: [BlobHash: Entry] = [:]
    var newest: BlobHash?
    var oldest: BlobHash?
    var size = 0

    mutating func remove(_ blob: BlobHash) -> [UInt8]? {
      guard let entry = entries.removeValue(forKey: blob) else { return nil }
      if let newer = entry.newer { entries[newer]?.older = entry.older } else { newest = entry.older }
      if let older = entry.older { entries[older]?.newer = entry.newer } else { oldest = entry.newer }
      size -= entry.bytes.count + overhead
      return entry.bytes
    }

    mutating func add(_ blob: BlobHash, _ bytes: [UInt8]) {
      entries[blob] = Entry(bytes: bytes, newer: nil, older: newest)
      if let newest { entries[newest]?.newer = blob }
      newest = blob
      oldest = oldest ?? blob
      size += bytes.count + overhead
    }
  }

  private let maxBytes: Int
  private let state = Mutex(State())

  init(maxBytes: Int) { self.maxBytes = maxBytes }

  func find(_ blob: BlobHash) async -> [UInt8]? {
    state.withLock { state in
      guard let bytes = state.remove(blob) else { return nil }
      state.add(blob, bytes)
      return bytes
    }
  }

  func keep(_ bytes: [UInt8], of blob: BlobHash) async {
    // One entry does not displace everything.
    guard bytes.count <= maxBytes / 8 else { return }
    state.withLock { state in
      _ = state.remove(blob)
      state.add(blob, bytes)
      while state.size > maxBytes, let oldest = state.oldest { _ = state.remove(oldest) }
    }
  }
}
