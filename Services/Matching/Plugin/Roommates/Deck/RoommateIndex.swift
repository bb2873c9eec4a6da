import Contracts
import Observability
import Persistence
import ServiceKit
import Synchronization
import Threads

/// Keeps the visible profiles in memory. The database is the truth: readers pass on the changes that their transaction
/// has seen (``RoommateProfileStore/changes(after:in:)``) before they look for candidates, so that new and edited
/// profiles appear at once and several instances agree.
final class RoommateIndex: Sendable {
  private struct State {
    var content = RoommateIndexContent()
    var number: Int64 = 0
    /// Whether all profiles have to be read: after the start, and when changes are missing.
    var isOutdated = true
    /// The content that is being loaded.
    var loading: RoommateIndexContent?
  }

  private static let pageSize = 500
  /// How long a request waits for the profiles after a start, in pauses of 20 ms.
  private static let maxPauses = 250

  private let state = Mutex(State())
  private let database: any Database
  private let store: RoommateProfileStore
  private let threads: WorkThreads

  init(_ core: MatchingCore, _ store: RoommateProfileStore) {
    (database, self.store, threads) = (core.database, store, core.threads)
    core.environment.metrics.gauge("roommates_indexed", help: "Roommate profiles in memory.") { [weak self] in
      Double(self?.state.withLock { $0.content.count } ?? 0)
    }
  }

  /// The number of the latest change that the index contains.
  /// - Throws: ``Problem`` 503 while the profiles are being loaded.
  func number() async throws -> Int64 {
    for _ in 0..<Self.maxPauses {
      if let number = state.withLock({ $0.isOutdated ? nil : $0.number }) { return number }
      if !state.withLock({ $0.loading != nil }) { Task { try await Workload.shared { try await load() } } }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw Problem(.unavailable, detail: "The profiles are being loaded.", retryAfter: 5)
  }

  /// Applies the changes after a number that the index contained.
  /// - Returns: Whether the index is current; when it is not, it has to be loaded again.
  func apply(_ changes: RoommateChanges) -> Bool {
    state.withLock { state in
      if state.isOutdated { return false }
      if changes.number == state.number { return true }
      if changes.isIncomplete {
        state.isOutdated = true
        return false
      }
      guard changes.number > state.number else { return true }
      state.content.apply(changes)
      state.number = changes.number
      return true
    }
  }

  /// The selection of a viewer's candidates and the rows in which to look for them.
  func candidates(for viewer: CompleteProfile, without excluded: Set<PackedID>, on today: CalendarDate) -> (
    selection: DeckSelection, rows: [ContiguousArray<PackedRoommate>]
  ) {
    state.withLock { state in
      (state.content.selection(for: viewer, without: excluded, on: today), state.content.rows(for: viewer))
    }
  }

  /// Applies what has changed, or loads all profiles.
  func update() async throws {
    guard let number = state.withLock({ $0.isOutdated ? nil : $0.number }) else { return try await load() }
    let changes = try await database.read { [store] db in try store.changes(after: number, in: db) }
    if !apply(changes) { try await load() }
  }

  /// Loads all profiles in pages, unless that is done already.
  private func load() async throws {
    let begins = state.withLock { state in
      guard state.isOutdated, state.loading == nil else { return false }
      state.loading = RoommateIndexContent()
      return true
    }
    guard begins else { return }
    do {
      let number = try await database.read { db in try RoommateProfileStore.changeNumber(in: db) }
      var last: UserID?
      while true {
        let after = last
        let page = try await database.read { db in
          try RoommateProfileStore.page(after: after, limit: Self.pageSize, in: db)
        }
        let profiles = try await threads.run { [store] in try page.compactMap { try store.open($0) } }
        state.withLock { state in for profile in profiles { state.loading?.insert(profile) } }
        last = page.last?.userID
        if page.count < Self.pageSize { break }
      }
      // So many may have changed meanwhile that the next reader would find the index outdated.
      var current = number
      while true {
        let known = current
        let changes = try await database.read { [store] db in try store.changes(after: known, in: db) }
        if changes.number == known || changes.isIncomplete { break }
        state.withLock { $0.loading?.apply(changes) }
        current = changes.number
      }
      let reached = current
      state.withLock { state in
        guard let loaded = state.loading else { return }
        (state.content, state.number, state.loading, state.isOutdated) = (loaded, reached, nil, false)
      }
    } catch {
      state.withLock { $0.loading = nil }
      throw error
    }
  }
}
