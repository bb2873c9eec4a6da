import Contracts
import Persistence
import ServiceKit

/// The users below the age of digital consent, by the birthday, the country and what a guardian has decided. A consent
/// ends by itself when the age is reached, because it is then no longer asked for.
struct Minors: Sendable {
  let store: GuardianStore
  let time: TimeSource

  init(_ environment: ServiceEnvironment) {
    (store, time) = (GuardianStore(keys: environment.dataKeys), environment.time)
  }

  private var today: CalendarDate { CalendarDate(time.now()) }

  /// Without a birthday, a user is not treated as a minor.
  static func isBelow(_ age: Int, _ birthday: CalendarDate?, on today: CalendarDate) -> Bool {
    guard let birthday else { return false }
    return birthday.years(until: today) < age
  }

  func status(of account: Account, in db: any Connection) throws -> GuardianStatus {
    let country = try GuardianStore.country(of: account.id, in: db)
    let age = ConsentAges.age(in: country)
    guard Self.isBelow(age, account.details.birthday, on: today) else {
      return GuardianStatus(state: .notNeeded, country: country, age: age)
    }
    let request = try store.latest(of: account.id, at: time.now(), in: db)
    let state: GuardianStatus.State =
      switch request?.state {
      case nil: .needed
      case .asked: .asked
      case .given: .given
      case .refused: .refused
      case .withdrawn: .withdrawn
      }
    return GuardianStatus(state: state, country: country, age: age)
  }

  /// The accounts that may publish nothing.
  func limited(among accounts: [Account], in db: any Connection) throws -> Set<UserID> {
    let young = accounts.filter { Self.isBelow(ConsentAges.highest, $0.details.birthday, on: today) }
    guard !young.isEmpty else { return [] }
    let countries = try GuardianStore.countries(of: young.map(\.id), in: db)
    let minors = young.filter { Self.isBelow(ConsentAges.age(in: countries[$0.id]), $0.details.birthday, on: today) }
    return Set(minors.map(\.id)).subtracting(try GuardianStore.consented(among: minors.map(\.id), in: db))
  }

  /// The accounts as others see them: those that may publish nothing show nothing but their names.
  func hidden(_ accounts: [Account], from viewer: UserID?, in db: any Connection) throws -> [Account] {
    let limited = try limited(among: accounts, in: db)
    return accounts.map { account in
      guard limited.contains(account.id), account.id != viewer else { return account }
      var hidden = account
      for field in ProfileField.allCases { hidden.visibility[field] = .onlyMe }
      return hidden
    }
  }

  /// A user does not become older by changing or removing a birthday by which a guardian is needed. Support corrects
  /// mistakes.
  ///
  /// - Throws: ``Problem`` `guardian-consent-required`.
  func requireBirthdayMayChange(from old: Account, to new: Account, in db: any Connection) throws {
    guard let birthday = old.details.birthday, new.details.birthday != birthday else { return }
    guard Self.isBelow(ConsentAges.age(in: try GuardianStore.country(of: old.id, in: db)), birthday, on: today) else {
      return
    }
    if let later = new.details.birthday, later > birthday { return }
    throw Problem(
      .guardianConsentRequired, detail: "The birthday of a minor can only be corrected by support.",
      errors: [.init(location: "body.details.birthday", message: "cannot be changed")])
  }
}
