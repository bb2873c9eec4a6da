extension AuthAPI {
  /// The signed-in user's own account.
  public struct GetMe: Endpoint {
    public typealias Response = Account
    public static let operation = Operation(.get, "/v1/users/me", "The signed-in user's account", access: .user)
    public init() {}
  }

  /// Change parts of the own profile (JSON merge patch, RFC 7396).
  public struct UpdateMe: Endpoint {
    public typealias Response = Account
    public static let operation = Operation(
      .patch,
      "/v1/users/me",
      "Change parts of the own profile (JSON merge patch)",
      access: .user,
      problems: [.usernameTaken],
      limits: .init(bodyBytes: 16_384)
    )

    public struct Body: Codable, Sendable {
      public var displayName: DisplayName?
      public var username: Username?
      public var details: ProfilePatch?
      public var visibility: ProfileVisibility?

      public init(
        displayName: DisplayName? = nil,
        username: Username? = nil,
        details: ProfilePatch? = nil,
        visibility: ProfileVisibility? = nil
      ) {
        self.displayName = displayName
        self.username = username
        self.details = details
        self.visibility = visibility
      }
    }

    /// When given, the change is made only to that version of the account.
    public var ifMatch: EntityTag?
    public var body: Body

    public init(ifMatch: EntityTag? = nil, body: Body) {
      self.ifMatch = ifMatch
      self.body = body
    }
  }

  /// What others may see of a user.
  public struct GetUser: Endpoint {
    public typealias Response = Profile
    public static let operation = Operation(
      .get,
      "/v1/users/{id}",
      "What others may see of a user",
      access: .user,
      problems: [.userNotFound]
    )
    public var id: UserID
    public init(id: UserID) { self.id = id }
  }

  /// Find users by the beginnings of username and display name, small typing errors forgiven; without a query the
  /// newest users.
  public struct SearchUsers: Endpoint {
    public typealias Response = Page<Profile>
    public static let operation = Operation(
      .get,
      "/v1/users",
      "Find users by username and display name",
      access: .user
    )
    public var query: String?
    public var limit: PageSize?
    public var cursor: String?

    public init(query: String? = nil, limit: PageSize? = nil, cursor: String? = nil) {
      self.query = query
      self.limit = limit
      self.cursor = cursor
    }
  }

  /// The own record in LetuStudy's cloud shape: one name, an age.
  public struct GetCloudRecord: Endpoint {
    public typealias Response = CloudRecord
    public static let operation = Operation(
      .get,
      "/v1/users/me/cloud-record",
      "The own record in LetuStudy's cloud shape",
      access: .user
    )
    public init() {}
  }

  /// The own record in LetuStudy's device shape: first and last name, a date of birth.
  public struct GetDeviceRecord: Endpoint {
    public typealias Response = DeviceRecord
    public static let operation = Operation(
      .get,
      "/v1/users/me/device-record",
      "The own record in LetuStudy's device shape",
      access: .user
    )
    public init() {}
  }

  /// The four fitness levels with the words that people read.
  public struct ListFitnessLevels: Endpoint {
    public typealias Response = Page<FitnessLevelChoice>
    public static let operation = Operation(
      .get,
      "/v1/fitness-levels",
      "The fitness levels with the words that people read",
      access: .anyone
    )
    public init() {}
  }

  /// Note that two users are connected; told by the service that keeps connections.
  public struct Connect: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .put,
      "/internal/v1/connections/{first}/{second}",
      "Two users are connected",
      access: .service,
      success: 204
    )
    public var first: UserID
    public var second: UserID

    public init(first: UserID, second: UserID) {
      self.first = first
      self.second = second
    }
  }

  /// Note that two users are no longer connected.
  public struct Disconnect: Endpoint {
    public typealias Response = Empty
    public static let operation = Operation(
      .delete,
      "/internal/v1/connections/{first}/{second}",
      "Two users are no longer connected",
      access: .service,
      success: 204
    )
    public var first: UserID
    public var second: UserID

    public init(first: UserID, second: UserID) {
      self.first = first
      self.second = second
    }
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

  /// The details after the patch.
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

extension Problem.Kind {
  public static let userNotFound = Self("user-not-found", status: 404, "There is no such user")
}
