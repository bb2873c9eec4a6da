extension AuthAPI {
  // MARK: administrators

  public struct CreateSchool: Endpoint {
    public typealias Response = School
    public static let operation = Operation.post(
      "/v1/admin/schools", "Create a school", access: .roles([.administrator]), success: 201,
      limits: .init(bodyBytes: 4096)
    )
    public var name: ShortText
    public var country: CountryCode
    public init(name: ShortText, country: CountryCode) { (self.name, self.country) = (name, country) }
  }

  /// Newest first.
  public struct ListSchools: PagedEndpoint {
    public typealias Response = Page<School>
    public static let operation = Operation.get(
      "/v1/admin/schools", "List schools", access: .roles([.administrator, .support]))
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  public struct UpdateSchool: Endpoint {
    public typealias Response = School
    public static let operation = Operation.patch(
      "/v1/admin/schools/{id}", "Update a school", access: .roles([.administrator]),
      problems: [.schoolNotFound, .recentSignInRequired], limits: .init(bodyBytes: 4096)
    )
    public var id: SchoolID
    public var ifMatch: EntityTag?
    public var name: ShortText?
    public var isActive: Bool?
    public init(id: SchoolID, ifMatch: EntityTag? = nil, name: ShortText? = nil, isActive: Bool? = nil) {
      (self.id, self.ifMatch, self.name, self.isActive) = (id, ifMatch, name, isActive)
    }
  }

  /// The account stays its user's own; the school does not manage it.
  public struct AddSchoolStaff: Endpoint {
    public static let operation = Operation.put(
      "/v1/admin/schools/{id}/staff/{user}", "Add a user to a school's staff", access: .roles([.administrator]),
      success: 204, problems: [.schoolNotFound, .userNotFound, .alreadyAtSchool, .recentSignInRequired]
    )
    public var id: SchoolID
    public var user: UserID
    public init(id: SchoolID, user: UserID) { (self.id, self.user) = (id, user) }
  }

  /// Temporary passwords that the user has given to members and that were not replaced end.
  public struct RemoveSchoolStaff: Endpoint {
    public static let operation = Operation.delete(
      "/v1/admin/schools/{id}/staff/{user}", "Remove a user from a school's staff", access: .roles([.administrator]),
      success: 204
    )
    public var id: SchoolID
    public var user: UserID
    public init(id: SchoolID, user: UserID) { (self.id, self.user) = (id, user) }
  }

  // MARK: members

  public struct ListMySchools: Endpoint {
    public typealias Response = Page<SchoolMembership>
    public static let operation = Operation.get("/v1/users/me/schools", "List the caller's schools")
    public init() {}
  }

  /// The account becomes its user's own, for which it needs a verified e-mail address. The role that the school has given
  /// ends, and the caller's sessions with it.
  public struct LeaveSchool: Endpoint {
    public static let operation = Operation.delete(
      "/v1/users/me/schools/{id}", "Leave a school", success: 204, problems: [.schoolNotFound, .emailNotVerified]
    )
    public var id: SchoolID
    public init(id: SchoolID) { self.id = id }
  }

  // MARK: staff

  /// In the order in which they joined.
  public struct ListSchoolMembers: PagedEndpoint {
    public typealias Response = Page<SchoolMember>
    public static let operation = Operation.get(
      "/v1/schools/{id}/members", "List a school's members", problems: [.schoolNotFound])
    public var id: SchoolID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: SchoolID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  /// CSV (`text/csv`) with a header row, or a JSON array, of at most 300 rows with `number` (the school's own), `username`,
  /// `firstName`, `lastName`, `birthday` and `role` (`student` or `instructor`). A row whose number is known updates its
  /// member, so that a list can be imported again; a new one creates a managed account with a temporary password. Existing
  /// accounts are never taken over: a row with a username that is taken is reported, like every row that is not valid. A
  /// school imports one list at a time.
  public struct ImportSchoolMembers: Endpoint {
    public typealias Response = SchoolImportReport
    public static let operation = Operation.post(
      "/v1/schools/{id}/members/import{?newPasswords}", "Import a list of a school's members",
      problems: [.schoolNotFound, .recentSignInRequired, .importRunning],
      limits: .init(bodyBytes: 1 << 20, seconds: 60), accepts: [.json, .text], cost: .costly
    )
    public var id: SchoolID
    /// Whether members who have not used their temporary passwords get others, which replace these: when the answer to an
    /// import was lost, for example. By default, only those whose passwords have expired.
    public var newPasswords: Bool?
    public var body: ImportFile
    public init(id: SchoolID, newPasswords: Bool? = nil, body: ImportFile) {
      (self.id, self.newPasswords, self.body) = (id, newPasswords, body)
    }
  }

  /// A change of the role ends the member's sessions.
  public struct UpdateSchoolMember: Endpoint {
    public typealias Response = SchoolMember
    public static let operation = Operation.patch(
      "/v1/schools/{id}/members/{user}", "Change a member's role",
      problems: [.schoolNotFound, .schoolMemberNotFound, .recentSignInRequired], limits: .init(bodyBytes: 4096)
    )
    public var id: SchoolID
    public var user: UserID
    public var role: GivenSchoolRole
    public init(id: SchoolID, user: UserID, role: GivenSchoolRole) {
      (self.id, self.user, self.role) = (id, user, role)
    }
  }

  /// Ends the member's sessions, and takes back what was added to the account since an unusual sign-in.
  public struct ResetMemberPassword: Endpoint {
    public typealias Response = TemporaryPassword
    public static let operation = Operation.post(
      "/v1/schools/{id}/members/{user}/password", "Give a member a temporary password",
      problems: [.schoolNotFound, .schoolMemberNotFound, .recentSignInRequired]
    )
    public var id: SchoolID
    public var user: UserID
    public init(id: SchoolID, user: UserID) { (self.id, self.user) = (id, user) }
  }

  /// The account of a member with a verified e-mail address becomes the member's own; another one is disabled.
  public struct RemoveSchoolMember: Endpoint {
    public static let operation = Operation.delete(
      "/v1/schools/{id}/members/{user}", "Remove a member from a school", success: 204,
      problems: [.schoolNotFound, .schoolMemberNotFound, .recentSignInRequired]
    )
    public var id: SchoolID
    public var user: UserID
    public init(id: SchoolID, user: UserID) { (self.id, self.user) = (id, user) }
  }

  // MARK: first password

  /// The only use of a temporary password. A second factor that protects the account is still asked for.
  public struct ChooseFirstPassword: Endpoint {
    public typealias Response = Authentication
    public static let operation = Operation.post(
      "/v1/auth/password/first", "Replace a temporary password and sign in", access: .anyone,
      problems: [
        .invalidCredentials, .tooManyAttempts, .passwordTooCommon, .accountDisabled, .secondFactorRequired,
      ],
      limits: .init(bodyBytes: 4096)
    )
    public var login: String
    public var temporary: String
    public var password: Password
    public var app: ClientApp?
    public init(login: String, temporary: String, password: Password, app: ClientApp? = nil) {
      (self.login, self.temporary, self.password, self.app) = (login, temporary, password, app)
    }
  }
}

extension Problem.Kind {
  public static let schoolNotFound = Self(
    "school-not-found", status: 404, "There is no such school",
    meaning: "The school does not exist, or the caller is not staff of it. The answer is the same for both.",
    remedy: "Load the schools of the caller again.")
  public static let schoolMemberNotFound = Self(
    "school-member-not-found", status: 404, "The school manages no such account",
    meaning: "The account is not one that the school manages, or it belongs to staff of the platform.",
    remedy: "Load the members of the school again.")
  public static let importRunning = Self(
    "import-running", status: 409, "The school is already importing a list",
    meaning: "Another list of the school is being imported; only one is at a time.",
    remedy: "Follow the running import, and send the list after its end.")
  public static let alreadyAtSchool = Self(
    "already-at-school", status: 409, "The user is already at the school",
    meaning: "The user is a member of the school already.",
    remedy: "Load the members of the school again.")
  public static let emailNotVerified = Self(
    "email-not-verified", status: 409, "The account has no verified e-mail address",
    meaning: "The operation needs an address that is known to belong to the account.",
    remedy: "Ask the user to verify the address, and offer to send the e-mail again.")
  public static let passwordChangeRequired = Self(
    "password-change-required", status: 403, "The temporary password must be replaced first",
    meaning: "Someone else has set the password, so that it may be used only to set a new one.",
    remedy: "Ask the user for a new password before anything else.")
}
