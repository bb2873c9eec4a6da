import NIOCore

extension StoredContent.Source {
  /// Bytes from elsewhere, as a storage returns them.
  public static func remote(
    chunks read: @escaping @Sendable (Range<Int>) async throws -> AsyncThrowingStream<[UInt8], any Error>
  ) -> Self {
    .remote { range in try await read(range).map { ByteBuffer(bytes: $0) } }
  }
}

extension StoredContent {
  /// All bytes, for content that is changed before it is sent.
  ///
  /// - Parameter limit: The most bytes that are read into memory.
  /// - Throws: ``StoredBody/WrongLength`` for more, or when there are fewer than announced.
  public func collect(upTo limit: Int) async throws -> [UInt8] {
    guard length <= limit else { throw StoredBody.WrongLength() }
    switch source {
    case .bytes(let bytes): return bytes
    case .file(let path, let held):
      return Array(buffer: try await OpenFile.open(path, holding: held).read(0..<length))
    case .remote(let read):
      var bytes: [UInt8] = []
      for try await chunk in try await read(0..<length) { bytes += chunk.readableBytesView }
      guard bytes.count == length else { throw StoredBody.WrongLength() }
      return bytes
    }
  }
}
