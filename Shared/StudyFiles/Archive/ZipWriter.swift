import CZip

/// A new ZIP archive of files, which are read when the archive is completed.
final class ZipWriter {
  private var archive: OpaquePointer?

  /// - Parameter path: A file that is created or overwritten.
  init(_ path: String) throws(StudyFileError) {
    var code: Int32 = 0
    archive = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code)
    guard archive != nil else { throw .inputOutput(code) }
  }

  deinit { if let archive { zip_discard(archive) } }

  /// Adds a file.
  /// - Parameter isCompressed: Whether to compress it; pictures and sounds are compressed already.
  func add(_ name: String, file: String, isCompressed: Bool) throws(StudyFileError) {
    try add(name, isCompressed: isCompressed) { zip_source_file($0, file, 0, -1) }
  }

  private func add(_ name: String, isCompressed: Bool, _ source: (OpaquePointer) -> OpaquePointer?)
    throws(StudyFileError)
  {
    guard let archive, let source = source(archive) else { throw .unrepresentable }
    let index = zip_file_add(archive, name, source, ZIP_FL_ENC_UTF_8)
    guard index >= 0 else {
      zip_source_free(source)
      throw .unrepresentable
    }
    zip_set_file_compression(archive, UInt64(index), isCompressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0)
  }

  /// Writes the archive.
  func finish() throws(StudyFileError) {
    guard let archive else { return }
    guard zip_close(archive) == 0 else {
      let code = zip_error_code_system(zip_get_error(archive))
      throw .inputOutput(code)
    }
    self.archive = nil
  }
}
