public import Contracts
import Crypto
import Foundation
package import HummingbirdCore
import NIOCore
import SystemPackage
import Timing

/// A request's body in a file.
public struct BodyFile: Sendable {
  public let file: TemporaryFile
  public let bytes: Int
  /// The name that a form gives it.
  public let name: String?
}

/// Receives bodies that are too large for memory into files, a few at a time.
package final class BodyFiles: Sendable {
  private let files: TemporaryFiles
  private let slots = CallerSlots(total: 64, perCaller: 2)
  private let now: @Sendable () -> Double

  /// The least speed of a body in sum, after a grace; connections that stall are closed by their deadlines.
  private static let minBytesPerSecond = 65_536.0
  private static let graceSeconds = 30.0

  /// - Parameter now: A monotonic clock, in seconds.
  package init(_ files: TemporaryFiles, now: @escaping @Sendable () -> Double = { MonotonicClock.now() }) {
    (self.files, self.now) = (files, now)
  }

  /// - Parameters:
  ///   - contentType: Of `multipart/form-data`, the first file is received; of anything else, the whole body.
  ///   - caller: Bodies of one caller are received two at a time.
  ///   - isGuest: Whether the caller is no member; half of the slots are only for members.
  /// - Returns: The file and the hash of its content.
  /// - Throws: ``Problem`` 413 beyond the limit, 503 when too many bodies are being received or this one arrives too
  ///   slowly, 400 for a broken form.
  package func receive(
    _ body: RequestBody, contentType: String?, limit: Int, from caller: String, isGuest: Bool = false
  )
    async throws -> (file: BodyFile, hash: [UInt8])
  {
    let slot = try slot(for: caller, isGuest: isGuest)
    defer { withExtendedLifetime(slot) {} }
    let start = now()
    var form = try contentType.flatMap { try MultipartFile(contentType: $0) }
    let file = try files.make()
    let output = try open(file.path)
    defer { try? output.close() }
    var hasher = SHA256()
    var (received, written) = (0, 0)
    for try await chunk in body {
      received += chunk.readableBytes
      guard received <= limit else { throw EndpointLimits.tooLarge(limit) }
      try checkSpeed(received, since: start)
      let bytes = Array(chunk.readableBytesView)
      let content = form == nil ? bytes : try form?.take(bytes) ?? []
      guard !content.isEmpty else { continue }
      hasher.update(data: content)
      try write(content, to: output)
      written += content.count
    }
    if let form, !form.isComplete { throw MultipartFile.broken }
    return (BodyFile(file: file, bytes: written, name: form?.name), Array(hasher.finalize()))
  }

  private func slot(for caller: String, isGuest: Bool) throws -> CallerSlots.Slot {
    if let slot = slots.take(caller, isGuest: isGuest) { return slot }
    // The body is not read, so the connection cannot be reused.
    throw Problem(.overloaded, detail: "Too many files are being received.", retryAfter: 2)
      .with(header: "Connection", "close")
  }

  /// A slow sender would keep its slot for hours.
  private func checkSpeed(_ received: Int, since start: Double) throws {
    guard now() - start > Self.graceSeconds + Double(received) / Self.minBytesPerSecond else { return }
    throw Problem(.overloaded, detail: "The file arrives too slowly.", retryAfter: 5)
      .with(header: "Connection", "close")
  }

  private func open(_ path: String) throws -> SystemPackage.FileDescriptor {
    try Self.reportingFull {
      try .open(path, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    }
  }

  private func write(_ bytes: [UInt8], to output: SystemPackage.FileDescriptor) throws {
    _ = try Self.reportingFull { try output.writeAll(bytes) }
  }

  private static func reportingFull<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as Errno where error == .noSpace || error == .diskQuotaExceeded {
      throw Problem(.storageFull)
    }
  }
}

/// Names for temporary files of a process.
public struct TemporaryFiles: Sendable {
  private let folder: String
  private let ids: IDGenerator

  package init(dataFolder: String, ids: IDGenerator) { (folder, self.ids) = ("\(dataFolder)/temporary", ids) }

  /// The path of a file that does not exist yet.
  /// - Parameter held: Is kept as long as the file.
  public func make(holding held: (any Sendable)? = nil) throws -> TemporaryFile {
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return TemporaryFile(path: "\(folder)/\(ids.text())", holding: held)
  }

  /// An empty folder.
  public func makeFolder() throws -> TemporaryFile {
    let made = try make()
    try FileManager.default.createDirectory(
      atPath: made.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return made
  }

  /// Removes what processes that have crashed left behind.
  package func removeOld(before time: Timestamp) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      let changed = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date
      guard let changed, changed.timeIntervalSince1970 < Double(time.unixSeconds) else { continue }
      try? FileManager.default.removeItem(atPath: path)
    }
  }
}
