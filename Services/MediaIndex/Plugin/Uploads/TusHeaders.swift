import Contracts
import HTTPServing
import HTTPTypes
import ServiceKit

extension HTTPField.Name {
  static let tusResumable = Self(known: "Tus-Resumable")
  static let tusVersion = Self(known: "Tus-Version")
  static let tusExtension = Self(known: "Tus-Extension")
  static let tusMaxSize = Self(known: "Tus-Max-Size")
  static let tusChecksumAlgorithm = Self(known: "Tus-Checksum-Algorithm")
  static let uploadOffset = Self(known: "Upload-Offset")
  static let uploadLength = Self(known: "Upload-Length")
  static let uploadDeferLength = Self(known: "Upload-Defer-Length")
  static let uploadMetadata = Self(known: "Upload-Metadata")
  static let uploadConcat = Self(known: "Upload-Concat")
  static let uploadChecksum = Self(known: "Upload-Checksum")
  static let uploadExpires = Self(known: "Upload-Expires")
  static let methodOverride = Self(known: "X-HTTP-Method-Override")
  /// The media item that a finished upload has become; not part of tus.
  static let uploadMedia = Self(known: "Upload-Media")
}

/// Version 1.0.0 of the protocol.
enum Tus {
  static let version = "1.0.0"
  static let extensions =
    "creation,creation-with-upload,creation-defer-length,checksum,expiration,termination,concatenation"
  static let bodyType = "application/offset+octet-stream"

  static func malformed(_ header: HTTPField.Name, _ message: String) -> Problem {
    Problem(.malformedRequest, errors: [.init(location: "header.\(header.rawName)", message: message)])
  }

  /// - Throws: ``Problem`` 412 with the supported version, also when none is named.
  static func checkVersion(of headers: HTTPFields) throws(Problem) {
    guard headers[.tusResumable] == version else {
      throw Problem(.tusVersionUnsupported).with(header: HTTPField.Name.tusVersion.rawName, version)
    }
  }

  /// A number of bytes; `nil` when the field is absent.
  static func bytes(_ name: HTTPField.Name, in headers: HTTPFields) throws(Problem) -> Int64? {
    guard let text = headers[name] else { return nil }
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard text.utf8.allSatisfy({ digits.contains($0) }), let number = Int64(text) else {
      throw malformed(name, "must be a number of bytes")
    }
    return number
  }

  static func hasUploadBody(_ headers: HTTPFields) -> Bool {
    headers[.contentType]?.split(separator: ";").first?.lowercased() == bodyType
  }
}

/// The upload to create (`Upload-Length`, `Upload-Defer-Length`, `Upload-Concat`).
enum NewUpload {
  /// - Parameter length: `nil` when it is still unknown.
  case whole(length: Int64?)
  case partial(length: Int64?)
  case final([UploadID])

  init(_ headers: HTTPFields) throws(Problem) {
    let concat = headers[.uploadConcat]
    if let concat, concat != "partial" {
      guard headers[.uploadLength] == nil, headers[.uploadDeferLength] == nil else {
        throw Tus.malformed(.uploadLength, "follows from the partial uploads")
      }
      self = .final(try Self.parts(of: concat))
      return
    }
    let length = try Tus.bytes(.uploadLength, in: headers)
    let deferred = headers[.uploadDeferLength]
    guard deferred == nil || deferred == "1" else { throw Tus.malformed(.uploadDeferLength, "must be 1") }
    guard (length == nil) == (deferred != nil) else {
      throw Tus.malformed(.uploadLength, "or Upload-Defer-Length is required, but not both")
    }
    self = concat == nil ? .whole(length: length) : .partial(length: length)
  }

  private static let maxParts = 1000

  /// URLs of uploads, absolute or not, separated by spaces.
  private static func parts(of concat: String) throws(Problem) -> [UploadID] {
    guard concat.hasPrefix("final;") else { throw Tus.malformed(.uploadConcat, "must be partial or final;URLs") }
    let urls = concat.dropFirst(6).split(separator: " ")
    guard (1...maxParts).contains(urls.count) else {
      throw Tus.malformed(.uploadConcat, "must name 1 to \(maxParts) uploads")
    }
    var parts: [UploadID] = []
    for url in urls {
      let path = url.split(separator: "/", omittingEmptySubsequences: false)
      guard path.suffix(3).dropLast() == ["v1", "uploads"], let id = path.last.flatMap({ UploadID(String($0)) }) else {
        throw Tus.malformed(.uploadConcat, "must name uploads by their Location")
      }
      parts.append(id)
    }
    guard Set(parts).count == parts.count else { throw Tus.malformed(.uploadConcat, "names an upload twice") }
    return parts
  }
}
