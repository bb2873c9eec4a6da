import Crypto
import Foundation
import SystemPackage

/// Copies all blobs from one storage to another, verified by their hashes.
///
/// It may be repeated: what the other storage has with the right size is not copied again.
public struct BlobMove: Sendable {
  public struct Report: Sendable, Equatable {
    public var copied = 0
    public var copiedBytes: Int64 = 0
    /// The blobs that the other storage had.
    public var present = 0
    /// The blobs whose content does not have their hash; they are not copied.
    public var damaged = 0
    /// The blobs removed from the source.
    public var removed = 0
  }

  private static let pageSize = 200
  private static let concurrency = 4

  let source: any BlobStorage
  let target: any BlobStorage
  let folder: String
  let removesFromSource: Bool

  /// - Parameters:
  ///   - folder: An existing folder for copies on their way, best in the file system of the target.
  ///   - removesFromSource: Whether what the target has is removed from the source: only when no process uses it.
  public init(
    from source: any BlobStorage,
    to target: any BlobStorage,
    folder: String,
    removesFromSource: Bool = false
  ) {
    (self.source, self.target, self.folder) = (source, target, folder)
    self.removesFromSource = removesFromSource
  }

  /// - Parameters:
  ///   - progress: Called after each page.
  ///   - damaged: Called for each damaged blob.
  /// - Throws: ``BlobStorageError``.
  public func run(
    progress: @Sendable (Report) -> Void = { _ in },
    damaged: @Sendable (BlobHash) -> Void = { _ in }
  ) async throws -> Report {
    var report = Report()
    var last: BlobHash?
    while case let page = try await source.list(after: last, limit: Self.pageSize), let end = page.last {
      for outcome in try await page.mapConcurrently(Self.concurrency, copy) {
        switch outcome.result {
        case .copied:
          report.copied += 1
          report.copiedBytes += outcome.blob.bytes
        case .present: report.present += 1
        case .damaged:
          report.damaged += 1
          damaged(outcome.blob.hash)
        case .gone: break
        }
        if outcome.wasRemoved { report.removed += 1 }
      }
      last = end.hash
      progress(report)
    }
    return report
  }

  private struct Outcome: Sendable {
    enum Result { case copied, present, damaged, gone }
    let blob: StoredBlob
    let result: Result
    var wasRemoved = false
  }

  private func copy(_ blob: StoredBlob) async throws -> Outcome {
    var outcome = Outcome(blob: blob, result: try await result(of: blob))
    if removesFromSource, outcome.result == .copied || outcome.result == .present {
      try await source.remove(blob.hash)
      outcome.wasRemoved = true
    }
    return outcome
  }

  private func result(of blob: StoredBlob) async throws -> Outcome.Result {
    if try await target.size(of: blob.hash) == blob.bytes { return .present }
    let path = "\(folder)/\(UUID().uuidString.lowercased())"
    defer { _ = try? BlobFile.remove(path) }
    do {
      try await source.copy(blob.hash, to: path)
      try await target.store(fileAt: path, as: blob.hash)
    } catch BlobStorageError.notFound {
      // Removed in the meantime.
      if try await source.size(of: blob.hash) == nil { return .gone }
      throw BlobStorageError.notFound
    } catch BlobStorageError.damaged {
      return .damaged
    }
    guard try await target.size(of: blob.hash) == blob.bytes else {
      throw BlobStorageError.unavailable("a stored blob is missing")
    }
    return .copied
  }
}

extension BlobStorage {
  /// Writes a blob into a new file.
  /// - Throws: ``BlobStorageError``: `damaged` when its content does not have its hash.
  public func copy(_ hash: BlobHash, to path: String) async throws {
    let threads = FileThreads()
    let file = try await threads.run {
      try FileDescriptor.open(
        path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: .ownerReadWrite)
    }
    do {
      try await read(hash) { chunk in _ = try await threads.run { try file.writeAll(chunk) } }
    } catch {
      try? file.close()
      throw error
    }
    try file.close()
  }

  /// Reads a blob and compares its content with its hash.
  /// - Throws: ``BlobStorageError``: `damaged` when its content does not have its hash.
  public func verify(_ hash: BlobHash) async throws { try await read(hash) { _ in } }

  private func read(_ hash: BlobHash, _ body: ([UInt8]) async throws -> Void) async throws {
    var hasher = SHA256()
    switch try await content(of: hash) {
    case .file(let path, let bytes):
      let threads = FileThreads()
      var start: Int64 = 0
      while start < bytes {
        let range = start..<min(start + Int64(BlobFile.chunkBytes), bytes)
        let chunk = try await threads.run {
          var chunk: [UInt8] = []
          try BlobFile.read(path, range) { chunk += $0 }
          return chunk
        }
        guard !chunk.isEmpty else { break }
        hasher.update(data: chunk)
        try await body(chunk)
        start += Int64(chunk.count)
      }
    case .object(let blob):
      for try await chunk in blob.read(0..<blob.bytes) {
        hasher.update(data: chunk)
        try await body(chunk)
      }
    }
    guard BlobHash(hasher.finalize()) == hash else { throw BlobStorageError.damaged }
  }
}

extension Array where Element: Sendable {
  /// The results in the order of the elements, computed some at a time.
  func mapConcurrently<Value: Sendable>(
    _ width: Int,
    _ body: @escaping @Sendable (Element) async throws -> Value
  ) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (index: Int, value: Value).self) { group in
      var values = [Value?](repeating: nil, count: count)
      var next = 0
      while next < count || !group.isEmpty {
        if next < count, next < width {
          add(next, to: &group, body)
          next += 1
        } else if let done = try await group.next() {
          values[done.index] = done.value
          if next < count {
            add(next, to: &group, body)
            next += 1
          }
        }
      }
      return values.compactMap { $0 }
    }
  }

  private func add<Value: Sendable>(
    _ index: Int,
    to group: inout ThrowingTaskGroup<(index: Int, value: Value), any Error>,
    _ body: @escaping @Sendable (Element) async throws -> Value
  ) {
    let element = self[index]
    group.addTask { (index, try await body(element)) }
  }
}
