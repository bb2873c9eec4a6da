import Contracts
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

@testable import AuthService

/// The operations of operators, administrators and support.
@Suite(.serialized)
struct AdministrationTests {
  private func quintet(_ arguments: [String], input: String? = nil, in folder: String) async throws -> (
    text: String, status: Int32
  ) {
    let output = Pipe()
    // Otherwise the output also contains log messages about the migrations of other services.
    let quiet = arguments + ["--log-level", "critical"]
    let command = try Command([ServiceProcess.executable("quintet").path] + quiet, output: output)
    let text = String(decoding: await output.readToEnd(), as: UTF8.self)
    return (text, await command.end())
  }

  private func administrator(_ host: TestPlatform, role: String = "administrator") async throws -> Authentication {
    let made = try await quintet(
      [
        "accounts", "create", "--email", "\(role)@example.com", "--username", role, "--role", role, "--data",
        host.folder,
      ],
      in: host.folder
    )
    #expect(made.status == 0, "\(made.text)")
    let password = try #require(made.text.split(whereSeparator: \.isWhitespace).last.map(String.init))
    _ = try await host.logIn(role, password)
    return try await host.auth.provedSession(of: role)
  }

  @Test("a stolen administrator's token gives no rights and deletes no one", arguments: TestDatabase.allCases)
  func stolenTokensOfAdministratorsChangeNoRights(_ database: TestDatabase) async throws {
    try await TestPlatform.auth(database: database) { host async throws in
      _ = try await host.auth.createAccount(
        email: EmailAddress(validating: "boss@example.com"), username: Username(validating: "boss"),
        displayName: DisplayName(validating: "Boss"), password: Password(validating: "correct horse boss"),
        roles: [.administrator])
      let eve = try await host.signUp("eve").user.id
      let boss = host.client(try await host.auth.provedSession(of: "boss"))
      host.time.advance(seconds: 301)
      let grant = AuthAPI.AdminUpdateUser(id: eve, roles: [.administrator])
      let delete = AuthAPI.AdminDeleteUser(id: eve, reason: try ShortText(validating: "Because"))
      #expect(try await host.needsProof { _ = try await boss.send(grant) })
      #expect(try await host.needsProof { _ = try await boss.send(AuthAPI.AdminUpdateUser(id: eve, isDisabled: true)) })
      #expect(try await host.needsProof { _ = try await boss.send(delete) })
      #expect(try await host.logIn("eve").user.roles == [.user])
      _ = try await boss.send(AuthAPI.Prove(password: "correct horse boss"))
      #expect(try await boss.send(grant).roles == [.administrator])
      _ = try await boss.send(delete)
      #expect(try await problem { _ = try await host.logIn("eve") }?.is(.invalidCredentials) == true)
    }
  }

  @Test func operatorsMakeAccounts() async throws {
    try await TestPlatform.auth { host async throws in
      let session = try await administrator(host)
      #expect(session.user.roles == [.administrator])
      #expect(session.user.isEmailVerified)
      for (option, value) in [("--email", "x"), ("--username", "A B"), ("--role", "king")] {
        var arguments = ["accounts", "create", "--email", "a@example.com", "--username", "abc", "--data", host.folder]
        if let index = arguments.firstIndex(of: option) {
          arguments[index + 1] = value
        } else {
          arguments += [option, value]
        }
        let refused = try await quintet(arguments, in: host.folder)
        #expect(refused.status != 0)
        #expect(refused.text.contains(option), "\(refused.text)")
      }
      let twice = try await quintet(
        ["accounts", "create", "--email", "administrator@example.com", "--username", "other", "--data", host.folder],
        in: host.folder
      )
      #expect(twice.status != 0)
    }
  }

