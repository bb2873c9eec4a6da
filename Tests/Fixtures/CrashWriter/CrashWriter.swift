import Foundation
import Persistence

/// Writes rows as fast as possible and prints the number of each acknowledged row, until it is killed.
@main
enum CrashWriter {
  static func main() async throws {
    let database = try SQLiteDatabase(path: CommandLine.arguments[1])
    try await database.write { tx in try tx.execute("CREATE TABLE IF NOT EXISTS notes (id BIGINT PRIMARY KEY)") }
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<16 {
        group.addTask {
          var number = writer
          while true {
            let id = number
            do {
              try await database.write { tx in try tx.execute("INSERT INTO notes (id) VALUES (\(id))") }
            } catch {
              try? FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8))
              return
            }
            try? FileHandle.standardOutput.write(contentsOf: Data("\(id)\n".utf8))
            number += 16
          }
        }
      }
    }
  }
}
