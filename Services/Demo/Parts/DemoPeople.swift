import Contracts

/// Accounts with profiles.
struct DemoPeople: DemoPart {
  let world: DemoWorld

  init(_ world: DemoWorld) { self.world = world }

  func fill() async throws {
    // Without consent to health data, the apps keep neither weight nor height.
    let wanted: Set<ConsentPurpose> = [.termsOfService, .privacyPolicy, .healthData]
    let decisions = try await world.platform.send(AuthAPI.ListConsentPurposes()).items
      .filter { wanted.contains($0.purpose) }
      .map { text in
        let version = text.textVersion ?? ShortText(checked: "1")
        return AuthAPI.PutConsents.Decision(purpose: text.purpose, textVersion: version, isGiven: true)
      }
    try await world.each("people", world.people) { person in
      try await world.once("profile.\(person.index)") { _ in
        try await person.account.send(AuthAPI.PutConsents(decisions: decisions))
        try await person.account.send(AuthAPI.UpdateMe(details: details(of: person), visibility: Self.visibility))
      }
    }
  }

  private static let visibility = {
    var visibility = ProfileVisibility()
    (visibility.school, visibility.fitnessLevel) = (.everyone, .everyone)
    return visibility
  }()

  private func details(of person: DemoPerson) throws -> ProfilePatch {
    var random = world.random("profile.\(person.index)")
    var details = ProfilePatch()
    details.firstName = .set(try PersonName(validating: person.firstName))
    details.lastName = .set(try PersonName(validating: person.lastName))
    details.bio = .set(try Biography(validating: person.biography))
    details.school = .set(try ShortText(validating: person.school))
    details.phone = .set(try PhoneNumber(validating: Self.phone(of: person)))
    details.birthday = .set(person.birthday)
    details.gender = .set(person.gender)
    details.heightMillimetres = .set(BodyHeight(checked: random.number(in: 1550...1950)))
    details.weightGrams = .set(BodyWeight(checked: Self.weight(of: person, in: world)))
    details.fitnessLevel = .set(random.pick(FitnessLevel.allCases))
    return details
  }

  /// A number that is reserved for fiction.
  static func phone(of person: DemoPerson) -> String { "+15125550\(100 + person.index % 100)" }

  /// In grams, as their workouts have it, too.
  static func weight(of person: DemoPerson, in world: DemoWorld) -> Int {
    var random = world.random("weight.\(person.index)")
    return random.number(in: 54...92) * 1000
  }

  /// Signs up, or signs in to the account that an earlier run has made.
  static func signIn(
    _ index: Int, _ username: String, email: String?, displayName: String, password: String,
    platform: DemoPlatform, journal: Journal
  ) async throws -> Authentication {
    if journal["person.\(index)"] == nil {
      let signUp = AuthAPI.SignUp(
        email: try email.map { try EmailAddress(validating: $0) }, username: try Username(validating: username),
        displayName: try DisplayName(validating: displayName), password: try Password(validating: password), app: .web)
      // A removal also looks for an account that a killed run had not noted yet.
      if journal["signup.\(index)"] == nil { try journal.record("signup.\(index)", username) }
      do {
        let session = try await platform.send(signUp)
        try journal.record("person.\(index)", session.user.id.rawValue)
        return session
      } catch let problem as Problem where problem.is(.usernameTaken) || problem.is(.emailTaken) {
        // A run that was killed before it noted the account, or someone else.
      }
    }
    do {
      let session = try await platform.send(AuthAPI.LogIn(login: username, password: password, app: .web))
      if journal["person.\(index)"] == nil { try journal.record("person.\(index)", session.user.id.rawValue) }
      return session
    } catch let problem as Problem where problem.is(.invalidCredentials) {
      throw DemoError(
        """
        The username \(username) belongs to someone else. Take another --seed, or give the --journal of the demo \
        that is on this platform.
        """)
    }
  }
}
