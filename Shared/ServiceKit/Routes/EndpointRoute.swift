import Contracts
import Crypto
import HTTPServing
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import Persistence

/// Serves one endpoint: access control, body, decoding, handler, encoding.
struct EndpointRoute<E: Endpoint, Answer: Sendable>: Sendable {
  let accessGuard: AccessGuard
  let files: BodyFiles
  let check: (@Sendable (Call) throws(Problem) -> Void)?
  let handler: @Sendable (E, Call) async throws -> Answer
  let encode: @Sendable (Answer, Request) async throws -> Response

  func respond(to request: Request, _ context: RequestContext) async throws -> Response {
    let operation = E.operation
    let caller = try await accessGuard.admit(request, to: operation, on: context.connection)
    let received = try await receiveFile(of: request, caller)
    let body = received == nil ? try await collectBody(of: request, limit: operation.limits.bodyBytes) : []
    let endpoint = try E(
      path: context.parameters,
      query: request.uri.query.map { $0[...] } ?? "",
      ifMatch: request.headers[.ifMatch],
      body: body
    )
    let idempotencyKey = try keyedRequest(request, caller, received?.hash ?? body)
    let call = Call(
      caller: caller, context: context, headers: request.headers, body: body, file: received?.file,
      idempotencyKey: idempotencyKey)
    try check?(call)
    let answer: Answer
    do {
      answer = try await DeviceFacts.$current.withValue(context.device) {
        try await Workload.$current.withValue(context.workload) { try await handler(endpoint, call) }
      }
    } catch let problem as Problem {
      throw try Self.declared(problem, context)
    }
    return try await encode(answer, request)
  }

  /// Receives the body of an operation that accepts files.
  private func receiveFile(of request: Request, _ caller: Call.Caller) async throws -> (file: BodyFile, hash: [UInt8])?
  {
    guard E.operation.accepts.contains(.file) else { return nil }
    let limit = E.operation.limits.bodyBytes
    try EndpointLimits.check(request, limit)
    return try await files.receive(
      request.body, contentType: request.headers[.contentType], limit: limit, from: Self.name(of: caller),
      isGuest: Self.isGuest(caller))
  }

  private func collectBody(of request: Request, limit: Int) async throws -> [UInt8] {
    try EndpointLimits.check(request, limit)
    var bytes: [UInt8] = []
    for try await chunk in request.body {
      guard bytes.count + chunk.readableBytes <= limit else { throw EndpointLimits.tooLarge(limit) }
      bytes.append(contentsOf: chunk.readableBytesView)
    }
    let accepts = E.operation.accepts
    if bytes.isEmpty || accepts.contains(.raw) { return bytes }
    if accepts.contains(.json), Self.isJSON(request.headers[.contentType]) { return bytes }
    if accepts.contains(.form), let fields = try Self.form(bytes, request.headers[.contentType]) {
      return try Self.json(of: fields)
    }
    if accepts.contains(.text), request.headers[.contentType]?.lowercased().hasPrefix("text/") == true {
      return try WireJSON.encode(Self.text(bytes))
    }
    throw Problem(.unsupportedMediaType)
  }

  /// Parses a form's fields; `nil` when the content type is not a form.
  private static func form(_ bytes: [UInt8], _ contentType: String?) throws -> [(name: String, value: String)]? {
    guard let contentType else { return nil }
    let fields: [(name: String, value: String)]?
    switch contentType.split(separator: ";").first?.lowercased() {
    case "application/x-www-form-urlencoded":
      let text = try text(bytes)
      do { fields = try PercentCoding.pairs(text[...]) } catch {
        throw Problem(.malformedRequest, errors: [.init(location: "body", message: error.rawValue)])
      }
    case "multipart/form-data": fields = MultipartForm.fields(of: try text(bytes), contentType: contentType)
    default: return nil
    }
    guard let fields else {
      throw Problem(.malformedRequest, errors: [.init(location: "body", message: "is not a well-formed form")])
    }
    return fields
  }

