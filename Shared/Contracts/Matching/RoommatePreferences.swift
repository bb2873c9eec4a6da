/// How someone wants to live, and what they accept of a roommate. Every field is optional; ``PreferenceField/all``
/// describes them. A field that a person has not filled neither attracts nor excludes anyone, except those who require
/// it of others.
public struct RoommatePreferences: Codable, Sendable, Equatable {
  public var place: RoommatePlace?
  public var distance: DistancePreference?
  public var budget: BudgetPreference?
  public var moveIn: MoveInPreference?
  public var stay: StayPreference?
  public var age: AgePreference?
  public var gender: GenderPreference?
  public var smoking: ChoicePreference<SmokingHabit>?
  public var pets: SetPreference<Pet>?
  public var cleanliness: ChoicePreference<LivingLevel>?
  public var noise: ChoicePreference<LivingLevel>?
  public var sleep: ChoicePreference<SleepRhythm>?
  public var guests: ChoicePreference<LivingFrequency>?
  public var cooking: ChoicePreference<LivingFrequency>?
  public var workFromHome: ChoicePreference<LivingFrequency>?
  public var languages: SetPreference<LanguageCode>?
  public var school: SchoolPreference?
  public init(place: RoommatePlace? = nil) { self.place = place }
}

/// How much a preference counts. What is required of the other excludes everyone who does not satisfy it or has not
/// filled the field.
public enum PreferenceWeight: String, WireEnum { case must, prefer, indifferent }

/// The place where someone looks for a home: a city, a position, or both. Two people with positions are at the same
/// place when their distance suits both; otherwise, when their cities are equal.
public struct RoommatePlace: Codable, Sendable, Equatable {
  public var city: City?
  /// Moved to the center of a cell of about one kilometer before it is stored. No one else sees it.
  public var position: GeographicPosition?
  public init(city: City? = nil, position: GeographicPosition? = nil) { (self.city, self.position) = (city, position) }

  public struct City: Codable, Sendable, Equatable {
    public var name: ShortText
    public var country: CountryCode
    public init(name: ShortText, country: CountryCode) { (self.name, self.country) = (name, country) }
  }
}

/// An ISO 3166-1 alpha-2 code.
public struct CountryCode: ValidatedString {
  public let rawValue: String
  public init(checked: String) { rawValue = checked }
  public static let rule = StringRule(
    length: 2...2, pattern: "^[A-Za-z]{2}$", example: "US", normalize: { $0.uppercased() },
    violation: { $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? nil : "must be a country code, such as US" }
  )
}

/// WGS 84 in degrees.
public struct GeographicPosition: Codable, Sendable, Equatable {
  /// -90 to 90.
  public var latitude: Double
  /// -180 to 180.
  public var longitude: Double
  public init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }
}

/// How far apart both may look for a home; 50 km by default. Counts only between people with positions.
public struct DistancePreference: Codable, Sendable, Equatable {
  public var kilometers: Kilometers
  public var weight: PreferenceWeight?
  public init(kilometers: Kilometers, weight: PreferenceWeight? = nil) {
    (self.kilometers, self.weight) = (kilometers, weight)
  }
}

/// A monthly rent from one amount to another, in minor units.
public struct BudgetPreference: Codable, Sendable, Equatable {
  public var from: Int64
  public var to: Int64
  public var currency: Currency
  public var weight: PreferenceWeight?
  public init(from: Int64, to: Int64, currency: Currency, weight: PreferenceWeight? = nil) {
    (self.from, self.to, self.currency, self.weight) = (from, to, currency, weight)
  }
}

/// The first and the last day of moving in.
public struct MoveInPreference: Codable, Sendable, Equatable {
  public var from: CalendarDate
  public var to: CalendarDate
  public var weight: PreferenceWeight?
  public init(from: CalendarDate, to: CalendarDate, weight: PreferenceWeight? = nil) {
    (self.from, self.to, self.weight) = (from, to, weight)
  }
}

/// The length of the stay in months.
public struct StayPreference: Codable, Sendable, Equatable {
  public var from: StayMonths
  public var to: StayMonths
  public var weight: PreferenceWeight?
  public init(from: StayMonths, to: StayMonths, weight: PreferenceWeight? = nil) {
    (self.from, self.to, self.weight) = (from, to, weight)
  }
}

/// The accepted ages of roommates.
public struct AgePreference: Codable, Sendable, Equatable {
  public var from: RoommateAge
  public var to: RoommateAge
  public var weight: PreferenceWeight?
  public init(from: RoommateAge, to: RoommateAge, weight: PreferenceWeight? = nil) {
    (self.from, self.to, self.weight) = (from, to, weight)
  }
}

/// The accepted genders of roommates.
public struct GenderPreference: Codable, Sendable, Equatable {
  public var accepts: [Gender]
  public var weight: PreferenceWeight?
  public init(accepts: [Gender], weight: PreferenceWeight? = nil) { (self.accepts, self.weight) = (accepts, weight) }
}

/// One value that someone has, and those that they accept of a roommate.
public struct ChoicePreference<Value: Codable & Hashable & Sendable>: Codable, Sendable, Equatable {
  public var own: Value?
  /// Required when the weight is not `indifferent`.
  public var accepts: [Value]?
  public var weight: PreferenceWeight?
  public init(own: Value? = nil, accepts: [Value]? = nil, weight: PreferenceWeight? = nil) {
    (self.own, self.accepts, self.weight) = (own, accepts, weight)
  }
}

/// Several values that someone has, and those that they accept of a roommate. Of pets, a roommate may have no others; of
/// languages, one in common is enough, and the user's are accepted by default.
public struct SetPreference<Value: Codable & Hashable & Sendable>: Codable, Sendable, Equatable {
  public var own: [Value]?
  public var accepts: [Value]?
  public var weight: PreferenceWeight?
  public init(own: [Value]? = nil, accepts: [Value]? = nil, weight: PreferenceWeight? = nil) {
    (self.own, self.accepts, self.weight) = (own, accepts, weight)
  }
}

/// How much it counts that a roommate goes to the same school. Ignored for users without a school.
public struct SchoolPreference: Codable, Sendable, Equatable {
  public var weight: PreferenceWeight?
  public init(weight: PreferenceWeight? = nil) { self.weight = weight }
}

public enum SmokingHabit: String, WireEnum { case never, outside, inside }
/// `none` excludes the others.
public enum Pet: String, WireEnum { case none, cat, dog, smallAnimal, other }
public enum SleepRhythm: String, WireEnum { case early, flexible, late }
public enum LivingFrequency: String, WireEnum { case never, sometimes, often }
