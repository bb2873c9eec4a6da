/// Finds the best candidates of a place for a viewer.
struct DeckSelection: Sendable {
  /// A candidate; the greater key is the better one.
  struct Candidate: Sendable, Comparable {
    /// The score, then the tie-breaker.
    let key: UInt64
    let id: PackedID

    var score: Int { Int(key >> 32) }

    static func < (left: Self, right: Self) -> Bool {
      left.key != right.key ? left.key < right.key : left.id < right.id
    }
  }

  let viewer: PackedRoommate
  let languages: ContiguousArray<LanguageSets>
  let today: UInt32
  /// People who are never found, besides the viewer.
  var excluded: Set<PackedID>

  /// The best candidates, best first.
  ///
  /// The excluded ones are looked up only when they are good enough, which is rare, so that the loop stays in the packed
  /// rows.
  func best(_ count: Int, of rows: [ContiguousArray<PackedRoommate>]) -> [Candidate] {
    guard count > 0 else { return [] }
    var found: [Candidate] = []
    found.reserveCapacity(count)
    for chunk in rows {
      chunk.withUnsafeBufferPointer { chunk in
        for index in chunk.indices {
          guard let score = Compatibility.score(viewer, chunk[index], languages, today: today) else { continue }
          let id = chunk[index].id
          let key = UInt64(score) << 32 | UInt64(Compatibility.tieBreaker(viewer.id, id))
          let candidate = Candidate(key: key, id: id)
          if found.count == count && candidate < found[0] { continue }
          if id == viewer.id || excluded.contains(id) { continue }
          Self.insert(candidate, into: &found, count)
        }
      }
    }
    return found.sorted(by: >)
  }

  /// Keeps the best in a binary heap whose first is the worst of them.
  private static func insert(_ candidate: Candidate, into heap: inout [Candidate], _ count: Int) {
    if heap.count < count {
      heap.append(candidate)
      var child = heap.count - 1
      while child > 0, heap[child] < heap[(child - 1) / 2] {
        heap.swapAt(child, (child - 1) / 2)
        child = (child - 1) / 2
      }
      return
    }
    heap[0] = candidate
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < count && heap[child] < heap[least] { least = child }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
