import Contracts
import Foundation
import ServiceKit
import SystemPackage

/// The folder that holds the bytes of uploads, each in a file of its own. Several processes may share it; the lock of a
/// file belongs to its only writer.
///
/// Everything here blocks; it is called on ``UploadCore/threads``.
struct UploadFiles: Sendable {
  /// The name of the folder, also after a restart. Another instance without this disk has another place.
  let place: String
  private let folder: String

  private static let placeFile = "place"
  /// Another name of a file that is handed over, so that the upload keeps its own until the media item exists.
  private static let handedOver = ".handed-over"

  init(dataFolder: String, ids: IDGenerator) throws {
    folder = "\(dataFolder)/uploads"
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let path = "\(folder)/\(Self.placeFile)"
    if !FileManager.default.fileExists(atPath: path) {
      // A link fails when another process has been faster.
      let own = "\(path).\(ids.text())"
      try Data(ids.text().utf8).write(to: URL(fileURLWithPath: own))
      _ = link(own, path)
      unlink(own)
    }
    place = try String(contentsOfFile: path, encoding: .utf8)
  }

  func path(of id: UploadID) -> String { "\(folder)/\(id)" }

  /// Opens a file for the only writer, or creates it.
  ///
  /// - Returns: `nil` while another process writes it.
  func open(_ id: UploadID) throws -> FileDescriptor? {
    let isNew = access(path(of: id), F_OK) != 0
    let descriptor = try UploadDisk.reportingFull {
      try FileDescriptor.open(path(of: id), .readWrite, options: [.create], permissions: .ownerReadWrite)
    }
    do {
      if try UploadDisk.lock(descriptor) {
        if isNew { try UploadDisk.syncFolder(folder) }
        return descriptor
      }
    } catch {
      try? descriptor.close()
      throw error
    }
    try descriptor.close()
    return nil
  }

  /// A new file that can be handed over; no other name leads to its content.
  func createHandedOver(_ id: UploadID) throws -> (path: String, file: FileDescriptor) {
    let path = path(of: id) + Self.handedOver
    unlink(path)
    let file = try UploadDisk.reportingFull {
      try FileDescriptor.open(
        path, .readWrite, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    }
    return (path, file)
  }

  /// Gives a complete file a second name, which its recipient may move.
  func handOver(_ id: UploadID) throws -> String {
    let other = path(of: id) + Self.handedOver
    unlink(other)
    guard link(path(of: id), other) == 0 else { throw Errno(rawValue: errno) }
    return other
  }

  /// Removes what was not taken.
  func removeHandedOver(_ id: UploadID) { unlink(path(of: id) + Self.handedOver) }

  func remove(_ ids: [UploadID]) {
    for id in ids { for name in [path(of: id), path(of: id) + Self.handedOver] { unlink(name) } }
  }

  /// The uploads that have a file.
  func list() throws -> Set<UploadID> {
    Set(
      try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { name in
        UploadID(name.hasSuffix(Self.handedOver) ? String(name.dropLast(Self.handedOver.utf8.count)) : name)
      }
    )
  }
}

/// Steps on the disk that the standard libraries lack.
enum UploadDisk {
  static func reportingFull<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as Errno where error == .noSpace || error == .diskQuotaExceeded {
      throw Problem(.storageFull)
    }
  }

  /// - Returns: `false` while another process holds the lock.
  static func lock(_ descriptor: FileDescriptor) throws -> Bool {
    while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
    return true
  }

  /// Waits until the content is on the disk.
  static func sync(_ descriptor: FileDescriptor) throws {
    try reportingFull { if fdatasync(descriptor.rawValue) != 0 { throw Errno(rawValue: errno) } }
  }

  /// Waits until the names in a folder are on the disk.
  static func syncFolder(_ path: String) throws {
    let folder = try FileDescriptor.open(path, .readOnly)
    try folder.closeAfter { guard fsync(folder.rawValue) == 0 else { throw Errno(rawValue: errno) } }
  }
}
