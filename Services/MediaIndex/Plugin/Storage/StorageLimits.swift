import Contracts
import Foundation
import Persistence
import ServiceKit

/// The limits of storage, of one user and in all.
struct StorageLimits: Sendable {
  private let maxMedia: Int
  private let quotaBytes: Int64
  private let guestQuotaBytes: Int64
  var reserveBytes: Int64
  /// Uploads arrive in the data folder, whatever the storage.
  private let folders: [String]

  init(_ environment: ServiceEnvironment) throws {
    let settings = environment.settings
    maxMedia = try settings[StorageSettings.maxMedia]
    quotaBytes = Int64(try settings[UploadSettings.quotaBytes])
    guestQuotaBytes = Int64(try settings[UploadSettings.guestQuotaBytes])
    reserveBytes = Int64(try settings[StorageSettings.reserveBytes])
    let folder = try settings[StorageSettings.storage] == .local ? settings[StorageSettings.folder] : nil
    folders = [environment.dataFolder] + (folder.map { [$0] } ?? [])
  }

  /// - Throws: ``Problem`` 413 when the user has as many media as one may have.
  func requireRoom(for user: UserID, in db: any Connection) throws {
    guard try StorageUseStore.use(of: user, in: db).media < maxMedia else {
      throw Problem(.storageQuotaExceeded, detail: "At most \(maxMedia) media can be stored.")
    }
  }

  /// Bounds what is made of uploads, which can be much larger than they are, by the quota of their owner.
  ///
  /// - Parameters:
  ///   - bytes: Of what is going to be stored.
  ///   - owner: Nothing bounds what is kept without its owner.
  /// - Throws: ``Problem`` 413.
  func requireQuota(for bytes: Int64, of owner: UserID, in db: any Connection) throws {
    guard !owner.rawValue.isEmpty else { return }
    let use = try StorageUseStore.use(of: owner, in: db)
    let quota = use.isGuest ? guestQuotaBytes : quotaBytes
    guard use.bytes <= quota, bytes <= quota - use.bytes else {
      throw Problem(.storageQuotaExceeded, detail: "At most \(quota) bytes can be stored.")
    }
  }

  /// Keeps the disk from becoming full, which would stop the whole platform.
  ///
  /// - Parameter bytes: What is going to be written.
  /// - Throws: ``Problem`` 507.
  func requireSpace(for bytes: Int64 = 0) throws {
    for folder in folders {
      // A folder that cannot be examined is going to fail when it is written.
      let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder)
      guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else { continue }
      guard free >= reserveBytes, bytes <= free - reserveBytes else { throw Problem(.storageFull) }
    }
  }
}
