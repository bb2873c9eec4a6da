import Foundation
import SystemPackage

/// Operations on files, all of which block.
enum BlobFile {
  static let chunkBytes = 256 << 10

  /// Runs operations on files and turns their errors into those of the storage.
  static func reporting<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as Errno { throw BlobStorageError(error) }
  }

  /// Reads a file from its begin to its end, or a range of it.
  static func read(_ path: String, _ range: Range<Int64>? = nil, _ body: (UnsafeRawBufferPointer) throws -> Void) throws
  {
    try reporting {
      let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
      try file.closeAfter {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { buffer.deallocate() }
        var offset = range?.lowerBound ?? 0
        let end = range?.upperBound ?? .max
        while offset < end {
          let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(min(Int64(buffer.count), end - offset))])
          let count = try file.read(fromAbsoluteOffset: offset, into: piece)
          if count == 0 { break }
          try body(UnsafeRawBufferPointer(rebasing: piece[..<count]))
          offset += Int64(count)
        }
      }
    }
  }

  /// Appends the content of a file to an open one.
  static func copy(_ path: String, to output: FileDescriptor) throws {
    try read(path) { bytes in _ = try output.writeAll(bytes) }
  }

  /// The size; `nil` when there is no file.
  static func size(_ path: String) throws -> Int64? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      if errno == ENOENT { return nil }
      throw Errno(rawValue: errno)
    }
    return Int64(status.st_size)
  }

  static func fileSystem(of path: String) throws -> UInt64 {
    var status = stat()
    try check(stat(path, &status))
    return UInt64(status.st_dev)
  }

  static func rename(_ path: String, to target: String) throws { try check(Foundation.rename(path, target)) }

  /// - Returns: Whether there was a file.
  @discardableResult
  static func remove(_ path: String) throws -> Bool {
    guard unlink(path) != 0 else { return true }
    if errno == ENOENT { return false }
    throw Errno(rawValue: errno)
  }

  /// Makes a file durable, or what a folder contains.
  static func synchronize(_ file: FileDescriptor) throws { try check(fsync(file.rawValue)) }

  static func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o750) != 0, errno != EEXIST else { return }
    throw Errno(rawValue: errno)
  }

  /// Takes the lock of a file, which ends when it is closed; `false` when another holds it.
  static func lock(_ file: FileDescriptor) throws -> Bool {
    while flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw Errno(rawValue: errno) }
    }
    return true
  }

  /// The names in a folder, without order.
  static func names(in folder: String) throws -> [String] {
    guard let directory = opendir(folder) else { throw Errno(rawValue: errno) }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private static func check(_ result: Int32) throws { if result != 0 { throw Errno(rawValue: errno) } }
}

extension BlobStorageError {
  init(_ error: Errno) {
    switch error {
    // The last is the limit of a process.
    case .noSpace, .diskQuotaExceeded, .fileTooLarge: self = .full
    case .noSuchFileOrDirectory: self = .notFound
    case .permissionDenied, .notPermitted, .readOnlyFileSystem: self = .refused("\(error)")
    default: self = .unavailable("\(error)")
    }
  }
}
