import Contracts
import CurlClient
import Foundation
import ServiceKit
import TestKit
import Testing

/// Backups of the whole platform while it runs, and its move between the two kinds of databases, by the command line.
@Suite(.serialized)
struct BackupTests {
  private static let key = Data(repeating: 7, count: 32).base64EncodedString()

  @discardableResult
  private func quintet(_ arguments: String..., expects status: Int32 = 0) async throws -> String {
    try await Command.run(
      [ServiceProcess.executable("quintet").path] + arguments + ["--log-level", "error"],
      environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""], folder: "/", expects: status)
  }

  /// Starts the platform and does something as its caller.
  private func serving<Value>(
    _ settings: [String: String], _ body: (APIClient) async throws -> Value
  ) async throws -> Value {
    let all = settings.merging(["LOG_LEVEL": "error"]) { one, _ in one }
    return try await ServiceProcess.running("quintet", settings: all) { process in
      try await CurlClient.running { http in
        try await body(APIClient(transport: CurlTransport(client: http, origin: process.url)))
      }
    }
  }

  private func signUp(_ name: String, _ client: APIClient) async throws { _ = try await client.signUp(name) }

  /// Requires that the user of the name exists, which only the databases know.
  private func signIn(_ name: String, _ client: APIClient) async throws {
    _ = try await client.send(AuthAPI.LogIn(login: name, password: "correct horse \(name)"))
  }

  /// The folder that the command prints in its last line.
  private func folder(_ output: String) throws -> String {
    try #require(output.split(separator: "\n").last.map { String($0) })
  }

  @Test(arguments: [false, true])
  func aBackupOfARunningPlatformIsRestored(isEncrypted: Bool) async throws {
    try await TemporaryFolder.run { root in
      let (data, backups, restored) = ("\(root)/data", "\(root)/backups", "\(root)/restored")
      let key = isEncrypted ? ["--backup-key", Self.key] : []
      func run(_ arguments: [String], expects status: Int32 = 0) async throws -> String {
        try await Command.run(
          [ServiceProcess.executable("quintet").path] + arguments + key + ["--log-level", "error"],
          environment: ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""], folder: "/", expects: status)
      }
      let backup = try await serving(["DATA": data]) { client in
        try await signUp("before", client)
        let made = try folder(await run(["backup", "--to", backups, "--data", data]))
        try await signUp("after", client)
        return made
      }
      #expect(try await run(["verify", backup]).contains("the backup is whole"))
      let rows = try Data(contentsOf: URL(fileURLWithPath: "\(backup)/auth.rows"))
      #expect((rows.range(of: Data("user_id".utf8)) == nil) == isEncrypted)
      #expect(FileManager.default.fileExists(atPath: "\(backup)/data-keys.sealed") == isEncrypted)
      if !isEncrypted {
        try FileManager.default.createDirectory(atPath: restored, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(data)/data-keys", toPath: "\(restored)/data-keys")
      }
      _ = try await run(["restore", "--from", backup, "--data", restored])
      // Existing data is not overwritten.
      _ = try await run(["restore", "--from", backup, "--data", restored], expects: 78)
      try await serving(["DATA": restored]) { client in
        // The name is taken by the user of the backup; the later one is not in it.
        try await signIn("before", client)
        try await signUp("after", client)
      }
      // Every byte counts.
      var damaged = rows
      damaged[rows.count / 2] ^= 1
      try damaged.write(to: URL(fileURLWithPath: "\(backup)/auth.rows"))
      #expect(try await run(["verify", backup], expects: 1).contains("auth.rows is damaged"))
    }
  }

  /// The drill: users go on working during a backup. What was acknowledged before it is not missing, and nothing that came
  /// later is there without what preceded it.
  @Test(arguments: TestDatabase.allCases)
  func aBackupUnderLoadIsOfOneMoment(_ kind: TestDatabase) async throws {
    try await TemporaryFolder.run { root in
      try await kind.withSettings { settings in
        try await kind.withSettings { restored in
          func environment(_ settings: [String: String], _ data: String) -> [String: String] {
            var environment = ["DATA": "\(root)/\(data)", "LIMITS_WRITE": "0/1"]
            for (key, value) in settings { environment[ServiceHost.environmentVariable(of: key)] = value }
            return environment
          }
          func run(_ arguments: [String], _ environment: [String: String]) async throws -> String {
            try await Command.run(
              [ServiceProcess.executable("quintet").path] + arguments + ["--log-level", "error"],
              environment: environment.merging(["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]) { one, _ in
                one
              },
              folder: "/")
          }
          let (source, target) = (environment(settings, "data"), environment(restored, "restored"))
          let (backup, before) = try await serving(source) { client async throws -> (String, Int) in
            let user = TestUser(try await client.signUp("worker"), client)
            let (created, over) = (Counter(), Counter())
            async let work: Void = { () async throws in
              while over.value == 0 {
                let title = try SetTitle(validating: "Set \(created.value)")
                _ = try await user.client.send(StudyAPI.CreateSet(title: title))
                created.add()
              }
            }()
            try await eventually("the user works") { created.value >= 20 }
            let before = created.value
            let made = try folder(await run(["backup", "--to", "\(root)/backups"], source))
            over.add()
            try await work
            #expect(created.value > before)
            return (made, before)
          }
          if kind == .sqlite {
            try FileManager.default.createDirectory(atPath: "\(root)/restored", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(root)/data/data-keys", toPath: "\(root)/restored/data-keys")
          }
          _ = try await run(["restore", "--from", backup], target)
          let titles = try await serving(target) { client in
            let login = try await client.send(AuthAPI.LogIn(login: "worker", password: "correct horse worker"))
            let user = TestUser(login, client)
            var (titles, cursor): ([String], String?) = ([], nil)
            repeat {
              let page = try await user.client.send(StudyAPI.ListSets(cursor: cursor))
              titles += page.items.map(\.title)
              cursor = page.nextCursor
            } while cursor != nil
            return titles
          }
          #expect(titles.count >= before)
          #expect(Set(titles) == Set((0..<titles.count).map { "Set \($0)" }))
        }
      }
    }
  }

  @Test func anEncryptedBackupNeedsItsKey() async throws {
    try await TemporaryFolder.run { root in
      let (data, backups) = ("\(root)/data", "\(root)/backups")
      try await quintet("migrate", "--data", data)
      let backup = try folder(
        await quintet("backup", "--to", backups, "--data", data, "--backup-key", Self.key))
      #expect(try await quintet("verify", backup, expects: 78).contains("backup.key"))
      let other = Data(repeating: 8, count: 32).base64EncodedString()
      #expect(
        try await quintet("verify", backup, "--backup-key", other, expects: 1).contains("another backup.key"))
    }
  }

  /// Data written after the copy ahead arrives with the rest, and only changed tables are copied again.
  @Test func aRunningPlatformIsCopiedAhead() async throws {
    try await TemporaryFolder.run { root in
      let data = "\(root)/data"
      try await TestDatabase.postgresql.withSettings { settings in
        let url = try #require(settings["database.url"])
        func rows(_ output: String) -> [Int] {
          output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /: (\d+) rows copied/).flatMap { Int($0.1) }
          }
        }
        let ahead = try await serving(["DATA": data]) { client in
          try await signUp("early", client)
          let output = try await quintet("move", "--from", "sqlite", "--to", url, "--data", data, "--ahead")
          try await signUp("late", client)
          return rows(output)
        }
        let keys = try String(contentsOfFile: "\(data)/data-keys", encoding: .utf8)
          .split(separator: "\n").joined(separator: ",")
        // No platform starts without what came later.
        let serve = try await Command.run(
          [ServiceProcess.executable("quintet").path, "serve", "--port", "0", "--metrics-port", "0"],
          environment: [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "DATA": data, "DATABASE_URL": url,
            "DATA_KEYS": keys,
          ], folder: "/", expects: 78)
        #expect(serve.contains("was copied ahead"))
        // Neither another platform's copy nor half of this one.
        try await quintet("move", "--from", "sqlite", "--to", url, "--data", data, "--ahead", expects: 78)
        let rest = rows(try await quintet("move", "--from", "sqlite", "--to", url, "--data", data))
        #expect(rest.count == ahead.count)
        #expect(rest.reduce(0, +) < ahead.reduce(0, +))
        try await serving(["DATA": data, "DATABASE_URL": url, "DATA_KEYS": keys]) { client in
          try await signIn("early", client)
          try await signIn("late", client)
        }
        // It is a platform's database now, which is never replaced.
        try await quintet("move", "--from", "sqlite", "--to", url, "--data", data, expects: 78)
      }
    }
  }

  @Test func aPlatformMovesToPostgreSQLAndBack() async throws {
    try await TemporaryFolder.run { root in
      let (data, back) = ("\(root)/data", "\(root)/back")
      try await serving(["DATA": data]) { client in try await signUp("mover", client) }
      let keys = try String(contentsOfFile: "\(data)/data-keys", encoding: .utf8)
        .split(separator: "\n").joined(separator: ",")
      try await TestDatabase.postgresql.withSettings { settings in
        let url = try #require(settings["database.url"])
        let moved = try await quintet("move", "--from", "sqlite", "--to", url, "--data", data)
        #expect(moved.contains("rows copied and compared"))
        // Nothing is left to do.
        let again = try await quintet("move", "--from", "sqlite", "--to", url, "--data", data)
        #expect(again.contains("auth: 0 rows copied and compared"))
        try await serving(["DATA": data, "DATABASE_URL": url, "DATA_KEYS": keys]) { client in
          try await signIn("mover", client)
          try await signUp("later", client)
        }
        try await quintet("move", "--from", url, "--to", "sqlite", "--data", back)
      }
      try FileManager.default.copyItem(atPath: "\(data)/data-keys", toPath: "\(back)/data-keys")
      try await serving(["DATA": back]) { client in
        try await signIn("later", client)
        try await signUp("newest", client)
      }
    }
  }
}
