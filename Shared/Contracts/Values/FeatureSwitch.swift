/// A feature that administrators can switch off for everyone while the platform runs, such as during an attack or
/// before a maintenance. What exists stays as it is, and can be read.
public enum FeatureSwitch: String, WireEnum {
  /// New accounts, also those of guests who become users, of persons whom a provider names, and of a school's new members.
  /// Guests are not affected.
  case signUp = "sign-up"
  /// New uploads; those that have begun may be finished.
  case uploads
  /// New auctions; bids on those that run are accepted.
  case auctions
  /// New messages in conversations, their edits, and the messages of offers. Prices are still offered.
  case messages

  /// The state while no administrator has decided.
  public var isOnByDefault: Bool {
    switch self {
    case .signUp, .uploads, .auctions, .messages: true
    }
  }
}

/// Whether something is switched on.
public struct FeatureState: Codable, Sendable, Equatable {
  /// One of ``FeatureSwitch``; a newer platform may have more.
  public var name: String
  public var isOn: Bool
  /// For `If-Match`; 0 while no administrator has decided.
  public var version: Int
  public init(name: String, isOn: Bool, version: Int) {
    (self.name, self.isOn, self.version) = (name, isOn, version)
  }
}