  private static func text(_ bytes: [UInt8]) throws(Problem) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Problem(.malformedRequest, errors: [.init(location: "body", message: "is not UTF-8")])
    }
    return text
  }

  /// Converts a form's fields to a JSON object of strings.
  private static func json(of fields: [(name: String, value: String)]) throws -> [UInt8] {
    var names: Set<[UInt8]> = []
    if let repeated = fields.first(where: { !names.insert(Array($0.name.utf8)).inserted }) {
      let error = Problem.Detail(location: "body.\(repeated.name)", message: "must occur at most once")
      throw Problem(.malformedRequest, errors: [error])
    }
    return try WireJSON.encode(JSONValue.object(fields.map { ($0.name, .string($0.value)) }))
  }

  private static func isJSON(_ contentType: String?) -> Bool {
    guard let type = contentType?.split(separator: ";").first?.lowercased() else { return false }
    return type == "application/json" || type.hasSuffix("+json")
  }

  private func keyedRequest(_ request: Request, _ caller: Call.Caller, _ body: [UInt8]) throws -> IdempotentRequest? {
    guard E.operation.idempotency.takesKey else { return nil }
    let values = request.headers[values: .idempotencyKey]
    guard !values.isEmpty else {
      if E.operation.idempotency == .requiresKey { throw Problem(.idempotencyKeyMissing) }
      return nil
    }
    guard values.count == 1, let key = IdempotencyKeyHeader.parse(values[0]) else {
      throw Problem(
        .malformedRequest,
        errors: [.init(location: "header.Idempotency-Key", message: "must be one quoted string of 1 to 255 characters")]
      )
    }
    var hasher = SHA256()
    hasher.update(data: Array("\(request.method.rawValue) \(request.uri.string)\n".utf8))
    hasher.update(data: body)
    let fingerprint = hasher.finalize().hexadecimal
    return IdempotentRequest(caller: Self.name(of: caller), key: key, fingerprint: fingerprint)
  }

  private static func isGuest(_ caller: Call.Caller) -> Bool {
    switch caller {
    case .anonymous: true
    case .user(let user): user.roles.contains(.guest)
    case .service: false
    }
  }

  private static func name(of caller: Call.Caller) -> String {
    switch caller {
    case .anonymous: "anonymous"
    case .user(let user): "user \(user.id)"
    case .service(let service): "service \(service)"
    }
  }

  /// Replaces a problem that the operation does not declare with a 500, because callers do not expect it.
  private static func declared(_ problem: Problem, _ context: RequestContext) throws -> Problem {
    let kinds = Problem.Kind.general.union(E.operation.problems)
    if kinds.contains(where: { problem.is($0) }) { return problem }
    context.logger.error("undeclared problem", metadata: ["code": "\(problem.code)", "endpoint": "\(E.self)"])
    return Problem(.internalError)
  }
}

extension EndpointRoute where Answer == E.Response {
  static func encode(_ response: E.Response, to request: Request) async throws -> Response {
    let operation = E.operation
    let status = HTTPResponse.Status(code: operation.success)
    if response is Empty { return Response(status: status) }
    let content =
      try response as? Content
      ?? Content(mediaType: "application/json; charset=utf-8", bytes: WireJSON.encode(response))
    if let file = content.file { return try await .temporary(file, content, status) }
    let version = (response as? any Versioned)?.version
    if operation.method == .get, operation.success == 200 {
      return read(content, version: version, to: request)
    }
    var answer = Response.content(content, status)
    if let version { answer.headers[.eTag] = EntityTag(version: version).rawValue }
    return answer
  }

  /// The response to a read, which caches distinguish from those to other users and in other languages.
  private static func read(_ content: Content, version: Int?, to request: Request) -> Response {
    let operation = E.operation
    let isOwn = operation.access == .anyoneIdentified && request.headers.contains(.authorization)
    var response = Response.content(content, version: version, caching: isOwn ? .own : operation.caching, to: request)
    let fields = operation.variesBy + (operation.access == .anyoneIdentified ? ["Authorization"] : [])
    if !fields.isEmpty { response.headers[.vary] = fields.joined(separator: ", ") }
    return response
  }
}

/// The `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header): a structured-field string. A bare token is
/// accepted too, since many clients send one.
enum IdempotencyKeyHeader {
  static func parse(_ value: String) -> String? {
    var text = value[...]
    if text.first == "\"" {
      guard text.count >= 2, text.last == "\"" else { return nil }
      text = text.dropFirst().dropLast()
    }
    let isClean = text.utf8.allSatisfy {
      $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
    }
    return isClean && (1...255).contains(text.utf8.count) ? String(text) : nil
  }
}
