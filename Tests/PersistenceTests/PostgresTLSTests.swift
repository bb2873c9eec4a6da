import Contracts
import Persistence
import TestKit
import Testing

/// PostgreSQL by TLS, as the parameters of the URL say, against a real server that accepts nothing else.
@Suite(.serialized)
struct PostgresTLSTests {
  private func version(_ url: String) async throws -> String? {
    let database = try PostgresDatabase(url: url, schema: "secure")
    return try await attempt {
      try await database.read { db in
        try db.value("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()", as: String.self)
      }
    } finally: {
      await database.close()
    }
  }

  @Test func certificatesAreVerified() async throws {
    try await withSecurePostgres { url, authority async throws in
      let full = "\(url)?sslmode=verify-full&sslrootcert="
      #expect(try await version(full + authority.certificate) == "TLSv1.3")
      await #expect(throws: DatabaseError.self) { _ = try await version("\(url)?sslmode=disable") }
      try await TemporaryFolder.run { folder async throws in
        let stranger = try await Certificates.make(in: folder, name: "stranger")
        await #expect(throws: DatabaseError.self) { _ = try await version(full + stranger.certificate) }
      }
    }
  }
}