  @Test func rolesAreGivenAndTakenAndAudited() async throws {
    try await TestPlatform.auth { host async throws in
      let admin = try await administrator(host)
      let support = try await administrator(host, role: "support")
      let ada = try await host.signUp("ada")
      let boss = host.client.with(accessToken: admin.accessToken)
      let helper = host.client.with(accessToken: support.accessToken)
      let user = host.client.with(accessToken: ada.accessToken)
      let grant = AuthAPI.AdminUpdateUser(id: ada.user.id, roles: [.user, .producer])
      for client in [user, helper] { #expect(try await problem { _ = try await client.send(grant) }?.status == 403) }
      #expect(try await problem { _ = try await user.send(AuthAPI.AdminListUsers()) }?.status == 403)
      #expect(try await boss.send(grant).roles == [.user, .producer])
      // The old tokens carry the old roles, so the sessions have ended.
      #expect(try await problem { _ = try await host.refresh(ada.refreshToken) }?.is(.refreshTokenInvalid) == true)
      #expect(try await host.logIn("ada").user.roles == [.user, .producer])

      let found = try await helper.send(AuthAPI.AdminListUsers(email: EmailAddress(validating: "ada@example.com")))
      #expect(found.items.map(\.id) == [ada.user.id])
      let disable = AuthAPI.AdminUpdateUser(id: ada.user.id, isDisabled: true)
      #expect(try await boss.send(disable).isDisabled)
      #expect(try await problem { _ = try await host.logIn("ada") }?.is(.accountDisabled) == true)
      #expect(try await problem { _ = try await host.logIn("ada", "wrong") }?.is(.invalidCredentials) == true)
      let last = try await problem {
        _ = try await boss.send(AuthAPI.AdminUpdateUser(id: admin.user.id, roles: [.user]))
      }
      #expect(last?.is(.lastAdministrator) == true)
      #expect(try await problem { _ = try await boss.send(AuthAPI.DeleteMe()) }?.is(.lastAdministrator) == true)

      let trail = try await helper.send(
        AuthAPI.SearchAudit(filter: AuditFilter(object: "user:\(ada.user.id)", action: "account.administered"))
      )
      #expect(trail.items.count == 2)
      #expect(trail.items[1].changes == [AuditChange("roles", from: "user", to: "user producer")])
      #expect(trail.items[1].actor == "user:\(admin.user.id)")
      #expect(trail.items[1].session == admin.session)
      let viewed = try await helper.send(AuthAPI.SearchAudit(filter: AuditFilter(action: "accounts.viewed")))
      #expect(viewed.items.first?.actor == "user:\(support.user.id)")
      let page = try await helper.send(AuthAPI.SearchAudit(limit: PageSize(checked: 2)))
      let next = try await helper.send(AuthAPI.SearchAudit(limit: PageSize(checked: 2), cursor: page.nextCursor))
      #expect(Set(page.items.map(\.id)).isDisjoint(with: next.items.map(\.id)))
      let unknown = try await problem { _ = try await boss.send(AuthAPI.SearchAudit(service: "nobody")) }
      #expect(unknown?.errors?.first?.location == "query.service")
    }
  }

  /// An administrator's token for an app other than `web` does not allow administration.
  @Test func administrationNeedsItsScope() async throws {
    try await TestPlatform.auth { host async throws in
      let admin = try await quintet(
        [
          "accounts", "create", "--email", "a@example.com", "--username", "admin", "--role", "administrator", "--data",
          host.folder,
        ],
        in: host.folder
      )
      let password = try #require(admin.text.split(whereSeparator: \.isWhitespace).last.map(String.init))
      let phone = try await host.logIn("admin", password, app: .keepfit)
      let refused = try await problem {
        _ = try await host.client.with(accessToken: phone.accessToken).send(AuthAPI.AdminListUsers())
      }
      #expect(refused?.is(.scopeMissing) == true)
      #expect(refused?.detail == "The token lacks the scope administration.")
    }
  }

  @Test func clientsGetTokensByTheirSecret() async throws {
    try await TestPlatform.auth { host async throws in
      let made = try await quintet(
        [
          "clients", "create", "reports", "--scope", "administration", "--role", "support", "--data",
          host.folder,
        ],
        in: host.folder
      )
      let parts = made.text.split(whereSeparator: \.isWhitespace).map(String.init)
      let (id, secret) = (parts[0], parts[1])
      func ask(_ body: String, _ type: String = "application/x-www-form-urlencoded") async throws -> WireResponse {
        try await host.send(.post, "/v1/auth/token", body, type: type)
      }
      let form = "grant_type=client_credentials&client_id=\(id)&client_secret=\(secret)"
      let answer = try await ask(form)
      #expect(answer.status == 200)
      let token = try WireJSON.decode(ClientToken.self, from: answer.body)
      #expect(token.scope == "administration")
      let client = host.client.with(accessToken: token.accessToken)
      _ = try await client.send(AuthAPI.SearchAudit())
      #expect(try await problem { _ = try await client.send(AuthAPI.GetMe()) }?.is(.forbidden) == true)
      #expect(try await ask(form + "x").status == 401)
      #expect(try await ask(form + "&scope=account").status == 422)
      #expect(try await ask(form.replacing("client_credentials", with: "password")).status == 422)
      for (body, location, message) in [
        ("grant_type=%zz", "body", "has a broken percent escape"),
        ("grant_type=%00", "body", "must not contain the character U+0000"),
        (form + "&client_id=x", "body.client_id", "must occur at most once"),
      ] {
        let refused = try await ask(body)
        #expect(refused.status == 400)
        let found = try WireJSON.decode(Problem.self, from: refused.body)
        #expect(found.errors == [.init(location: location, message: message)])
      }
      #expect(try await ask(form, "text/plain").status == 415)
      let issuer = try await host.client.send(AuthAPI.GetIssuer())
      #expect(issuer.tokenEndpoint.hasSuffix("/v1/auth/token"))
      func clients(_ words: String...) async throws -> (text: String, status: Int32) {
        try await quintet(["clients"] + words + ["--data", host.folder], in: host.folder)
      }
      _ = try await clients("disable", "reports")
      #expect(try await clients("list").text.contains("\(id)\treports\tdisabled\tadministration\tsupport"))
      #expect(try await ask(form).status == 401)
      _ = try await clients("enable", id)
      #expect(try await ask(form).status == 200)
      let fresh = try await clients("rotate", "reports").text.split(whereSeparator: \.isWhitespace).last
      #expect(try await ask(form).status == 401)
      #expect(try await ask(form.replacing(secret, with: try #require(fresh.map(String.init)))).status == 200)
      let unknown = try await clients("disable", "nobody")
      #expect(unknown.status == 1)
      #expect(unknown.text.contains("There is no client with the name or id nobody."))
    }
  }

  @Test func letuStudysTableIsTakenOver() async throws {
    try await TestPlatform.auth { host async throws in
      let hash = { (salt: String, password: String) in
        LegacyPassword.loginHash(of: salt + password)  // SHA-512 in hexadecimal digits, of any text
      }
      let secretName = LegacyPassword.loginHash(of: "Hidden")
      let rows = [
        "id,firstName,lastName,DoB,username,PW_SHA512,salt",
        "1,Ada,Lovelace,1815-12-10,ada,\(hash("s1", "old secret")),s1",
        "2,\(hash("", "x")),\(hash("", "y")),\(hash("", "z")),\(secretName),\(hash("s2", "other secret")),s2",
        "x,Bad,Id,,bad1,\(hash("s", "p")),s",
        "4,Bad,Hash,,bad2,123,s",
        "5,No,Salt,,bad3,\(hash("", "p")),",
        "6,Bad,Name,,b d,\(hash("s", "p")),s",
        "7,Bad,Day,1815-02-30,bad4,\(hash("s", "p")),s",
        "8,\"Twice, taken\",X,,ada,\(hash("s", "p")),s",
        "9,Grace,Hopper,1906-12-09,grace,\(hash("s3", "cobol")),s3",
      ]
      let file = "\(host.folder)/users.csv"
      try rows.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
      let done = try await quintet(["accounts", "import", file, "--data", host.folder], in: host.folder)
      #expect(done.status == 65)
      #expect(done.text.contains("3 accounts imported, 6 rows skipped"), "\(done.text)")
      for line in [
        "row 3: id is not a number", "row 4: PW_SHA512 is not", "row 5: salt is missing",
        "row 6: username is not valid",
        "row 7: DoB is not a date", "row 8: The username is taken",
      ] {
        #expect(done.text.contains(line), "\(line)")
      }
      #expect(try await problem { _ = try await host.logIn("ada", "wrong") }?.is(.invalidCredentials) == true)
      let ada = try await host.logIn("ada", "old secret", app: .letustudy)
      #expect(ada.user.details.firstName?.rawValue == "Ada")
      #expect(ada.user.details.birthday?.description == "1815-12-10")
      // A username that was imported as a hash is stored at the first login.
      let hidden = try await host.logIn("Hidden", "other secret")
      #expect(hidden.user.username == "hidden")
      #expect(hidden.user.displayName == "Student 2")
      let hashes = try await host.database.read { db in
        try db.values("SELECT password_hash FROM users ORDER BY id", as: String.self)
      }
      #expect(hashes.map { String($0.prefix(8)) } == ["$argon2i", "$argon2i", "$sha512$"])
      _ = try await host.logIn("ada", "old secret")
      _ = try await host.logIn("hidden", "other secret")
      let wrongFile = try await quintet(
        ["accounts", "import", "/etc/hostname", "--data", host.folder],
        in: host.folder
      )
      #expect(wrongFile.status == 1)
      #expect(wrongFile.text.contains("lacks the columns"))
    }
  }
}
