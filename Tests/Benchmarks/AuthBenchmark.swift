import AuthService
import Contracts
import Foundation
import GatewayService
import ServiceKit

/// Sign-in, refresh and search through the gateway and auth in one process, durable on SQLite.
enum AuthBenchmark {
  private static let users = 100_000

  static func run() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quintet-bench-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let platform = try await ServiceHost.build(
      [GatewayPlugin.self, AuthPlugin.self],
      settings: Settings(["data": folder, "log.level": "error", "limits.read": "0/1"])
    )
    try await logins(platform.client())
    try await refreshes(platform.client())
    try await searches(platform)
    await platform.close()
  }

  private static func signUp(_ client: APIClient, _ name: String) async throws -> Authentication {
    try await client.send(
      AuthAPI.SignUp(
        email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
        displayName: DisplayName(validating: name), password: Password(validating: "correct horse battery"))
    )
  }

  private static func logins(_ client: APIClient) async throws {
    for user in 0..<8 { _ = try await signUp(client, "user\(user)") }
    let count = 200
    try await Benchmarks.measure("password-login", count: count) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for user in 0..<8 {
          group.addTask {
            for _ in 0..<(count / 8) {
              _ = try await client.send(
                AuthAPI.LogIn(login: "user\(user)", password: "correct horse battery")
              )
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  private static func refreshes(_ client: APIClient) async throws {
    var sessions: [String] = []
    for _ in 0..<64 { sessions.append(try await client.send(AuthAPI.SignInAsGuest()).refreshToken) }
    let perSession = 300
    try await Benchmarks.measure("refresh-with-rotation", count: sessions.count * perSession) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for session in sessions {
          group.addTask {
            var token = session
            for _ in 0..<perSession {
              token = try await client.send(AuthAPI.Refresh(refreshToken: token)).refreshToken
            }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  /// Imports 100,000 accounts with generated names and measures searches among them.
  private static func searches(_ platform: Platform) async throws {
    guard let auth = platform.plugin(AuthPlugin.self) else { return }
    let syllables = [
      "ba", "ko", "li", "mar", "ne", "ro", "sti", "ta", "ven", "zu", "hal", "du", "fi", "gre", "jo", "pe",
    ]
    func name(_ number: Int) -> String {
      var (rest, text) = (number, "")
      for _ in 0..<5 {
        text += syllables[rest % syllables.count]
        rest /= syllables.count
      }
      return text
    }
    let hash = String(repeating: "0a", count: 64)
    let rows = (1...users).map { "\($0),,,,\(name($0 * 7)),\(hash),s" }
    let begin = Date()
    let report = try await auth.importAccounts(
      (["id,firstName,lastName,DoB,username,PW_SHA512,salt"] + rows).joined(separator: "\n")
    )
    let seconds = Date().timeIntervalSince(begin)
    print("accounts-imported \(report.imported) in \(Benchmarks.format(seconds)) s")
    let guest = try await platform.client().send(AuthAPI.SignInAsGuest())
    let client = platform.client().with(accessToken: guest.accessToken)
    let kinds: [(String, (Int) -> String)] = [
      ("beginning", { String(name($0 * 7).prefix(4)) }), ("whole-word", { name($0 * 7) }),
      ("two-letters", { String(name($0 * 7).prefix(2)) }),
      (
        "misspelt",
        { number in
          var letters = Array(name(number * 7))
          letters.swapAt(4, 5)
          return String(letters)
        }
      ),
    ]
    for (kind, query) in kinds {
      var times: [Double] = []
      for number in stride(from: 17, to: users, by: users / 300) {
        let start = Date()
        _ = try await client.send(AuthAPI.SearchUsers(query: query(number)))
        times.append(Date().timeIntervalSince(start) * 1000)
      }
      times.sort()
      let (p50, p99) = (Benchmarks.percentile(times, 0.5), Benchmarks.percentile(times, 0.99))
      print(
        "search-\(kind) p50 \(Benchmarks.format(p50)) ms p99 \(Benchmarks.format(p99)) ms at \(report.imported) users"
      )
    }
  }
}
