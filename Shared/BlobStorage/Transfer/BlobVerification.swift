/// Reads all blobs of a storage, and compares them with their hashes and with those that should be there.
public struct BlobVerification: Sendable {
  public struct Report: Sendable, Equatable {
    /// The blobs whose content has their hash.
    public var intact = 0
    public var intactBytes: Int64 = 0
    public var damaged = 0
    /// The blobs that should be stored but are not.
    public var missing = 0
    /// The blobs that are stored but not expected, such as content that is not in use yet or no longer.
    public var unexpected = 0

    public init(
      intact: Int = 0, intactBytes: Int64 = 0, damaged: Int = 0, missing: Int = 0, unexpected: Int = 0
    ) {
      (self.intact, self.intactBytes, self.damaged) = (intact, intactBytes, damaged)
      (self.missing, self.unexpected) = (missing, unexpected)
    }
  }

  public enum Finding: Sendable, Equatable { case damaged, missing }

  private static let pageSize = 200
  private static let concurrency = 4

  let storage: any BlobStorage
  let expected: @Sendable (_ after: BlobHash?, _ limit: Int) async throws -> [BlobHash]

  /// - Parameter expected: The blobs that should be stored, in ascending order, some at a time.
  public init(
    of storage: any BlobStorage,
    expected: @escaping @Sendable (_ after: BlobHash?, _ limit: Int) async throws -> [BlobHash]
  ) {
    (self.storage, self.expected) = (storage, expected)
  }

  /// - Parameter finding: Called for each damaged and missing blob.
  /// - Throws: ``BlobStorageError`` when the storage cannot be read, and what `expected` throws.
  public func run(finding: @Sendable (BlobHash, Finding) -> Void = { _, _ in }) async throws -> Report {
    var report = Report()
    var last: BlobHash?
    var expected = Expected(next: expected, pageSize: Self.pageSize)
    while case let page = try await storage.list(after: last, limit: Self.pageSize), let end = page.last?.hash {
      for (blob, state) in zip(page, try await page.mapConcurrently(Self.concurrency, check)) {
        switch state {
        case .intact:
          report.intact += 1
          report.intactBytes += blob.bytes
        case .damaged:
          report.damaged += 1
          finding(blob.hash, .damaged)
        case .gone: break
        }
      }
      let stored = Set(page.map(\.hash))
      report.unexpected += stored.count
      while case let wanted = try await expected.page(upTo: end), !wanted.isEmpty {
        report.unexpected -= wanted.count { stored.contains($0) }
        try await note(missing: wanted.filter { !stored.contains($0) }, in: &report, finding)
      }
      last = end
    }
    while case let wanted = try await expected.page(upTo: nil), !wanted.isEmpty {
      try await note(missing: wanted, in: &report, finding)
    }
    return report
  }

  private enum State { case intact, damaged, gone }

  private func check(_ blob: StoredBlob) async throws -> State {
    do {
      try await storage.verify(blob.hash)
      return .intact
    } catch BlobStorageError.damaged {
      return .damaged
    } catch BlobStorageError.notFound {
      return .gone
    }
  }

  private func note(
    missing hashes: [BlobHash], in report: inout Report, _ finding: (BlobHash, Finding) -> Void
  ) async throws {
    // It may have been stored after the page was listed.
    for hash in hashes where try await storage.size(of: hash) == nil {
      report.missing += 1
      finding(hash, .missing)
    }
  }

  /// The expected blobs, read by pages.
  private struct Expected {
    let next: @Sendable (BlobHash?, Int) async throws -> [BlobHash]
    let pageSize: Int
    private var last: BlobHash?
    private var waiting: [BlobHash] = []
    private var isAtEnd = false

    init(next: @escaping @Sendable (BlobHash?, Int) async throws -> [BlobHash], pageSize: Int) {
      (self.next, self.pageSize) = (next, pageSize)
    }

    /// The next ones up to a hash; empty when there are no more.
    mutating func page(upTo end: BlobHash?) async throws -> [BlobHash] {
      if waiting.isEmpty, !isAtEnd {
        waiting = try await next(last, pageSize)
        last = waiting.last ?? last
        isAtEnd = waiting.isEmpty
      }
      let page = waiting.prefix { hash in end.map { hash <= $0 } ?? true }
      waiting.removeFirst(page.count)
      return Array(page)
    }
  }
}
