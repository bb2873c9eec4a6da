import CZstd

/// Decompresses Zstandard.
final class ZstandardDecoder {
  /// The largest window of levels up to 19; the reader needs as much memory.
  private static let windowLog: Int32 = 23

  private let stream: OpaquePointer
  private var isFrameComplete = true

  init() throws(StudyFileError) {
    guard let stream = ZSTD_createDCtx() else { throw .tooLarge }
    self.stream = stream
    ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Self.windowLog)
  }

  deinit { ZSTD_freeDCtx(stream) }

  /// Decompresses the next bytes, passing on pieces of the result.
  /// - Throws: ``StudyFileError/compressionBomb`` for a window that is too large, ``StudyFileError/damagedPackage``.
  func decode(_ bytes: [UInt8], _ body: ([UInt8]) throws(StudyFileError) -> Void) throws(StudyFileError) {
    var offset = 0
    while true {
      var status = 0
      var consumed = 0
      let output = [UInt8](unsafeUninitializedCapacity: 131_072) { buffer, filled in
        bytes.withUnsafeBytes { bytes in
          var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: offset)
          var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
          status = ZSTD_decompressStream(stream, &output, &input)
          consumed = input.pos
          filled = output.pos
        }
      }
      if ZSTD_isError(status) != 0 {
        let code = ZSTD_getErrorName(status).map { String(cString: $0) } ?? ""
        throw code.contains("memory") ? .compressionBomb : .damagedPackage
      }
      isFrameComplete = status == 0
      let hasProgressed = consumed > offset || !output.isEmpty
      offset = consumed
      if !output.isEmpty { try body(output) }
      // A full buffer means that there may be more to come of the same input.
      if offset == bytes.count, output.count < 131_072 { return }
      guard hasProgressed else { throw .damagedPackage }
    }
  }

  /// - Throws: ``StudyFileError/damagedPackage`` when the input was truncated.
  func finish() throws(StudyFileError) {
    guard isFrameComplete else { throw .damagedPackage }
  }
}
