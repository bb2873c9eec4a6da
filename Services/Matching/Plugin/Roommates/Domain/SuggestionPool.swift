import Contracts

/// People of whom each may be suggested to one other.
struct SuggestionPool: Sendable {
  let people: [CompleteProfile]
  /// Pairs that are not suggested to each other, because one of them has swiped on or blocked the other.
  let excludedPairs: [(UserID, UserID)]

  /// Stable pairs, by the order of the deck of each person.
  func pairs(on day: CalendarDate) -> [(UserID, UserID)] {
    var tables = RoommateTables()
    let rows = people.map { PackedRoommate($0, &tables) }
    let numbers = Dictionary(uniqueKeysWithValues: people.enumerated().map { ($1.userID, $0) })
    var excluded = people.map { _ in Set<Int>() }
    for (one, other) in excludedPairs {
      guard let one = numbers[one], let other = numbers[other] else { continue }
      excluded[one].insert(other)
      excluded[other].insert(one)
    }
    let today = PackedRoommate.packed(day)
    let preferences = rows.indices.map { person -> [Int] in
      let candidates = rows.indices.compactMap { other -> (key: UInt64, other: Int)? in
        guard other != person, !excluded[person].contains(other), people[person].isAtPlace(of: people[other]),
          let score = Compatibility.score(rows[person], rows[other], tables.languages, today: today)
        else { return nil }
        return (UInt64(score) << 32 | UInt64(Compatibility.tieBreaker(rows[person].id, rows[other].id)), other)
      }
      return candidates.sorted { $0 > $1 }.map(\.other)
    }
    return StableRoommates(preferences).partners.enumerated().compactMap { person, partner in
      partner.flatMap { person < $0 ? (people[person].userID, people[$0].userID) : nil }
    }
  }
}
