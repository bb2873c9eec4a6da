#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The names of the media files of a package.
struct AnkiMediaList {
  struct File {
    /// The entry's name in the archive, a number.
    var entry: String
    var name: String
    /// The size after decompression; `nil` when the list has none.
    var size: Int64?
  }

  /// In the order of their numbers.
  let files: [File]

  /// - Throws: ``StudyFileError/damagedPackage`` when the list is damaged.
  init(json: [UInt8], maxCount: Int) throws(StudyFileError) {
    // Each file has two texts. Counted first, because decoding takes much more memory than the list.
    guard json.count(where: { $0 == UInt8(ascii: "\"") }) <= 4 * maxCount else { throw .tooManyEntries }
    guard let names = try? JSONDecoder().decode([String: String].self, from: Data(json)) else { throw .damagedPackage }
    let numbered = names.map { (number: Int($0.key) ?? .max, file: File(entry: $0.key, name: $0.value)) }
    files = numbered.sorted { ($0.number, $0.file.entry) < ($1.number, $1.file.entry) }.map(\.file)
  }

  /// - Throws: ``StudyFileError/damagedPackage`` when the list is damaged.
  init(protobuf: [UInt8], maxCount: Int) throws(StudyFileError) {
    var files: [File] = []
    var list = ProtobufFields(protobuf[...])
    while let field = list.next() {
      guard case (1, .bytes(let message)) = field else { continue }
      guard files.count < maxCount else { throw .tooManyEntries }
      var file = File(entry: String(files.count), name: "")
      var entry = ProtobufFields(message)
      while let field = entry.next() {
        switch field {
        case (1, .bytes(let name)):
          guard let name = Array(name).validText else { throw .damagedPackage }
          file.name = name
        case (2, .number(let size)): file.size = Int64(clamping: size)
        default: break
        }
      }
      if entry.isDamaged { throw .damagedPackage }
      files.append(file)
    }
    if list.isDamaged { throw .damagedPackage }
    self.files = files
  }

  /// Whether a name is one of a file in a folder of media, on every system: not a path, not reserved, of at most 255
  /// bytes.
  static func isSafe(_ name: String) -> Bool {
    guard !name.isEmpty, name.utf8.count <= 255, name != ".", name != "..", name.first != " ", name.last != " " else {
      return false
    }
    return name.unicodeScalars.allSatisfy { scalar in
      !"/\\:*?\"<>|".unicodeScalars.contains(scalar) && scalar.value >= 0x20 && scalar.value != 0x7F
    }
  }
}
