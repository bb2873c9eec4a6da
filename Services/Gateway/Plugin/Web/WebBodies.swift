import Contracts

/// The values that the gateway writes into the bodies of sign-ins, because pages may not know or choose them.
struct WebBodies {
  /// A field that the gateway writes into a body.
  enum Field: Hashable {
    /// The app that is signed in to.
    case app
    /// The guest whose cart goes along.
    case guest
    /// The refresh token of the session.
    case refreshToken
    case deviceSecret

    /// Members that pages cannot send.
    static let members = ["app", "guest", "guestRefreshToken", "refreshToken", "deviceSecret"]
  }

  /// A test compares this with the contracts.
  static let fields: [(path: PathTemplate, fields: Set<Field>)] = [
    (AuthAPI.SignUp.operation.path, [.app]),
    (AuthAPI.LogIn.operation.path, [.app, .guest, .deviceSecret]),
    (AuthAPI.SignInAsGuest.operation.path, [.app]),
    (AuthAPI.Upgrade.operation.path, [.refreshToken]),
    (AuthAPI.SignInWithProvider.operation.path, [.app, .guest]),
    (AuthAPI.CompleteLogIn.operation.path, [.deviceSecret]),
    (AuthAPI.LogInWithPasskey.operation.path, [.app, .guest]),
    (AuthAPI.ChooseFirstPassword.operation.path, [.app]),
  ]

  /// The values about the browser that a sign-in needs.
  struct Values {
    var app: ClientApp
    var guest: (token: String, refreshToken: String)?
    var refreshToken: String?
    var deviceSecret: String?
  }

  /// - Returns: `nil` for paths whose bodies stay as they are.
  static func fields(of path: Substring) -> Set<Field>? { fields.first { $0.path.match(path) != nil }?.fields }

  /// - Throws: ``Problem`` 400 for a body that is no JSON object: nothing could be written into it.
  static func complete(_ body: [UInt8], _ fields: Set<Field>, with values: Values) throws(Problem) -> [UInt8] {
    guard case .object(var members)? = try? WireJSON.decode(JSONValue.self, from: body) else {
      throw Problem(.malformedRequest, detail: "The body must be a JSON object.")
    }
    members.removeAll { Field.members.contains($0.name) }
    func add(_ name: String, _ value: String?) {
      if let value { members.append(JSONValue.Member(name: name, value: .string(value))) }
    }
    if fields.contains(.app) { add("app", values.app.rawValue) }
    if fields.contains(.guest) {
      add("guest", values.guest?.token)
      add("guestRefreshToken", values.guest?.refreshToken)
    }
    if fields.contains(.refreshToken) { add("refreshToken", values.refreshToken) }
    if fields.contains(.deviceSecret) { add("deviceSecret", values.deviceSecret) }
    guard let bytes = try? WireJSON.encode(JSONValue.object(members)) else { throw Problem(.malformedRequest) }
    return bytes
  }
}

/// An answer of auth without what pages must not have.
struct WebGrant: Equatable {
  var accessToken: String
  /// `nil` when the session stays what it is.
  var refreshToken: String?
  var deviceSecret: String?
  var isGuest = false

  private static let secrets: Set = ["accessToken", "refreshToken", "deviceSecret", "access_token", "refresh_token"]
  /// The members that describe a token, beside one.
  private static let beside: Set = ["tokenType", "expiresIn"]

  /// Takes the secrets out of an answer, wherever they are in it: also those of operations that this gateway does not know
  /// yet.
  ///
  /// - Returns: The answer without them, and what it grants; `nil` when it has none.
  static func take(from answer: JSONValue) -> (rest: JSONValue, grant: WebGrant?)? {
    var found: [String: String] = [:]
    let rest = strip(answer, &found)
    guard !found.isEmpty else { return nil }
    guard let token = found["accessToken"] else { return (rest, nil) }
    let roles = answer["user"]?["roles"]?.elements.compactMap(\.string) ?? []
    let grant = WebGrant(
      accessToken: token, refreshToken: found["refreshToken"], deviceSecret: found["deviceSecret"],
      isGuest: roles.contains(Role.guest.rawValue))
    return (rest, grant)
  }

  private static func strip(_ value: JSONValue, _ found: inout [String: String]) -> JSONValue {
    switch value {
    case .array(let elements): return .array(elements.map { strip($0, &found) })
    case .object(let members):
      let hasToken = members.contains { secrets.contains($0.name) }
      var rest: [JSONValue.Member] = []
      for member in members {
        if secrets.contains(member.name) {
          found[member.name] = member.value.string ?? ""
        } else if !hasToken || !beside.contains(member.name) {
          rest.append(JSONValue.Member(name: member.name, value: strip(member.value, &found)))
        }
      }
      return .object(rest)
    default: return value
    }
  }
}
