import CZip

/// A ZIP archive whose entries are read as streams, within limits on what they decompress to.
final class ZipArchive {
  struct Entry {
    let index: UInt64
    let name: String
    let size: Int64
    let compressedSize: Int64
    /// Whether the name occurs earlier in the archive.
    let isDuplicate: Bool
    /// A problem that forbids reading the entry.
    let problem: StudyFileError?
  }

  private static let endRecord: [UInt8] = [0x50, 0x4B, 5, 6]
  /// The size of the list of entries, in bytes per entry that the limits allow.
  private static let directoryBytesPerEntry = 64

  private let archive: OpaquePointer
  private let limits: StudyFileLimits
  private var remaining: Int64
  let entries: [Entry]

  init(_ path: String, limits: StudyFileLimits) throws(StudyFileError) {
    try Self.checkDirectory(path, limits)
    var code: Int32 = 0
    guard let archive = zip_open(path, ZIP_RDONLY, &code) else { throw .damagedPackage }
    self.archive = archive
    self.limits = limits
    remaining = limits.uncompressedBytes
    let count = zip_get_num_entries(archive, 0)
    guard count <= limits.entries else {
      zip_discard(archive)
      throw .tooManyEntries
    }
    var entries: [Entry] = []
    var names: Set<String> = []
    for index in 0..<UInt64(max(0, count)) {
      var status = zip_stat_t()
      guard zip_stat_index(archive, index, 0, &status) == 0, let name = status.name.map({ String(cString: $0) }) else {
        zip_discard(archive)
        throw .damagedPackage
      }
      entries.append(
        Entry(
          index: index, name: name, size: Int64(clamping: status.size),
          compressedSize: Int64(clamping: status.comp_size),
          isDuplicate: !names.insert(name).inserted, problem: Self.problem(archive, index, status)))
    }
    self.entries = entries
  }

  deinit { zip_discard(archive) }

  /// libzip holds the whole list of entries in memory, and tries every end record that it finds, so their size is
  /// checked first.
  private static func checkDirectory(_ path: String, _ limits: StudyFileLimits) throws(StudyFileError) {
    let file = try InputFile(path)
    let size = try file.size()
    let start = max(0, size - 65_557)
    let tail = try file.read(Int(min(size, 65_557)), at: start)
    func number(_ offset: Int, _ count: Int, in bytes: [UInt8]) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
    var records = 0
    var searched = 0
    while let found = tail.firstIndex(of: "PK\u{5}\u{6}", from: searched), found + 22 <= tail.count {
      searched = found + 1
      records += 1
      var entries = number(found + 10, 2, in: tail)
      var bytes = number(found + 12, 4, in: tail)
      // The record before it points to one with 64-bit numbers.
      if found >= 20, tail.has("PK\u{6}\u{7}", at: found - 20) {
        let offset = number(found - 12, 8, in: tail)
        guard offset <= UInt64(max(0, size - 56)) else { throw .damagedPackage }
        let record = try file.read(56, at: Int64(offset))
        guard record.count == 56, record.has("PK\u{6}\u{6}", at: 0) else { throw .damagedPackage }
        entries = number(32, 8, in: record)
        bytes = number(40, 8, in: record)
      }
      guard entries <= UInt64(limits.entries), bytes <= UInt64(limits.entries * directoryBytesPerEntry) else {
        throw .tooManyEntries
      }
    }
    // Content that happens to look like an end record is rare; many are an attack.
    guard (1...4).contains(records) else { throw .damagedPackage }
  }

  private static func problem(_ archive: OpaquePointer, _ index: UInt64, _ status: zip_stat_t) -> StudyFileError? {
    if Int32(status.encryption_method) != ZIP_EM_NONE { return .encryptedPackage }
    if Int32(status.comp_method) != ZIP_CM_STORE, Int32(status.comp_method) != ZIP_CM_DEFLATE {
      return .unsupportedCompression
    }
    var system: UInt8 = 0
    var attributes: UInt32 = 0
    zip_file_get_external_attributes(archive, index, 0, &system, &attributes)
    let (fileType, regular, unspecified): (UInt32, UInt32, UInt32) = (attributes >> 28, 8, 0)
    // Symbolic links, folders and devices.
    if Int32(system) == ZIP_OPSYS_UNIX, fileType != regular, fileType != unspecified { return .damagedPackage }
    return nil
  }

  /// Whether more may be decompressed.
  var hasBudget: Bool { remaining >= 0 }

  /// The first entry of a name.
  func entry(_ name: String) -> Entry? { entries.first { $0.name == name } }

  /// Reads an entry in pieces.
  /// - Parameters:
  ///   - maxBytes: The largest size after decompression.
  ///   - isZstandard: Whether the entry's content is compressed once more by Zstandard.
  func read(
    _ entry: Entry, maxBytes: Int64, isZstandard: Bool = false,
    _ body: ([UInt8]) throws(StudyFileError) -> Void
  ) throws(StudyFileError) {
    if let problem = entry.problem { throw problem }
    guard let file = zip_fopen_index(archive, entry.index, 0) else { throw .damagedPackage }
    defer { zip_fclose(file) }
    var written: Int64 = 0
    func pass(_ bytes: [UInt8]) throws(StudyFileError) {
      written += Int64(bytes.count)
      remaining -= Int64(bytes.count)
      guard written <= maxBytes, remaining >= 0 else { throw .tooLarge }
      guard written <= 16 << 20 || written / limits.compressionRatio <= entry.compressedSize else {
        throw .compressionBomb
      }
      try body(bytes)
    }
    let decoder = isZstandard ? try ZstandardDecoder() : nil
    while true {
      var count: Int64 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 131_072) { buffer, filled in
        count = zip_fread(file, buffer.baseAddress, UInt64(buffer.count))
        filled = Int(max(0, count))
      }
      // Also when the checksum is wrong.
      guard count >= 0 else { throw .damagedPackage }
      if count == 0 { break }
      if let decoder {
        try decoder.decode(bytes) { (output) throws(StudyFileError) in try pass(output) }
      } else {
        try pass(bytes)
      }
    }
    try decoder?.finish()
  }

  /// The content of a small entry.
  func content(_ entry: Entry, maxBytes: Int64, isZstandard: Bool = false) throws(StudyFileError) -> [UInt8] {
    var content: [UInt8] = []
    try read(entry, maxBytes: maxBytes, isZstandard: isZstandard) { (bytes) throws(StudyFileError) in content += bytes }
    return content
  }
}
