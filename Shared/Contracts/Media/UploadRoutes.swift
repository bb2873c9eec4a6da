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
    Operation.options("/v1/uploads", "Get what uploads support", access: .anyone, success: 204, limits: nothing),
    mediaType: "text/plain"
  )
  public static let createUpload = RawRoute(
    Operation.post(
      "/v1/uploads", "Create an upload, or join partial ones", success: 201,
      problems: [
        .tusVersionUnsupported, .uploadTooLarge, .storageQuotaExceeded, .tooManyUploads, .uploadChecksumMismatch,
        .uploadIncomplete, .uploadPartTaken,
      ], limits: body, accepts: .raw),
    mediaType: "text/plain",
    headers: [
      "Tus-Resumable", "Upload-Length", "Upload-Defer-Length", "Upload-Metadata", "Upload-Concat", "Upload-Checksum",
      "X-HTTP-Method-Override",
    ]
  )
  public static let describeUpload = RawRoute(
    Operation.options(
      "/v1/uploads/{id}", "Get what an upload supports", access: .anyone, success: 204, limits: nothing),
    mediaType: "text/plain"
  )
  public static let getUpload = RawRoute(
    Operation.head(
      "/v1/uploads/{id}", "Get how far an upload is", problems: [.tusVersionUnsupported, .uploadGone],
      limits: .init(bodyBytes: 4096, seconds: 300)),
    mediaType: "text/plain", headers: ["Tus-Resumable"]
  )
  public static let continueUpload = RawRoute(
    Operation.patch(
      "/v1/uploads/{id}", "Append to an upload", success: 204, problems: appending, limits: body, accepts: .raw),
    mediaType: "text/plain", headers: ["Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Checksum"]
  )
  public static let cancelUpload = RawRoute(
    Operation.delete(
      "/v1/uploads/{id}", "Cancel an upload", success: 204, problems: [.tusVersionUnsupported, .uploadGone],
      limits: nothing),
    mediaType: "text/plain", headers: ["Tus-Resumable"]
  )
  /// For clients that cannot send PATCH, DELETE or HEAD.
  public static let overriddenUpload = RawRoute(
    Operation.post(
      "/v1/uploads/{id}", "Append to, cancel or inspect an upload by X-HTTP-Method-Override", success: 204,
      problems: appending, limits: body, accepts: .raw),
    mediaType: "text/plain",
    headers: ["X-HTTP-Method-Override", "Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Checksum"]
  )

  private static let appending: [Problem.Kind] = [
    .tusVersionUnsupported, .uploadOffsetMismatch, .uploadSuperseded, .uploadTooLarge, .storageQuotaExceeded,
    .uploadContentType, .uploadChecksumMismatch, .uploadIsFinal, .uploadGone,
  ]
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
