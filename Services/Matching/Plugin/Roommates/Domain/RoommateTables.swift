import Contracts

/// Numbers for values that have no small closed set. A value keeps its number as long as the index exists.
struct RoommateTables: Sendable {
  private var schools: [String: UInt32] = [:]
  private var languageNumbers: [LanguageSets: UInt32] = [:]
  /// By number; the first stands for no languages.
  private(set) var languages: ContiguousArray<LanguageSets> = [LanguageSets()]

  mutating func number(of school: String) -> UInt32 {
    if let known = schools[school] { return known }
    let number = UInt32(schools.count + 1)
    schools[school] = number
    return number
  }

  mutating func number(of sets: LanguageSets) -> UInt32 {
    if let known = languageNumbers[sets] { return known }
    let number = UInt32(languages.count)
    languages.append(sets)
    languageNumbers[sets] = number
    return number
  }
}
