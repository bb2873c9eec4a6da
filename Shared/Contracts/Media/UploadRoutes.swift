public enum UploadSubject {}
public typealias UploadID = ID<UploadSubject>

/// Resumable uploads by tus 1.0.0 (tus.io/protocols/resumable-upload); `docs/uploads.md` explains them.
extension MediaAPI {
  static let uploads = [
    describeUploads, createUpload, describeUpload, getUpload, continueUpload, cancelUpload, overriddenUpload,
  ]

  /// The most bytes that a service can be configured to accept in one request.
  public static let longestUploadBytes = 1 << 40

  private static let body = Operation.Limits(bodyBytes: longestUploadBytes, seconds: 300)
  private static let nothing = Operation.Limits(bodyBytes: 4096, seconds: 30)

  public static let describeUploads = RawRoute(
    Operation.options("/v1/uploads", "Get what uploads support", access: .anyone, success: 204, limits: nothing)
  )
  public static let createUpload = RawRoute(
    Operation.post(
      "/v1/uploads", "Create an upload, or join partial ones", success: 201,
      problems: [
        .tusVersionUnsupported, .uploadTooLarge, .storageQuotaExceeded, .tooManyUploads, .uploadChecksumMismatch,
        .uploadIncomplete, .uploadPartTaken, .uploadContentType, .mediaTypeUnsupported, .guardianConsentRequired,
      ], limits: body, accepts: .raw),
    answers: [.init(204, "What uploads support, for X-HTTP-Method-Override: OPTIONS")],
    headers: [
      version, length, .init("Upload-Defer-Length", .words("1")), .init("Upload-Metadata", .metadata),
      .init("Upload-Concat", .concatenation), checksum,
      .init("X-HTTP-Method-Override", .words("POST", "OPTIONS")),
    ],
    bodyType: bytes
  )
  public static let describeUpload = RawRoute(
    Operation.options(
      "/v1/uploads/{id}", "Get what an upload supports", access: .anyone, success: 204, limits: nothing)
  )
  public static let getUpload = RawRoute(
    Operation.head(
      "/v1/uploads/{id}", "Get how far an upload is",
      problems: [.tusVersionUnsupported, .mediaTypeUnsupported, .uploadGone],
      limits: .init(bodyBytes: 4096, seconds: 300)),
    headers: [version]
  )
  public static let continueUpload = RawRoute(
    Operation.patch(
      "/v1/uploads/{id}", "Append to an upload", success: 204, problems: appending, limits: body, accepts: .raw),
    headers: [version, offset(isRequired: true), length, checksum], bodyType: bytes
  )
  public static let cancelUpload = RawRoute(
    Operation.delete(
      "/v1/uploads/{id}", "Cancel an upload", success: 204, problems: [.tusVersionUnsupported, .uploadGone],
      limits: nothing),
    headers: [version]
  )
  /// For clients that cannot send PATCH, DELETE or HEAD.
  public static let overriddenUpload = RawRoute(
    Operation.post(
      "/v1/uploads/{id}", "Append to, cancel or inspect an upload by X-HTTP-Method-Override", success: 204,
      problems: appending, limits: body, accepts: .raw),
    answers: [.init(200, "How far the upload is, for X-HTTP-Method-Override: HEAD")],
    headers: [
      .init("X-HTTP-Method-Override", .words("PATCH", "DELETE", "HEAD", "OPTIONS"), isRequired: true), version,
      offset(isRequired: false), length, checksum,
    ],
    bodyType: bytes
  )

  // MARK: what they read

  private static let bytes = "application/offset+octet-stream"
  private static let version = RawRoute.Header("Tus-Resumable", .words("1.0.0"), isRequired: true)
  private static let length = RawRoute.Header("Upload-Length", .count)
  private static let checksum = RawRoute.Header("Upload-Checksum", .checksum)

  private static func offset(isRequired: Bool) -> RawRoute.Header {
    .init("Upload-Offset", .count, isRequired: isRequired)
  }

  private static let appending: [Problem.Kind] = [
    .tusVersionUnsupported, .uploadOffsetMismatch, .uploadSuperseded, .uploadTooLarge, .storageQuotaExceeded,
    .uploadContentType, .mediaTypeUnsupported, .uploadChecksumMismatch, .uploadIsFinal, .uploadGone,
  ]
}

extension JSONSchema {
  fileprivate static func words(_ words: String...) -> JSONSchema {
    var schema = JSONSchema.string()
    schema.enumeration = words
    return schema
  }

  /// A number of bytes.
  fileprivate static let count: JSONSchema = {
    var schema = JSONSchema.integer
    (schema.minimum, schema.maximum) = (0, Int64(MediaAPI.longestUploadBytes))
    return schema
  }()

  fileprivate static let checksum: JSONSchema = .text(
    "^(sha1 [A-Za-z0-9+/]{27}=|sha256 [A-Za-z0-9+/]{43}=|md5 [A-Za-z0-9+/]{22}==)$")
  /// Pairs of a key and a base64 value.
  fileprivate static let metadata: JSONSchema = .text(
    "^[a-z]{1,20}( ([A-Za-z0-9+/]{4})+)?(,[a-z]{1,20}( ([A-Za-z0-9+/]{4})+)?)*$")
  fileprivate static let concatenation: JSONSchema = .text("^(partial|final;[!-~]+( [!-~]+)*)$")

  private static func text(_ pattern: String) -> JSONSchema {
    var schema = JSONSchema.string()
    schema.pattern = pattern
    return schema
  }
}

extension Problem.Kind {
  public static let tusVersionUnsupported = Self(
    "tus-version-unsupported", status: 412, "The version in Tus-Resumable is not supported"
  )
  public static let uploadOffsetMismatch = Self(
    "upload-offset-mismatch", status: 409, "Upload-Offset is not the offset of the upload"
  )
  /// A newer request for the same upload has ended this one; what had arrived is kept.
  public static let uploadSuperseded = Self("upload-superseded", status: 409, "A newer request continues the upload")
  /// Parts can be joined when the last byte of each has arrived.
  public static let uploadIncomplete = Self("upload-incomplete", status: 409, "A partial upload is not complete")
  public static let uploadPartTaken = Self(
    "upload-part-taken", status: 409, "Another upload joins the partial upload")
  public static let uploadIsFinal = Self(
    "upload-is-final", status: 403, "Nothing can be appended to joined or finished uploads"
  )
  public static let uploadGone = Self("upload-gone", status: 410, "The upload has expired or was lost")
  public static let uploadTooLarge = Self("upload-too-large", status: 413, "The upload is too large")
  public static let storageQuotaExceeded = Self(
    "storage-quota-exceeded", status: 413, "The user's media and uploads would take too much space"
  )
  public static let uploadContentType = Self(
    "upload-content-type", status: 415, "The body must be application/offset+octet-stream"
  )
  public static let tooManyUploads = Self("too-many-uploads", status: 429, "The user has too many unfinished uploads")
  /// The bytes of the request are discarded.
  public static let uploadChecksumMismatch = Self(
    "upload-checksum-mismatch", status: 460, "The body does not have the checksum in Upload-Checksum"
  )
}
