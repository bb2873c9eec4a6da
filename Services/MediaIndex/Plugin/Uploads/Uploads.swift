import Contracts
import Foundation
import HTTPServing
import HTTPTypes
import Persistence
import ServiceKit
import ServiceLifecycle

/// Resumable uploads by tus 1.0.0.
struct Uploads: Feature {
  let uploads: UploadCore
  let finisher: UploadFinisher
  /// Requests with a body at once. Each takes up to some 3 MiB, or a quarter when there are many: some 100 MiB in all.
  /// With the downloads that the gateway allows, clearly fewer than the requests that it sends to a service at once.
  private let slots = CallerSlots(total: 128, perCaller: 8)

  private let publicURL: String?

  init(_ core: MediaCore) throws {
    publicURL = try core.environment.settings[UploadSettings.publicURL]
    uploads = try UploadCore(core)
    finisher = UploadFinisher(uploads)
  }

  var workers: [any Service] { UploadSweep(uploads: uploads, finisher: finisher).workers }

  func drain() { uploads.active.drain() }

  func export(_ user: UserID, in db: any Connection) throws -> [(section: String, content: JSONValue)] {
    let list = try uploads.store.list(of: user, in: db).map { upload -> JSONValue in
      .object([
        ("id", .string(upload.id.rawValue)), ("fileName", upload.metadata?.fileName.map { .string($0) }),
        ("received", .number(Double(upload.received))), ("createdAt", .string(upload.createdAt.description)),
      ])
    }
    return [("uploads", .array(list))]
  }

  /// The files are collected when no row names them.
  func erase(_ user: UserID, in tx: Transaction) throws { try UploadStore.erase(user, in: tx) }

  // MARK: requests

  func register(in routes: inout Routes) {
    let all = [
      MediaAPI.describeUploads, MediaAPI.createUpload, MediaAPI.describeUpload, MediaAPI.getUpload,
      MediaAPI.continueUpload, MediaAPI.cancelUpload, MediaAPI.overriddenUpload,
    ]
    for route in all { routes.receive(route) { call in try await respond(to: call) } }
  }

  private func respond(to call: StreamedCall) async throws -> PlainResponse {
    do {
      var response = try await answer(call)
      response.headers[.tusResumable] = Tus.version
      return response
    } catch let problem as Problem {
      throw problem.with(header: HTTPField.Name.tusResumable.rawName, Tus.version)
    }
  }

  private func answer(_ call: StreamedCall) async throws -> PlainResponse {
    let method = call.headers[.methodOverride].flatMap { HTTPRequest.Method($0) } ?? call.method
    if method == .options { return describe() }
    try Tus.checkVersion(of: call.headers)
    let user = try call.user
    guard let text = call.context.parameters["id"] else {
      guard method == .post else { throw Problem(.methodNotAllowed).with(header: "Allow", "OPTIONS, POST") }
      return try await create(call, by: user)
    }
    guard let id = UploadID(text) else { throw Problem(.notFound) }
    switch method {
    case .head: return try await get(id, for: user)
    case .patch: return try await append(call, to: id, by: user)
    case .delete: return try await cancel(id, by: user)
    default: throw Problem(.methodNotAllowed).with(header: "Allow", "DELETE, HEAD, OPTIONS, PATCH")
    }
  }

  private func describe() -> PlainResponse {
    PlainResponse(
      204,
      [
        .tusVersion: Tus.version, .tusExtension: Tus.extensions, .tusMaxSize: String(uploads.limits.maxBytes),
        .tusChecksumAlgorithm: UploadChecksum.algorithms,
      ])
  }

  private func get(_ id: UploadID, for user: UserCaller) async throws -> PlainResponse {
    _ = try await uploads.get(id, of: user.id)
    try await UploadTakeover(uploads: uploads).stopWriter(of: id)
    let upload = try await uploads.get(id, of: user.id)
    // The answer to the last request may have been lost.
    let media = upload.becomesMedium ? try await finisher.finishSoon(id) : nil
    var headers = progress(of: upload, media)
    headers[.cacheControl] = "no-store"
    if let length = upload.length { headers[.uploadLength] = String(length) } else { headers[.uploadDeferLength] = "1" }
    headers[.uploadMetadata] = upload.metadata?.text
    headers[.uploadConcat] = upload.concat
    return PlainResponse(200, headers)
  }

