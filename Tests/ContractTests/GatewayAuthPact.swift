import Contracts
import TestKit

/// The requirements of the gateway and its clients on auth.
enum GatewayAuthPact {
  static func make() throws -> Pact {
    var pact = Pact(consumer: "gateway", provider: "auth")
    let ada = Pact.State("a user exists", [("username", "ada"), ("password", "correct horse ada")])
    let uuid = Pact.Expectation.matching(
      "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
      example: "01890a5d-ac96-774b-bcce-b302099a8057"
    )
    let time = Pact.Expectation.matching(
      #"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"#,
      example: "2026-01-01T00:00:00.000Z"
    )
    let account = Pact.Expectation.object([
      ("id", uuid), ("email", .like("ada@example.com")), ("username", .exactly("ada")), ("displayName", .like("Ada")),
      ("roles", .each(.like("user"))), ("createdAt", time), ("version", .integer(1)),
    ])
    let signedIn = Pact.Expectation.object([
      ("user", account), ("accessToken", .matching(#"[\w-]+\.[\w-]+\.[\w-]+"#, example: "a.b.c")),
      ("refreshToken", .like("x")),
      ("tokenType", .exactly("Bearer")), ("expiresIn", .integer(900)), ("session", uuid),
    ])
    func problem(_ code: String, _ status: Int64) -> Pact.Expectation {
      .object([
        ("type", .exactly(.string("/problems/\(code)"))), ("title", .like("x")), ("status", .exactly(.integer(status))),
        ("code", .exactly(.string(code))),
      ])
    }

    try pact.expect(
      "the public keys",
      AuthAPI.GetKeys(),
      answers: 200,
      .object([
        (
          "keys",
          .each(
            .object([
              ("kty", .exactly("EC")), ("crv", .exactly("P-256")), ("alg", .exactly("ES256")), ("use", .exactly("sig")),
              ("kid", .like("k")), ("x", .matching("[A-Za-z0-9_-]{43}", example: String(repeating: "x", count: 43))),
              ("y", .matching("[A-Za-z0-9_-]{43}", example: String(repeating: "y", count: 43))),
            ])
          )
        )
      ])
    )
    try pact.expect(
      "a sign-up",
      given: Pact.State("no one has signed up"),
      AuthAPI.SignUp(
        email: EmailAddress(validating: "ada@example.com"), username: Username(validating: "ada"),
        displayName: DisplayName(validating: "Ada"), password: Password(validating: "correct horse ada")),
      answers: 201,
      signedIn
    )
    try pact.expect(
      "a log-in",
      given: ada,
      AuthAPI.LogIn(login: "ada", password: "correct horse ada"),
      answers: 200,
      signedIn
    )
    try pact.expect(
      "a log-in with a wrong password",
      given: ada,
      AuthAPI.LogIn(login: "ada", password: "wrong"),
      answers: 401,
      as: "application/problem+json",
      problem("invalid-credentials", 401)
    )
    try pact.expect("the caller's account", given: ada, AuthAPI.GetMe(), token: "accessToken", answers: 200, account)
    try pact.expect(
      "a user who does not exist",
      given: ada,
      AuthAPI.GetUser(id: ID(trusted: "01890a5d-ac96-774b-bcce-b302099a8057")),
      token: "accessToken",
      answers: 404,
      as: "application/problem+json",
      problem("user-not-found", 404)
    )
    try pact.expect(
      "the caller's account without a token",
      AuthAPI.GetMe(),
      answers: 401,
      as: "application/problem+json",
      problem("token-missing", 401)
    )
    try ServicePacts.consent(&pact, to: .analytics)
    try pact.expect(
      "a browser's session that has no such refresh token",
      given: ServicePacts.state(pact.consumer),
      AuthAPI.RenewSession(refreshToken: "none"),
      isInternal: true,
      answers: 401,
      as: "application/problem+json",
      problem("refresh-token-invalid", 401)
    )
    return pact
  }
}
