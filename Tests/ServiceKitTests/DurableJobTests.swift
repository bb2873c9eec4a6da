import Contracts
import Persistence
import TestKit
import Testing

@testable import ServiceKit

/// Jobs that are replaced while they run.
@Suite(.serialized)
struct DurableJobTests {
  @Test(arguments: TestDatabase.allCases)
  func aRunOfAReplacedJobLeavesTheNewOne(on kind: TestDatabase) async throws {
    try await TestPlatform.run([JobsPlugin.self], settings: ["services.auth.url": "http://127.0.0.1:1"], database: kind)
    { test async throws in
      let environment = try test.plugin(JobsPlugin.self).environment
      let database = try environment.database
      let other = try DurableJobs<String>("test", environment) { _, _ in .retry(afterSeconds: 1000) }
      let jobs = try DurableJobs<String>("test", environment) { payload, job in
        try await database.write { tx in try other.add("second", id: job.id, in: tx) }
        // The new one is running, too, when this run completes.
        #expect(try await other.runOnce() == 1)
        #expect(try await database.write { tx in try job.complete(in: tx) } == false)
        return .done
      }
      try await database.write { tx in try jobs.add("first", id: "one", in: tx) }
      #expect(try await jobs.runOnce() == 1)
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM jobs") } == 1)

      test.time.advance(seconds: 1001)
      let last = try DurableJobs<String>("test", environment) { payload, _ in
        #expect(payload == "second")
        return .done
      }
      #expect(try await last.runOnce() == 1)
      #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM jobs") } == 0)
    }
  }
}

private enum JobsAPI: ServiceAPI {
  static let name = "jobs"
  static let summary = "Nothing but jobs"
  static let endpoints: [any Endpoint.Type] = []
}

private struct JobsPlugin: ServicePlugin {
  static let manifest = Manifest(
    name: JobsAPI.name, api: JobsAPI.self,
    migrations: [Migration("jobs-001", why: "a database", ["CREATE TABLE things (id BIGINT PRIMARY KEY)"])])

  let features: [any Feature] = []
  let environment: ServiceEnvironment

  init(environment: ServiceEnvironment) { self.environment = environment }
}
