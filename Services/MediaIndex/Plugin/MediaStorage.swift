import BlobStorage
import Contracts
import ServiceKit

/// Where the files of media are kept.
enum MediaStorage {
  /// Opens the storage that the settings name: a folder of this machine by default.
  static func open(_ environment: ServiceEnvironment) async throws -> any BlobStorage {
    let time = environment.time
    return try await LocalBlobs.open("\(environment.dataFolder)/media") { time.now().unixSeconds }
  }
}
