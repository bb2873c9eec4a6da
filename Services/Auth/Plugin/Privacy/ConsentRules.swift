import Contracts
import Persistence
import ServiceKit

/// The consents in force, and what depends on them.
///
/// - `healthData`: weight and height in profiles, birthdays that KeepFit sends, and the weights of workouts (study-sync),
///   without which no kilocalories are computed. When it is withdrawn, weight, height, the weights of workouts and what
///   was computed from them are deleted; the birthday stays, because the age checks need it, and only its user sees it.
/// - `newsletter`: subscriptions of signed-in users (catalog). A withdrawal ends them.
/// - `analytics`: crash reports of signed-in users (the gateway). Reports without an account identify no user.
struct ConsentRules: Sendable {
  static let versionsSetting = Setting<[ConsentPurpose: ShortText]>(
    "auth.consentVersions",
    default: [:],
    expects: "purposes with versions, such as healthData=2026-01,newsletter=2",
    "The versions of the consent texts that are in force; a consent to another version does not count. Any version of a "
      + "purpose that is not named"
  ) { text in
    var versions: [ConsentPurpose: ShortText] = [:]
    for pair in text.split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, let purpose = ConsentPurpose(rawValue: parts[0]),
        let version = try? ShortText(validating: parts[1])
      else { return nil }
      versions[purpose] = version
    }
    return versions
  }

  let versions: [ConsentPurpose: ShortText]

  init(_ settings: Settings) throws { versions = try settings[Self.versionsSetting] }

  /// Whether a decision is a consent that is in force.
  func isInForce(_ consent: Consent) -> Bool {
    consent.isGiven && versions[consent.purpose].map { $0 == consent.textVersion } ?? true
  }

  func isGiven(_ purpose: ConsentPurpose, by user: UserID, in db: any Connection) throws -> Bool {
    try ConsentStore.latest(purpose, of: user, in: db).map(isInForce) ?? false
  }

  /// - Throws: ``Problem`` `consent-required`.
  func require(_ purpose: ConsentPurpose, of user: UserID, in db: any Connection) throws {
    guard try isGiven(purpose, by: user, in: db) else { throw Problem.consentRequired(purpose) }
  }

  /// Requires the consents for a change of a profile. Values that stay as they are, or are removed, need none.
  func require(
    for new: ProfileDetails, insteadOf old: ProfileDetails, of user: UserID, app: ClientApp?, in db: any Connection
  ) throws {
    let isAboutHealth =
      new.weightGrams != nil && new.weightGrams != old.weightGrams
      || new.heightMillimetres != nil && new.heightMillimetres != old.heightMillimetres
      || app == .keepfit && new.birthday != nil && new.birthday != old.birthday
    if isAboutHealth { try require(.healthData, of: user, in: db) }
  }

  /// Deletes what the account holds by a consent.
  /// - Returns: Whether something was deleted.
  static func withdraw(_ purpose: ConsentPurpose, from account: inout Account) -> Bool {
    guard purpose == .healthData else { return false }
    let before = account
    (account.details.weightGrams, account.details.heightMillimetres) = (nil, nil)
    if account.details.birthday != nil { account.visibility[.birthday] = .onlyMe }
    return account != before
  }

  static func isNeededFor(_ purpose: ConsentPurpose) -> String {
    switch purpose {
    case .termsOfService: "an account"
    case .privacyPolicy: "an account"
    case .newsletter: "the newsletter of a signed-in user"
    case .analytics: "crash reports of a signed-in user"
    case .healthData: "weight, height, the birthday in KeepFit, and the weights of workouts"
    }
  }
}
