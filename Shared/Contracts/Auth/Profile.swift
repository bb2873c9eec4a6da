/// Optional personal details of a user. The server stores these fields encrypted.
public struct ProfileDetails: Codable, Sendable, Equatable {
  public var firstName: PersonName?
  public var lastName: PersonName?
  public var bio: Biography?
  public var photo: MediaID?
  public var school: ShortText?
  public var phone: PhoneNumber?
  public var birthday: CalendarDate?
  public var gender: Gender?
  public var userGroup: ShortText?
  public var weightGrams: BodyWeight?
  public var heightMillimetres: BodyHeight?
  public var fitnessLevel: FitnessLevel?
  public init() {}
}

public enum Gender: String, WireEnum { case female, male, nonBinary, undisclosed }

/// A user's fitness level, one of KeepFit's four choices.
public enum FitnessLevel: String, WireEnum {
  case beginner, intermediate, advanced, athlete

  public var displayValue: String {
    switch self {
    case .beginner: "Just starting out"
    case .intermediate: "Some experience"
    case .advanced: "Train regularly"
    case .athlete: "Compete or coach"
    }
  }
}

public struct FitnessLevelChoice: Codable, Sendable, Equatable {
  public var value: FitnessLevel
  public var displayValue: String
  public init(_ level: FitnessLevel) { (self.value, self.displayValue) = (level, level.displayValue) }
}

/// Body weight in grams, 20 to 500 kg.
public struct BodyWeight: BoundedInteger {
  public static let range = 20_000...500_000
  public let value: Int
  public init(checked: Int) { value = checked }
}

/// Body height in millimeters, 0.5 to 2.8 m.
public struct BodyHeight: BoundedInteger {
  public static let range = 500...2800
  public let value: Int
  public init(checked: Int) { value = checked }
}

public enum Visibility: String, WireEnum { case everyone, connections, onlyMe }

/// A field whose visibility can be chosen. Username and display name are always visible, because users are found by
/// them.
public enum ProfileField: String, WireEnum {
  case email, firstName, lastName, bio, photo, school, phone, birthday, gender, userGroup, weight, height, fitnessLevel

  /// The visibility of the field unless the user has chosen another one.
  public var defaultVisibility: Visibility {
    switch self {
    case .bio, .photo, .userGroup: .everyone
    case .school, .fitnessLevel: .connections
    case .email, .firstName, .lastName, .phone, .birthday, .gender, .weight, .height: .onlyMe
    }
  }
}

/// The visibility of each field; an omitted field has its default visibility.
public struct ProfileVisibility: Codable, Sendable, Equatable {
  public var email: Visibility?
  public var firstName: Visibility?
  public var lastName: Visibility?
  public var bio: Visibility?
  public var photo: Visibility?
  public var school: Visibility?
  public var phone: Visibility?
  public var birthday: Visibility?
  public var gender: Visibility?
  public var userGroup: Visibility?
  public var weight: Visibility?
  public var height: Visibility?
  public var fitnessLevel: Visibility?
  public init() {}

  private static func property(_ field: ProfileField) -> WritableKeyPath<Self, Visibility?> {
    switch field {
    case .email: \.email
    case .firstName: \.firstName
    case .lastName: \.lastName
    case .bio: \.bio
    case .photo: \.photo
    case .school: \.school
    case .phone: \.phone
    case .birthday: \.birthday
    case .gender: \.gender
    case .userGroup: \.userGroup
    case .weight: \.weight
    case .height: \.height
    case .fitnessLevel: \.fitnessLevel
    }
  }

  public subscript(field: ProfileField) -> Visibility {
    get { self[keyPath: Self.property(field)] ?? field.defaultVisibility }
    set { self[keyPath: Self.property(field)] = newValue }
  }

  /// Returns a copy in which the fields set in `changes` are replaced.
  public func merged(with changes: ProfileVisibility) -> ProfileVisibility {
    var result = self
    for field in ProfileField.allCases {
      let property = Self.property(field)
      if let choice = changes[keyPath: property] { result[keyPath: property] = choice }
    }
    return result
  }
}

