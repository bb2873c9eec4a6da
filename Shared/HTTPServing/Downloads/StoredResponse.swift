package import Contracts
package import HTTPTypes
public import HummingbirdCore
import NIOCore

extension Response {
  /// Answers a request with stored content: the whole, the parts that it asks for, or that its caller has it already.
  ///
  /// - Throws: ``Contracts/Problem`` 412 and 416; what opening the content throws.
  public static func stored(_ content: StoredContent, to request: Request) async throws -> Response {
    var headers = content.validators
    let preconditions = Preconditions(tag: content.tag, modifiedAt: content.modifiedAt)
    switch preconditions.evaluate(request.headers) {
    case .failed: throw Problem(.versionMismatch)
    case .notModified: return Response(status: .notModified, headers: headers)
    case .proceed: break
    }
    headers[.acceptRanges] = content.tag == nil ? "none" : "bytes"
    headers[.contentDisposition] = content.disposition.header
    var ranges = ByteRanges.whole
    // RFC 9110 §14.2: of GET only. Without a tag, parts of different contents could be put together.
    if request.method == .get, content.tag != nil, preconditions.allowsRange(request.headers) {
      ranges = ByteRanges(request.headers[.range], length: content.length)
    }
    switch ranges {
    case .unsatisfiable:
      throw Problem(.rangeNotSatisfiable).with(header: "Content-Range", "bytes */\(content.length)")
    case .parts(let parts) where parts.count > 1:
      let body = MultipartRanges(parts, of: content)
      headers[.contentType] = body.mediaType
      return try await .stored(content, body.pieces, .partialContent, headers)
    case .parts(let parts):
      headers[.contentType] = content.mediaType
      headers[.contentRange] = parts[0].contentRange(of: content.length)
      return try await .stored(content, parts.map { .range($0) }, .partialContent, headers)
    case .whole:
      headers[.contentType] = content.mediaType
      headers[.contentLength] = String(content.length)
      if request.method == .head { return Response(status: .ok, headers: headers) }
      return try await .stored(content, [.range(0..<content.length)], .ok, headers)
    }
  }

  /// A file that was made for this response, and is removed once it has been sent.
  package static func temporary(_ file: TemporaryFile, _ content: Content, _ status: HTTPResponse.Status) async throws
    -> Response
  {
    let opened = try await OpenFile.open(file.path, holding: file)
    var headers: HTTPFields = [.contentType: content.mediaType, .cacheControl: "no-store", .acceptRanges: "none"]
    if let name = content.name {
      headers[.contentDisposition] = StoredContent.Disposition.attachment(name: name).header
    }
    let body = StoredBody(.file(opened), [.range(0..<opened.length)], pace: .ofTemporaryFiles)
    return Response(status: status, headers: headers, body: body.responseBody)
  }

  private static func stored(
    _ content: StoredContent, _ pieces: [StoredBody.Piece], _ status: HTTPResponse.Status, _ headers: HTTPFields
  ) async throws -> Response {
    let body = try await StoredBody.open(content, pieces)
    return Response(status: status, headers: headers, body: body)
  }
}

extension StoredContent {
  /// Scripts do not run, nothing else is loaded, and the page has the rights of no site: users choose these bytes.
  /// Browsers show a picture or a video that is opened by itself.
  private static let policy =
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox"

  /// The headers that a 304 has as well: caches replace those of what they have by them (RFC 9111 §3.2).
  fileprivate var validators: HTTPFields {
    var headers: HTTPFields = [
      .cacheControl: caching.header, .xContentTypeOptions: "nosniff", .contentSecurityPolicy: Self.policy,
    ]
    if let tag { headers[.eTag] = tag.rawValue }
    if let modifiedAt { headers[.lastModified] = HTTPDate.format(modifiedAt) }
    if !variesBy.isEmpty { headers[.vary] = variesBy.joined(separator: ", ") }
    return headers
  }
}

extension StoredContent.Caching {
  fileprivate var header: String {
    switch self {
    case .everyone(let seconds): "public, \(Self.freshness(seconds)), no-transform"
    case .caller(let seconds): "private, \(Self.freshness(seconds)), no-transform"
    case .nowhere: "no-store, no-transform"
    }
  }

  private static func freshness(_ seconds: Int) -> String { seconds > 0 ? "max-age=\(seconds)" : "no-cache" }
}

extension StoredContent.Disposition {
  /// The field by which browsers show or save a response (RFC 6266).
  var header: String {
    switch self {
    case .inline(name: nil): "inline"
    case .inline(let name?): "inline; \(Self.parameters(name))"
    case .attachment(let name): "attachment; \(Self.parameters(name))"
    }
  }

  private static func parameters(_ name: String) -> String {
    let plain = name.unicodeScalars.map { scalar -> Character in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || " ._-".unicodeScalars.contains(scalar))
        ? Character(scalar) : "_"
    }
    return "filename=\"\(String(plain))\"; filename*=UTF-8''\(PercentCoding.encode(name))"
  }
}

extension Range<Int> {
  /// The value of `Content-Range`.
  func contentRange(of length: Int) -> String { "bytes \(lowerBound)-\(upperBound - 1)/\(length)" }
}
