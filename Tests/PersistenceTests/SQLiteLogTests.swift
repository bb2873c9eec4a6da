import Foundation
import TestKit
import Testing

@testable import Persistence

/// The write-ahead log is copied beside the commits.
struct SQLiteLogTests {
  @Test func theLogStaysShortAndNothingIsLost() async throws {
    try await TemporaryFolder.run { folder in
      let path = "\(folder)/test.sqlite"
      let database = try SQLiteDatabase(path: path)
      try await attempt {
        try await database.write { tx in
          try tx.execute("CREATE TABLE pages (id BIGINT PRIMARY KEY, round BIGINT NOT NULL, content BLOB NOT NULL)")
        }
        var maxSize = 0
        // Each round writes 8 MB, the whole 160 MB: several times what the log may have.
        for round in 0..<20 {
          for start in stride(from: 0, to: 2000, by: 100) {
            try await database.write { tx in
              for id in start..<start + 100 {
                try tx.execute(
                  """
                  INSERT INTO pages (id, round, content) VALUES (\(id), \(round), \([UInt8](repeating: 1, count: 3500)))
                  ON CONFLICT (id) DO UPDATE SET round = excluded.round
                  """)
              }
            }
          }
          let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
          maxSize = max(maxSize, (attributes[.size] as? Int) ?? .max)
        }
        #expect(maxSize < 100_000_000)
        #expect(try await database.read { db in try db.count("SELECT COUNT(*) FROM pages WHERE round = 19") } == 2000)
        try await database.eraseDeleted()
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "-wal")
        #expect(attributes[.size] as? Int == 0)
      } finally: {
        await database.close()
      }
      let again = try SQLiteDatabase(path: path)
      #expect(try await again.read { db in try db.count("SELECT COUNT(*) FROM pages WHERE round = 19") } == 2000)
      await again.close()
    }
  }
}