/// A user's profile as others see it: only the fields that are visible to the viewer.
public struct Profile: Codable, Sendable, Equatable {
  public var id: UserID
  public var username: String?
  public var displayName: String
  public var email: String?
  public var details: ProfileDetails
  public var createdAt: Timestamp
  public init(
    id: UserID, username: String?, displayName: String, email: String?, details: ProfileDetails, createdAt: Timestamp
  ) {
    (self.id, self.username, self.displayName, self.email, self.details) = (id, username, displayName, email, details)
    self.createdAt = createdAt
  }
}

/// LetuStudy's cloud record of a user: a single name and an age.
public struct CloudRecord: Codable, Sendable, Equatable {
  public var id: UserID
  public var name: String
  /// Whole years.
  public var age: Int?
  public var gender: Gender?
  public var userGroup: ShortText?

  /// Converts a device's record.
  /// - Parameter today: The day on which the age is calculated.
  public init(_ device: DeviceRecord, today: CalendarDate) {
    id = device.id
    name = [device.firstName, device.lastName].compactMap { $0?.rawValue }.joined(separator: " ")
    age = device.dateOfBirth.map { $0.years(until: today) }
    gender = device.gender
    userGroup = device.userGroup
  }
}

extension DeviceRecord {
  /// Converts a cloud record: the last word of the name becomes the last name. The date of birth is unset, because it
  /// cannot be derived from an age.
  public init(_ cloud: CloudRecord) {
    let words = cloud.name.split(separator: " ")
    id = cloud.id
    firstName = try? PersonName(validating: words.count > 1 ? words.dropLast().joined(separator: " ") : cloud.name)
    lastName = words.count > 1 ? words.last.flatMap { try? PersonName(validating: String($0)) } : nil
    dateOfBirth = nil
    gender = cloud.gender
    userGroup = cloud.userGroup
  }
}

/// LetuStudy's device record of a user: first and last name and a date of birth.
public struct DeviceRecord: Codable, Sendable, Equatable {
  public var id: UserID
  public var firstName: PersonName?
  public var lastName: PersonName?
  public var dateOfBirth: CalendarDate?
  public var gender: Gender?
  public var userGroup: ShortText?
  public init(id: UserID, details: ProfileDetails) {
    (self.id, self.firstName, self.lastName) = (id, details.firstName, details.lastName)
    (self.dateOfBirth, self.gender, self.userGroup) = (details.birthday, details.gender, details.userGroup)
  }
}

/// Changes to ``ProfileDetails`` as a JSON merge patch: `null` removes a field.
public struct ProfilePatch: Codable, Sendable {
  public var firstName: Patch<PersonName> = .keep
  public var lastName: Patch<PersonName> = .keep
  public var bio: Patch<Biography> = .keep
  public var photo: Patch<MediaID> = .keep
  public var school: Patch<ShortText> = .keep
  public var phone: Patch<PhoneNumber> = .keep
  public var birthday: Patch<CalendarDate> = .keep
  public var gender: Patch<Gender> = .keep
  public var userGroup: Patch<ShortText> = .keep
  public var weightGrams: Patch<BodyWeight> = .keep
  public var heightMillimetres: Patch<BodyHeight> = .keep
  public var fitnessLevel: Patch<FitnessLevel> = .keep
  public init() {}

  public func applied(to old: ProfileDetails) -> ProfileDetails {
    var new = old
    new.firstName = firstName.applied(to: old.firstName)
    new.lastName = lastName.applied(to: old.lastName)
    new.bio = bio.applied(to: old.bio)
    new.photo = photo.applied(to: old.photo)
    new.school = school.applied(to: old.school)
    new.phone = phone.applied(to: old.phone)
    new.birthday = birthday.applied(to: old.birthday)
    new.gender = gender.applied(to: old.gender)
    new.userGroup = userGroup.applied(to: old.userGroup)
    new.weightGrams = weightGrams.applied(to: old.weightGrams)
    new.heightMillimetres = heightMillimetres.applied(to: old.heightMillimetres)
    new.fitnessLevel = fitnessLevel.applied(to: old.fitnessLevel)
    return new
  }
}
