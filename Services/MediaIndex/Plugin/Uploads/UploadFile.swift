import Contracts
import Crypto
import Foundation
import ServiceKit
import Synchronization
import SystemPackage

/// The file of an upload that is being written. Its steps block, and follow each other.
final class UploadFile: Sendable {
  private struct State {
    var descriptor: FileDescriptor?
    var end: Int64
    /// `nil` when the bytes before were written by another process.
    var hash: RunningHash?
    var checksum: UploadChecksum?
  }

  private let start: Int64
  private let initialHash: RunningHash?
  private let state: Mutex<State>

  /// Cuts off what was written but not recorded.
  ///
  /// - Throws: ``Problem`` 410 when recorded bytes are missing.
  init(_ descriptor: FileDescriptor, at end: Int64, hash: RunningHash?, checksum: UploadChecksum?) throws {
    do {
      let size = try descriptor.seek(offset: 0, from: .end)
      guard size >= end else { throw Problem(.uploadGone) }
      if size > end { try descriptor.resize(to: end) }
    } catch {
      try? descriptor.close()
      throw error
    }
    let known = end == 0 ? RunningHash() : hash?.bytes == end ? hash : nil
    (start, initialHash) = (end, known)
    state = Mutex(State(descriptor: descriptor, end: end, hash: known, checksum: checksum))
  }

  deinit { state.withLock { try? $0.descriptor?.close() } }

  /// Appends bytes and waits until they are on the disk.
  ///
  /// - Parameter offset: Where the file ends; another one means that bytes before are missing.
  /// - Returns: Where the file ends now.
  /// - Throws: ``Problem`` 507.
  func append(_ bytes: ArraySlice<UInt8>, at offset: Int64) throws -> Int64 {
    try state.withLock { state in
      guard let descriptor = state.descriptor else { throw Errno.badFileDescriptor }
      guard offset == state.end else { throw Errno.invalidArgument }
      try bytes.withUnsafeBytes { bytes in
        _ = try UploadDisk.reportingFull { try descriptor.writeAll(toAbsoluteOffset: offset, bytes) }
        try UploadDisk.sync(descriptor)
        state.hash?.update(bytes)
        state.checksum?.update(bytes)
      }
      state.end += Int64(bytes.count)
      return state.end
    }
  }

  /// The end of the file.
  var end: Int64 { state.withLock { $0.end } }

  /// Whether what was appended has the checksum that was announced.
  var matchesChecksum: Bool { state.withLock { $0.checksum?.matches ?? true } }

  /// Closes the file; its lock is free again.
  ///
  /// - Parameter discards: Whether what was appended goes.
  /// - Returns: The hash of what remains, if it is known.
  func close(discards: Bool) -> RunningHash? {
    state.withLock { state in
      if let descriptor = state.descriptor {
        // Otherwise the next writer cuts it off.
        if discards { try? descriptor.resize(to: start) }
        try? descriptor.close()
      }
      state.descriptor = nil
      return discards ? initialHash : state.hash
    }
  }
}

/// The hashes of uploads that go on, so that they need not be read again at the end. Each is that of one epoch: a
/// writer of another process, which may have written other bytes, has begun a new one.
final class UploadHashes: Sendable {
  private static let maxCount = 1024

  private struct Entry {
    var hash: RunningHash
    var epoch: Int64
  }

  private let hashes = Mutex<[UploadID: Entry]>([:])

  /// - Parameter epoch: In which the last bytes that count were written.
  func take(_ id: UploadID, from epoch: Int64) -> RunningHash? {
    let entry = hashes.withLock { $0.removeValue(forKey: id) }
    return entry?.epoch == epoch ? entry?.hash : nil
  }

  func forget(_ id: UploadID) { hashes.withLock { $0[id] = nil } }

  func put(_ hash: RunningHash, for id: UploadID, from epoch: Int64) {
    hashes.withLock { hashes in
      // Any can go: it costs reading the file at the end.
      if hashes.count >= Self.maxCount, let other = hashes.keys.first { hashes[other] = nil }
      hashes[id] = Entry(hash: hash, epoch: epoch)
    }
  }
}
