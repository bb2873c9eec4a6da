import Contracts

/// The type of a file by its content. Its name and what the uploader says about it are not looked at.
struct ContentType: Sendable, Equatable {
  /// The media type under which it is served.
  var name: String
  var kind: MediaKind

  /// How many bytes from the start of a file are needed to know.
  static let headBytes = 65_536

  /// The type of a file; `nil` for everything that browsers might run (HTML, SVG and other text), for archives,
  /// programs and what is unknown, and for files whose first structures do not fit their type.
  ///
  /// - Parameters:
  ///   - head: The first ``headBytes`` bytes, or the whole file.
  ///   - bytes: The length of the file.
  init?(of head: [UInt8], bytes: Int64) {
    let file = FileHead(bytes: head, length: bytes)
    guard let found = Self.picture(file) ?? Self.container(file) ?? Self.recording(file) ?? Self.document(file) else {
      return nil
    }
    self = found
  }

  private init(_ name: String, _ kind: MediaKind) { (self.name, self.kind) = (name, kind) }

  // MARK: by signature

  private static func picture(_ file: FileHead) -> ContentType? {
    // Start of image, then the marker of a segment (ITU T.81 B.1.1).
    if file.has([0xFF, 0xD8, 0xFF]), let marker = file.byte(3), (0xC0...0xFE).contains(marker), file.length > 100 {
      return ContentType("image/jpeg", .image)
    }
    // The signature and a header chunk of 13 bytes (ISO 15948 §5.2, §11.2.2).
    if file.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]), file.has("IHDR", at: 12) {
      return ContentType("image/png", .image)
    }
    if file.has("RIFF"), file.has("WEBP", at: 8), file.riffFits, file.hasAny(["VP8 ", "VP8L", "VP8X"], at: 12) {
      return ContentType("image/webp", .image)
    }
    // Width and height follow; that also excludes scripts that begin with the signature.
    if file.hasAny(["GIF87a", "GIF89a"]), let width = file.little16(6), let height = file.little16(8),
      width > 0, height > 0, !file.has("/*", at: 6), !file.has("=", at: 6), file.length > 20
    {
      return ContentType("image/gif", .image)
    }
    return nil
  }

  private static func container(_ file: FileHead) -> ContentType? {
    if file.has([0x1A, 0x45, 0xDF, 0xA3]) { return matroska(file) }
    guard file.has("ftyp", at: 4), let size = file.big32(0), size >= 16, size <= 1024, size < file.length,
      size % 4 == 0, file.isBox(at: Int(size))
    else { return nil }
    let brands = file.brands(until: Int(size))
    if brands.contains(where: { ["avif", "avis"].contains($0) }) { return ContentType("image/avif", .image) }
    if brands.contains(where: { ["heic", "heix", "heim", "heis", "mif1", "msf1", "hevc"].contains($0) }) {
      return ContentType("image/heic", .image)
    }
    guard let major = brands.first else { return nil }
    if ["M4A ", "M4B ", "F4A "].contains(major) { return ContentType("audio/mp4", .audio) }
    if major == "qt  " { return ContentType("video/quicktime", .video) }
    let known = [
      "isom", "iso2", "iso4", "iso5", "iso6", "mp41", "mp42", "avc1", "M4V ", "dash", "cmfc", "3gp4", "3gp5",
    ]
    return brands.contains(where: { known.contains($0) }) ? ContentType("video/mp4", .video) : nil
  }

  /// The document type stands in the first element (RFC 8794 §11.2.4).
  private static func matroska(_ file: FileHead) -> ContentType? {
    let head = file.text(0..<64)
    if head.contains("webm") { return ContentType("video/webm", .video) }
    return head.contains("matroska") ? ContentType("video/x-matroska", .video) : nil
  }

  private static func recording(_ file: FileHead) -> ContentType? {
    if file.has("RIFF"), file.has("WAVE", at: 8), file.riffFits { return ContentType("audio/wav", .audio) }
    // A stream information block of 34 bytes comes first (RFC 9639 §8.1).
    if file.has("fLaC"), let type = file.byte(4), type & 0x7F == 0, file.has([0, 0, 34], at: 5) {
      return ContentType("audio/flac", .audio)
    }
    // A first page of version 0 (RFC 3533 §6) of a codec for sound.
    if file.has("OggS"), file.byte(4) == 0, let flags = file.byte(5), flags & 2 != 0 {
      let head = file.text(26..<128)
      let isSound = ["vorbis", "OpusHead", "FLAC", "Speex"].contains { head.contains($0) }
      return isSound ? ContentType("audio/ogg", .audio) : nil
    }
    return file.mpegAudio.map { ContentType($0, .audio) }
  }

  private static func document(_ file: FileHead) -> ContentType? {
    // Readers also accept the signature later in a file, behind something else: only the first place is accepted.
    guard file.has("%PDF-"), let major = file.byte(5), major == UInt8(ascii: "1") || major == UInt8(ascii: "2"),
      file.byte(6) == UInt8(ascii: "."), file.length > 60
    else { return nil }
    return ContentType("application/pdf", .document)
  }
}
