/// Numbers for values that have no small closed set. Each row that is packed uses its values until it is released.
struct RoommateTables: Sendable {
  private var schools = CountedNumbers(none: "")
  private var languageSets = CountedNumbers(none: LanguageSets())

  /// The languages by number; the first stands for none.
  var languages: ContiguousArray<LanguageSets> { languageSets.values }
  /// How many numbers there are, used or not.
  var count: Int { schools.values.count + languageSets.values.count - 2 }

  mutating func number(of school: String) -> UInt32 { schools.retain(school) }

  mutating func number(of sets: LanguageSets) -> UInt32 { languageSets.retain(sets) }

  /// Ends the uses of a row that was packed with these tables.
  mutating func release(_ row: PackedRoommate) {
    schools.release(row.school)
    languageSets.release(row.languages)
  }
}
