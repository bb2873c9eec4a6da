import Contracts

/// A made-up person, who uses mostly one of the apps.
struct DemoPerson: Sendable {
  let index: Int
  let app: ClientApp
  let firstName: String
  let lastName: String
  let username: String
  let gender: Gender
  let birthday: CalendarDate
  let biography: String
  let school: String
  let account: DemoAccount

  /// The apps in the order in which people are given to them.
  static let apps: [ClientApp] = [.archived, .keepfit, .yesenia, .roomi, .letustudy]

  var displayName: String { "\(firstName) \(lastName)" }
  /// The first of each app is the one to sign in as: they have the most to look at.
  var isMainCharacter: Bool { index < Self.apps.count }

  /// The facts of a person, which follow from the seed and the index.
  init(
    _ index: Int, seed: UInt64, taken: inout Set<String>,
    account: (_ username: String, _ displayName: String, _ email: String?) -> DemoAccount
  ) {
    var random = DemoRandom(seed, "person.\(index)")
    self.index = index
    app = Self.apps[index % Self.apps.count]
    gender = random.chance(0.06) ? .nonBinary : random.chance(0.5) ? .female : .male
    let names =
      switch gender {
      case .female: PersonTexts.female
      case .male: PersonTexts.male
      case .nonBinary, .undisclosed: PersonTexts.female + PersonTexts.male
      }
    (firstName, lastName) = (random.pick(names), random.pick(PersonTexts.last))
    let base = "\(firstName).\(lastName)".lowercased()
    username = (1...).lazy.map { $0 == 1 ? base : "\(base)\($0)" }.first { !taken.contains($0) } ?? base
    taken.insert(username)
    let (year, month, day) = (random.number(in: 1985...2004), random.number(in: 1...12), random.number(in: 1...28))
    birthday = CalendarDate(Timestamp.day(year, month, day))
    biography = random.pick(PersonTexts.biographies[index % Self.apps.count])
    school = random.pick(PersonTexts.schools)
    // Only main characters have an address: mail to 200 invented addresses helps no one. No one can own `.invalid`.
    let email = index < Self.apps.count ? "\(username)@demo.invalid" : nil
    self.account = account(username, "\(firstName) \(lastName)", email)
  }
}

extension Timestamp {
  /// The beginning of a day, in UTC.
  static func day(_ year: Int, _ month: Int, _ day: Int) -> Timestamp {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return Timestamp("\(year)-\(digits(month))-\(digits(day))T00:00:00Z") ?? Timestamp(microseconds: 0)
  }
}
