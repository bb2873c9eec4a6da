import AuthService
import Contracts
import CurlClient
import Foundation
import Persistence
import ServiceKit
import TestKit
import Testing

/// Greets every new user once.
private struct Welcome: ServicePlugin, Feature {
  static let manifest = Manifest(
    name: "welcome",
    consumes: [.init(from: AuthAPI.self, [UserRegistered.self])],
    migrations: [
      Migration(
        "welcome-001",
        why: "greetings",
        ["CREATE TABLE greetings (user_id TEXT NOT NULL)", "CREATE INDEX greetings_user ON greetings (user_id)"]
      )
    ]
  )

  init(environment: ServiceEnvironment) {}

  func register(in routes: inout Routes) {
    routes.on(UserRegistered.self) { event, tx in
      // No unique constraint: only the inbox prevents duplicates.
      try tx.execute("INSERT INTO greetings VALUES (\(event.userID))")
    }
  }
}

@Suite(.serialized)
struct CrashRecoveryTests {
  private func signUp(_ url: String, _ name: String) async throws -> UserID {
    try await CurlClient.running { http in
      try await APIClient(transport: CurlTransport(client: http, origin: url)).signUp(name).user.id
    }
  }

  private func greetings(in folder: String) async throws -> [String] {
    let database = try SQLiteDatabase(path: "\(folder)/welcome.sqlite")
    let ids = try await database.read { db in
      try db.values("SELECT user_id FROM greetings ORDER BY user_id", as: String.self)
    }
    await database.close()
    return ids
  }

  /// Auth is killed between commit and delivery: after the restart the event is delivered and takes effect once.
  @Test func eventsSurviveKillOnceInEffect() async throws {
    try await TemporaryFolder.run { folder async throws in
      let settings = ["DATA": folder, "PORT": "\(try reservedPort())", "LOG_LEVEL": "error"]
      let welcomePort = try reservedPort()
      var auth = try await ServiceProcess("auth", settings: settings)
      func welcome(_ body: () async throws -> Void) async throws {
        let settings = ["data": folder, "port": "\(welcomePort)", "services.auth.url": auth.url]
        try await TestPlatform.listen([Welcome.self], settings: settings) { _, _ in try await body() }
      }
      let first = try await signUp(auth.url, "ada")
      // The event was recorded before the first subscription; a new subscriber gets the retained events.
      try await welcome {
        try await eventually("the first greeting") { try await self.greetings(in: folder) == [first.rawValue] }
      }
      // The consumer is down; the emitter is killed as soon as it has responded.
      var expected = [first.rawValue]
      for name in ["bob", "eve"] {
        expected.append(try await signUp(auth.url, name).rawValue)
        await auth.kill()
        auth = try await ServiceProcess("auth", settings: settings)
      }
      let all = expected.sorted()
      try await welcome {
        try await eventually("all greetings") { try await self.greetings(in: folder).count >= all.count }
      }
      #expect(try await greetings(in: folder) == all)
      await auth.terminate()
    }
  }

  @Test func stopsWithoutLosingRequests() async throws {
    try await TemporaryFolder.run { folder async throws in
      let quintet = try await ServiceProcess(
        "quintet", settings: ["DATA": folder, "LOG_LEVEL": "error", "SHUTDOWN_SECONDS": "600"])
      let connection = try RawConnection(to: quintet.url)
      func signUp(_ name: String) -> String {
        let body =
          #"{"email":"\#(name)@example.com","username":"\#(name)","displayName":"x","password":"correct horse"}"#
        let head =
          "POST /v1/auth/signup HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)"
        return head + "\r\n\r\n" + body
      }
      // Both requests arrive in one packet: when the first is answered, the second is already in progress.
      connection.send(signUp("ada") + signUp("bob"))
      let first = await connection.receive(until: "\"session\"")
      #expect(first.hasPrefix("HTTP/1.1 201 Created"))
      async let status = quintet.terminate()
      let (second, isClosed) = await connection.receiveAll()
      #expect(second.contains("HTTP/1.1 201 Created"))
      #expect(second.contains("\"bob\""))
      #expect(isClosed)
      #expect(await status == 0)
    }
  }

  @Test func logsHoldNoSecretsAndEveryLineItsIDs() async throws {
    try await TemporaryFolder.run { folder async throws in
      let quintet = try await ServiceProcess("quintet", settings: ["DATA": folder, "LOG_LEVEL": "debug"])
      _ = try await signUp(quintet.url, "ada")
      await quintet.terminate()
      try await eventually("the log is read") { quintet.text.contains("\"route\":\"/v1/auth/signup\"") }
      let text = quintet.text
      for secret in ["correct horse", "ada@example.com", "eyJ", "argon2"] {
        #expect(!text.contains(secret), "\(secret)")
      }
      for line in text.split(separator: "\n") where line.contains("\"message\":\"request\"") {
        #expect(line.contains("\"requestID\":\""))
        #expect(line.contains("\"traceID\":\""))
      }
    }
  }

  @Test func executablesNameWhatIsMissing() async throws {
    func failure(
      _ arguments: [String], _ environment: [String: String] = [:], of executable: String = "auth"
    ) async throws -> (Int32, String) {
      let output = Pipe()
      let command = try Command(
        [ServiceProcess.executable(executable).path] + arguments,
        environment: environment,
        folder: "/tmp",
        output: output
      )
      let text = String(decoding: await output.readToEnd(), as: UTF8.self)
      return (await command.end(), text)
    }
    let missing = try await failure(["serve", "--port", "0", "--metrics-port", "0"], of: "gateway")
    #expect(missing.0 == 78)
    #expect(missing.1.contains("SERVICES_AUTH_URL"))
    let wrong = try await failure(["serve", "--port", "x"])
    #expect(wrong.0 == 78)
    #expect(wrong.1.contains("setting port is \"x\" (from command line)"))
    let unknown = try await failure(["serve", "--prot", "1"])
    #expect(unknown.0 == 78)
    #expect(unknown.1.contains("--prot"))
    let config = try await failure(["config"], ["SERVICE_PRIVATE_KEYS": "hush"])
    #expect(config.0 == 0)
    #expect(config.1.contains("service.privateKeys = (hidden)"))
    #expect(config.1.contains("auth.accessTokenSeconds = 15m"))
  }
}
