#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file that is read from its beginning.
final class InputFile {
  private let descriptor: Int32

  init(_ path: String) throws(StudyFileError) {
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .inputOutput(errno) }
  }

  deinit { close(descriptor) }

  /// The size in bytes.
  func size() throws(StudyFileError) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .inputOutput(errno) }
    return Int64(status.st_size)
  }

  /// Up to `count` bytes; fewer only at the end of the file.
  func read(_ count: Int, at offset: Int64? = nil) throws(StudyFileError) -> [UInt8] {
    if let offset, lseek(descriptor, off_t(offset), SEEK_SET) < 0 { throw .inputOutput(errno) }
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let got = get(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled)
        if got < 0 {
          if errno == EINTR { continue }
          failure = errno
          return
        }
        if got == 0 { return }
        filled += got
      }
    }
    if let failure { throw .inputOutput(failure) }
    return bytes
  }
}

private func get(_ descriptor: Int32, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

/// A new file that is written to its end.
final class OutputFile {
  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// - Parameter replaces: Whether an existing file is overwritten; otherwise it is an error.
  init(_ path: String, replaces: Bool = true) throws(StudyFileError) {
    let flags = O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL)
    descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw .inputOutput(errno) }
  }

  deinit { close(descriptor) }

  func write(_ text: String) throws(StudyFileError) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= 65_536 { try flush() }
  }

  func write(_ bytes: [UInt8]) throws(StudyFileError) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= 65_536 { try flush() }
  }

  /// Writes what is buffered. The file is complete when this returns.
  func flush() throws(StudyFileError) {
    var failure: Int32?
    buffer.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = put(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
        if count < 0 {
          if errno == EINTR { continue }
          failure = errno
          return
        }
        written += count
      }
    }
    buffer.removeAll(keepingCapacity: true)
    if let failure { throw .inputOutput(failure) }
  }
}

private func put(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}

func removeFile(_ path: String) { unlink(path) }

extension [UInt8] {
  /// The offset of the first occurrence of a byte in a range.
  func firstIndex(of byte: UInt8, from start: Int, upTo end: Int = .max) -> Int? {
    let end = Swift.min(end, count)
    guard start < end else { return nil }
    return withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), end - start) else {
        return nil
      }
      return base.distance(to: UnsafeRawPointer(found))
    }
  }

  /// The offset of the first occurrence of a text from an offset on.
  func firstIndex(of text: StaticString, from start: Int) -> Int? {
    guard text.utf8CodeUnitCount > 0 else { return nil }
    var offset = start
    while let found = firstIndex(of: text.utf8Start[0], from: offset) {
      if has(text, at: found) { return found }
      offset = found + 1
    }
    return nil
  }

  /// Whether a text is at an offset.
  func has(_ text: StaticString, at offset: Int) -> Bool {
    let length = text.utf8CodeUnitCount
    guard offset >= 0, offset <= count - length else { return false }
    return (0..<length).allSatisfy { self[offset + $0] == text.utf8Start[$0] }
  }

  /// The text, unless it is not UTF-8 or contains NUL, which databases refuse.
  var validText: String? {
    guard firstIndex(of: 0, from: 0) == nil else { return nil }
    return String(validating: self, as: UTF8.self)
  }
}

extension String {
  var isBlank: Bool { allSatisfy(\.isWhitespace) }

  /// Without white space at both ends.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }
}
