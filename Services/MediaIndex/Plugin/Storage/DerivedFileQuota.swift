import Contracts
import Foundation
import Persistence
import ServiceKit

extension MediaCore {
  /// Asks before files are stored whether the owner of their media item may still store them.
  ///
  /// - Throws: ``Problem`` 413.
  func requireQuota(for paths: [String], of media: MediaID) async throws {
    var bytes: Int64 = 0
    for path in paths {
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
      bytes += size?.int64Value ?? 0
    }
    try await requireQuota(for: bytes, of: media)
  }

  /// - Throws: ``Problem`` 413.
  func requireQuota(for bytes: Int64, of media: MediaID) async throws {
    try await database.read { [self] db in
      guard let owner = try self.media.findAny(media, in: db)?.media.owner else { return }
      try limits.requireQuota(for: bytes, of: owner, in: db)
    }
  }
}
