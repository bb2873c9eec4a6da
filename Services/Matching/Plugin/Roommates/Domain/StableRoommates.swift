/// Pairs people of one pool so that no two of them would both rather have each other: Robert W. Irving, "An efficient
/// algorithm for the 'stable roommates' problem" (Journal of Algorithms 6, 1985), with incomplete lists.
///
/// Not every pool has such pairs. Then someone of a cycle that has no stable pairs (an odd party: Jimmy J. M. Tan, "A
/// necessary and sufficient condition for the existence of a complete stable matching", Journal of Algorithms 12, 1991)
/// is left out, and the others are paired. One person of each odd party has to be left out, so these are as few as
/// possible.
struct StableRoommates {
  /// The partner of each person, by their positions in the pool; `nil` without one.
  private(set) var partners: [Int?]
  /// The people without whom the others are paired stably; none when the pool has a stable matching.
  private(set) var leftOut: Set<Int> = []

  /// - Parameter preferences: For each person the acceptable others, the most preferred first. Those who do not accept
  ///   each other are ignored.
  init(_ preferences: [[Int]]) {
    partners = Array(repeating: nil, count: preferences.count)
    while true {
      var table = Table(preferences, without: leftOut)
      table.propose()
      if let someone = table.eliminateRotations() {
        leftOut.insert(someone)
        continue
      }
      for person in preferences.indices where !leftOut.contains(person) { partners[person] = table.first(person) }
      return
    }
  }

  /// The lists of everyone, from which pairs are removed that no stable matching has.
  private struct Table {
    private let lists: [[Int]]
    /// The position of each person in the list of another.
    private var ranks: [[Int: Int]]
    private var isRemoved: [[Bool]]
    private var heads: [Int]
    private var tails: [Int]
    private var counts: [Int]
    private let isIn: [Bool]

    init(_ preferences: [[Int]], without leftOut: Set<Int>) {
      let all = preferences.map { list in Dictionary(list.enumerated().map { ($1, $0) }) { first, _ in first } }
      let isIn = preferences.indices.map { !leftOut.contains($0) }
      lists = preferences.enumerated().map { person, list in
        list.filter { isIn[person] && isIn[$0] && $0 != person && all[$0][person] != nil }
      }
      self.isIn = isIn
      ranks = lists.map { list in Dictionary(list.enumerated().map { ($1, $0) }) { first, _ in first } }
      isRemoved = lists.map { Array(repeating: false, count: $0.count) }
      heads = lists.map { _ in 0 }
      tails = lists.map { $0.count - 1 }
      counts = lists.map(\.count)
    }

    mutating func first(_ person: Int) -> Int? {
      while heads[person] < lists[person].count && isRemoved[person][heads[person]] { heads[person] += 1 }
      return heads[person] < lists[person].count ? lists[person][heads[person]] : nil
    }

    private mutating func second(_ person: Int) -> Int? {
      guard first(person) != nil else { return nil }
      return lists[person].indices.dropFirst(heads[person] + 1).first { !isRemoved[person][$0] }
        .map { lists[person][$0] }
    }

    private mutating func last(_ person: Int) -> Int? {
      while tails[person] >= 0 && isRemoved[person][tails[person]] { tails[person] -= 1 }
      return tails[person] >= 0 ? lists[person][tails[person]] : nil
    }

    private mutating func remove(_ one: Int, _ other: Int) {
      guard let here = ranks[one][other], let there = ranks[other][one], !isRemoved[one][here] else { return }
      isRemoved[one][here] = true
      isRemoved[other][there] = true
      counts[one] -= 1
      counts[other] -= 1
    }

    /// Removes from someone's list everyone after a person.
    private mutating func removeAll(after person: Int, from holder: Int) -> [Int] {
      guard let rank = ranks[holder][person] else { return [] }
      var removed: [Int] = []
      while let worst = last(holder), let position = ranks[holder][worst], position > rank {
        remove(holder, worst)
        removed.append(worst)
      }
      return removed
    }

    /// Phase 1: everyone proposes in the order of their list, and holds the best proposal.
    mutating func propose() {
      var holds: [Int: Int] = [:]
      var free = lists.indices.reversed().filter { isIn[$0] }
      while let person = free.popLast() {
        guard let favorite = first(person) else { continue }
        let rejected = holds[favorite]
        holds[favorite] = person
        for other in removeAll(after: person, from: favorite) where other == rejected { free.append(other) }
      }
    }

    /// Phase 2: removes rotations until everyone has at most one person left.
    /// - Returns: Someone of an odd party, if there is one.
    mutating func eliminateRotations() -> Int? {
      var start = 0
      while start < lists.count {
        if counts[start] < 2 {
          start += 1
          continue
        }
        let rotation = rotation(from: start)
        for (person, next) in rotation { _ = removeAll(after: person, from: next) }
        for (person, next) in rotation where counts[person] == 0 || counts[next] == 0 { return rotation.first?.person }
      }
      return nil
    }

    /// A cycle of people and their second choices, each of whom has the next person last.
    private mutating func rotation(from start: Int) -> [(person: Int, second: Int)] {
      var path: [(person: Int, second: Int)] = []
      var indices: [Int: Int] = [:]
      var person = start
      while indices[person] == nil {
        guard let second = second(person), let next = last(second) else { return path }
        indices[person] = path.count
        path.append((person, second))
        person = next
      }
      return Array(path.dropFirst(indices[person] ?? 0))
    }
  }
}
