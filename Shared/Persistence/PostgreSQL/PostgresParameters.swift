/// The parameters of a statement as libpq takes them. Everything except blobs is sent as text; the server infers each
/// parameter's type. The pointers are valid as long as the object lives.
final class PostgresParameters {
  let count: Int32
  let pointers: [UnsafePointer<CChar>?]
  let lengths: [Int32]
  let formats: [Int32]
  private let storage: [UnsafeMutableBufferPointer<CChar>?]

  /// - Throws: `other` for a text with NUL, which PostgreSQL cannot store.
  init(_ values: [SQLValue]) throws(DatabaseError) {
    var buffers: [[UInt8]?] = []
    var formats: [Int32] = []
    for value in values {
      switch value {
      case .null: buffers.append(nil)
      case .integer(let integer): buffers.append(Array(String(integer).utf8) + [0])
      case .real(let real): buffers.append(Array(String(real).utf8) + [0])
      case .text(let text):
        guard !text.utf8.contains(0) else { throw DatabaseError(.other, "PostgreSQL text cannot contain NUL") }
        buffers.append(Array(text.utf8) + [0])
      case .blob(let bytes): buffers.append(bytes)
      }
      if case .blob = value { formats.append(1) } else { formats.append(0) }
    }
    storage = buffers.map { bytes -> UnsafeMutableBufferPointer<CChar>? in
      guard let bytes else { return nil }
      let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(1, bytes.count))
      _ = copy.initialize(from: bytes.lazy.map { CChar(bitPattern: $0) })
      return copy
    }
    count = Int32(values.count)
    pointers = storage.map { $0.flatMap { UnsafePointer($0.baseAddress) } }
    lengths = buffers.map { Int32($0?.count ?? 0) }
    self.formats = formats
  }

  deinit { for buffer in storage { buffer?.deallocate() } }
}
