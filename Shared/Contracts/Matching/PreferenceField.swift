/// A field of ``RoommatePreferences`` as apps show it.
public struct PreferenceField: Codable, Sendable, Equatable {
  public enum Kind: String, WireEnum {
    /// A city, a position, or both.
    case place
    /// A largest number.
    case limit
    /// From one number, amount or date to another.
    case range
    /// One value of the user, and the accepted ones.
    case choice
    /// Several values of the user, and the accepted ones.
    case set
    /// Only accepted values.
    case accepted
    /// Only a weight.
    case weight
  }

  /// The name of the property, such as `smoking`.
  public var key: String
  public var title: String
  public var kind: Kind
  /// The allowed values, when they are words.
  public var values: [String]?
  public var minimum: Int?
  public var maximum: Int?
  /// Such as `km`.
  public var unit: String?
  /// Whether it has a weight.
  public var isWeighted: Bool

  private init(
    _ key: String, _ title: String, _ kind: Kind, values: [String]? = nil, _ range: ClosedRange<Int>? = nil,
    unit: String? = nil, isWeighted: Bool = true
  ) {
    (self.key, self.title, self.kind, self.values, self.unit) = (key, title, kind, values, unit)
    (minimum, maximum, self.isWeighted) = (range?.lowerBound, range?.upperBound, isWeighted)
  }

  private static func words<Value: WireEnum>(_ key: String, _ title: String, _ kind: Kind, _ values: Value.Type)
    -> PreferenceField
  {
    PreferenceField(key, title, kind, values: Value.allCases.map(\.rawValue))
  }

  /// Every field. A new one is a row here, a property of ``RoommatePreferences`` and its comparison in the service.
  public static let all = [
    PreferenceField("place", "City or position", .place, isWeighted: false),
    PreferenceField("distance", "Largest distance", .limit, Kilometers.range, unit: "km"),
    PreferenceField("budget", "Monthly rent", .range, unit: "minor units of the currency"),
    PreferenceField("moveIn", "Moving in", .range, unit: "date"),
    PreferenceField("stay", "Length of stay", .range, StayMonths.range, unit: "months"),
    PreferenceField("age", "Age of roommates", .range, RoommateAge.range, unit: "years"),
    words("gender", "Gender of roommates", .accepted, Gender.self),
    words("smoking", "Smoking", .choice, SmokingHabit.self),
    words("pets", "Pets", .set, Pet.self),
    PreferenceField("cleanliness", "Cleanliness", .choice, LivingLevel.range),
    PreferenceField("noise", "Noise", .choice, LivingLevel.range),
    words("sleep", "Sleep", .choice, SleepRhythm.self),
    words("guests", "Guests", .choice, LivingFrequency.self),
    words("cooking", "Cooking at home", .choice, LivingFrequency.self),
    words("workFromHome", "Working from home", .choice, LivingFrequency.self),
    PreferenceField("languages", "Languages", .set, values: LanguageCode.all),
    PreferenceField("school", "Same school", .weight),
  ]
}

/// The table of living preferences.
public struct PreferenceFields: Codable, Sendable, Equatable {
  public var items: [PreferenceField]
  public init(items: [PreferenceField]) { self.items = items }
}
