import BlobStorage
import Contracts
import ServiceKit

/// Where the files of media are kept.
public enum MediaStorage: String, CaseIterable, Sendable {
  /// A folder of this machine.
  case local
  /// An S3-compatible store.
  case s3

  /// Opens the storage that the settings name.
  /// - Throws: ``SettingError``.
  static func open(_ environment: ServiceEnvironment) async throws -> any BlobStorage {
    try await environment.settings[StorageSettings.storage].open(environment)
  }

  /// Opens this storage, whichever the settings name. A store on the network need not be reachable yet.
  /// - Throws: ``SettingError``.
  func open(_ environment: ServiceEnvironment) async throws -> any BlobStorage {
    let time = environment.time
    switch self {
    case .local:
      let folder = try environment.settings[StorageSettings.folder]?.absolutePath ?? "\(environment.dataFolder)/media"
      do { return try await LocalBlobs.open(folder) } catch let error as BlobStorageError {
        throw SettingError(StorageSettings.folder, "names a folder that cannot be used (\(error))")
      }
    case .s3:
      let configuration = try StorageSettings.s3(environment.settings)
      return S3Blobs(configuration, http: environment.http) { time.now().unixSeconds }
    }
  }
}