  private func progress(of upload: StoredUpload, _ media: MediaID?) -> HTTPFields {
    var headers: HTTPFields = [
      .uploadOffset: String(upload.received), .uploadExpires: upload.expiresAt.httpDate,
    ]
    headers[.uploadMedia] = media?.rawValue
    return headers
  }

  private func cancel(_ id: UploadID, by user: UserCaller) async throws -> PlainResponse {
    _ = try await uploads.get(id, of: user.id)
    await uploads.active.stop(id)
    await finisher.stop(id)
    try await uploads.delete([id])
    return PlainResponse(204)
  }

  private func append(_ call: StreamedCall, to id: UploadID, by user: UserCaller) async throws -> PlainResponse {
    guard Tus.hasUploadBody(call.headers) else { throw Problem(.uploadContentType) }
    guard let offset = try Tus.bytes(.uploadOffset, in: call.headers) else {
      throw Tus.malformed(.uploadOffset, "is required")
    }
    let upload = try await receive(
      call, into: id, at: offset, length: try Tus.bytes(.uploadLength, in: call.headers), by: user)
    let media = upload.becomesMedium ? try await finisher.finishSoon(id) : nil
    return PlainResponse(204, progress(of: upload, media))
  }

  /// Appends the body of a request.
  private func receive(
    _ call: StreamedCall, into id: UploadID, at offset: Int64, length: Int64?, by user: UserCaller
  ) async throws -> StoredUpload {
    let checksum = try call.headers[.uploadChecksum].map { try UploadChecksum($0) }
    let slot = try slots.take(user, for: "uploaded")
    defer { withExtendedLifetime(slot) {} }
    // Before the sender of an unknown upload ends that of a known one.
    _ = try await uploads.get(id, of: user.id)
    return try await uploads.active.run(id) { [uploads] turn in
      let takeover = UploadTakeover(uploads: uploads)
      let claim = try await takeover.claim(id, at: offset, length: length, bodyBytes: call.body.length, by: user)
      var upload = claim.upload
      guard let epoch = claim.epoch else {
        try await Self.refuseBody(of: call, Problem(.uploadTooLarge))
        return upload
      }
      turn.writes(in: epoch)
      let receiver = UploadReceiver(
        uploads: uploads, turn: turn, upload: upload, epoch: epoch, limit: claim.limit, checksum: checksum)
      upload.received = try await receiver.receive(call.body)
      return upload
    }
  }

  // MARK: creation

  private func create(_ call: StreamedCall, by user: UserCaller) async throws -> PlainResponse {
    let new = try NewUpload(call.headers)
    let metadata = try call.headers[.uploadMetadata].map { try UploadMetadata($0) }
    let hasBody = Tus.hasUploadBody(call.headers)
    if !hasBody { try await Self.refuseBody(of: call, Problem(.uploadContentType)) }
    let creation = UploadCreation(uploads: uploads, user: user, metadata: metadata, concat: call.headers[.uploadConcat])
    var upload = try await creation.create(new)
    var media: MediaID?
    do {
      if hasBody { upload = try await receive(call, into: upload.id, at: 0, length: nil, by: user) }
      if upload.becomesMedium { media = try await finisher.finishSoon(upload.id) }
    } catch {
      // The client does not learn where it is. After an unknown outcome, it may have become its media item.
      try? await uploads.deleteUnfinished(upload.id)
      throw error
    }
    var headers = progress(of: upload, media)
    headers[.location] = "\(origin(of: call))/v1/uploads/\(upload.id)"
    if !hasBody, media == nil { headers[.uploadOffset] = nil }
    return PlainResponse(201, headers)
  }

  /// Some clients do not resolve a relative location.
  private func origin(of call: StreamedCall) -> String {
    if let publicURL { return publicURL }
    guard let scheme = call.headers[.forwardedProto], let host = call.headers[.forwardedHost] else { return "" }
    return "\(scheme)://\(host)"
  }

  private static func refuseBody(of call: StreamedCall, _ problem: Problem) async throws {
    var reader = call.body.makeReader()
    var bytes: [UInt8] = []
    while bytes.isEmpty, try await reader.append(to: &bytes) {}
    if !bytes.isEmpty { throw problem }
  }
}
