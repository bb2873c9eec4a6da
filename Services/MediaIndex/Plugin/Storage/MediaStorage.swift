public import BlobStorage
import Contracts
public import CurlClient
public import ServiceKit

/// The storage of the files of media.
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
    return try await open(environment.settings, dataFolder: environment.dataFolder, http: environment.http) {
      time.now().unixSeconds
    }
  }

  /// Opens the storage that the settings name, without the service; for backups.
  /// - Throws: ``SettingError``.
  public static func open(
    _ settings: Settings, dataFolder: String, http: CurlClient
  ) async throws -> any BlobStorage {
    try await settings[StorageSettings.storage].open(settings, dataFolder: dataFolder, http: http) {
      TimeSource.system.now().unixSeconds
    }
  }

  private func open(
    _ settings: Settings, dataFolder: String, http: CurlClient, _ now: @escaping @Sendable () -> Int64
  ) async throws -> any BlobStorage {
    switch self {
    case .local:
      let folder = try settings[StorageSettings.folder]?.absolutePath ?? "\(dataFolder)/media"
      do { return try await LocalBlobs.open(folder) } catch let error as BlobStorageError {
        throw SettingError(StorageSettings.folder, "names a folder that cannot be used (\(error))")
      }
    case .s3:
      return S3Blobs(try StorageSettings.s3(settings), http: http, now: now)
    }
  }
}
