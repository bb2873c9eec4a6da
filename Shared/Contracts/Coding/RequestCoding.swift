/// A request as bytes, ready for any HTTP client.
public struct WireRequest: Sendable {
  public var method: Operation.Method
  /// Path and query, percent-encoded.
  public var target: String
  /// Header fields besides the transport's own, such as `If-Match` and `Idempotency-Key`.
  public var headers: [(name: String, value: String)]
  /// JSON, when the endpoint has a `body`.
  public var body: [UInt8]?
  /// Whether a failed attempt may be sent again.
  public var isRepeatable: Bool
  /// Longest time the whole call may take, in seconds.
  public var seconds: Double

  public init(
    method: Operation.Method, target: String, headers: [(name: String, value: String)], body: [UInt8]?,
    isRepeatable: Bool, seconds: Double
  ) {
    (self.method, self.target, self.headers, self.body) = (method, target, headers, body)
    (self.isRepeatable, self.seconds) = (isRepeatable, seconds)
  }
}

extension Endpoint {
  /// Prints the request.
  /// - Parameter idempotencyKey: Sent for keyed operations and makes them repeatable.
  public func wireRequest(idempotencyKey: String? = nil) throws -> WireRequest {
    let parts = RequestEncoder(operation: Self.operation)
    try encode(to: parts)
    guard let path = Self.operation.path.expand({ parts.output.path[$0] }) else {
      throw ValueError(location: "path", message: "every parameter of \(Self.operation.path) needs a value")
    }
    let query = parts.output.query.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }
    var headers = parts.output.headers
    if let idempotencyKey { headers.append(("Idempotency-Key", "\"\(idempotencyKey)\"")) }
    return WireRequest(
      method: Self.operation.method,
      target: query.isEmpty ? path : path + "?" + query.joined(separator: "&"),
      headers: headers,
      body: parts.output.body ?? (parts.output.hasProperties ? parts.output.json.finish() : nil),
      isRepeatable: Self.operation.idempotency.isRepeatable || idempotencyKey != nil,
      seconds: Self.operation.limits.seconds
    )
  }

  /// Reads a request.
  ///
  /// - Parameters:
  ///   - path: Decoded path parameters.
  ///   - query: The raw query without `?`.
  ///   - ifMatch: The `If-Match` header, when there is one.
  ///   - body: The body's bytes.
  /// - Throws: ``Problem`` with the location of what is wrong.
  public init(path: [String: String], query: Substring, ifMatch: String?, body: [UInt8]) throws(Problem) {
    let pairs: [(name: String, value: String)]
    do { pairs = try PercentCoding.pairs(query) } catch {
      throw Problem(.malformedRequest, errors: [.init(location: "query", message: error.rawValue)])
    }
    var grouped: [String: [String]] = [:]
    for pair in pairs { grouped[pair.name, default: []].append(pair.value) }
    do {
      try self.init(
        from: RequestDecoder(operation: Self.operation, path: path, query: grouped, ifMatch: ifMatch, body: body)
      )
    } catch {
      throw WireJSON.problem(of: error, at: "")
    }
  }
}

private let bodyKey = "body"
private let ifMatchKey = "ifMatch"

extension Operation {
  /// Whether properties outside the path travel in the body. An endpoint with a property `body` sends that alone.
  fileprivate func sendsProperties(named names: (some CodingKey).Type) -> Bool {
    hasBody && names.init(stringValue: bodyKey) == nil
  }

  func sendsProperties(among names: [String]) -> Bool { hasBody && !names.contains(bodyKey) }

  /// Whether a property travels in the path, the query or a header even if others travel in the body.
  func isOutsideBody(_ name: String) -> Bool {
    name == ifMatchKey || path.parameters.contains(name) || path.queryParameters.contains(name)
  }

  private var hasBody: Bool { method != .get && method != .delete }
}

/// Sorts an endpoint's properties into path, query, header and body.
private struct RequestEncoder: Encoder {
  final class Output {
    var path: [String: String] = [:]
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    /// The explicit body.
    var body: [UInt8]?
    /// The object of the properties.
    let json = JSONByteEncoder()
    var hasProperties = false
  }

  let operation: Operation
  let output = Output()
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(
      Container<Key>(
        encoder: self,
        sendsProperties: operation.sendsProperties(named: Key.self),
        object: output.json.container(keyedBy: Key.self)
      )
    )
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { ScalarEncoder().unkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { ScalarEncoder().singleValueContainer() }

  private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RequestEncoder
    let sendsProperties: Bool
    var object: KeyedEncodingContainer<Key>
    var codingPath: [any CodingKey] { [] }

    mutating func encodeNil(forKey key: Key) throws {
      guard sendsProperties, !encoder.operation.isOutsideBody(key.stringValue) else { return }
      encoder.output.hasProperties = true
      try object.encodeNil(forKey: key)
    }

    mutating func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      let (name, output) = (key.stringValue, encoder.output)
      if name == bodyKey {
        output.body = if let raw = value as? RawBody { raw.bytes } else { try WireJSON.encode(value) }
      } else if let tag = value as? EntityTag {
        output.headers.append(("If-Match", tag.rawValue))
      } else if encoder.operation.path.parameters.contains(name) {
        output.path[name] = try ScalarEncoder.texts(of: value).first
      } else if sendsProperties, !encoder.operation.isOutsideBody(name) {
        output.hasProperties = true
        try object.encode(value, forKey: key)
      } else {
        output.query += try ScalarEncoder.texts(of: value).map { (name, $0) }
      }
    }

    // A body whose members are all absent is an empty object, not an absent body.
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encodeOptional(value, key) }
    mutating func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
      try encodeOptional(value, key)
    }

    private mutating func encodeOptional(_ value: (some Encodable)?, _ key: Key) throws {
      if sendsProperties, !encoder.operation.isOutsideBody(key.stringValue) { encoder.output.hasProperties = true }
      if let value { try encode(value, forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey: Key) -> KeyedEncodingContainer<Nested> {
      encoder.container(keyedBy: Nested.self)
    }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder }
    func superEncoder(forKey key: Key) -> any Encoder { encoder }
  }
}

private struct RequestDecoder: Decoder {
  let operation: Operation
  let path: [String: String]
  let query: [String: [String]]
  let ifMatch: String?
  let body: [UInt8]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let sendsProperties = operation.sendsProperties(named: Key.self)
    let object =
      sendsProperties && !body.isEmpty ? try decodeBody { try KeyedJSONDecoding<Key>($0) } : nil
    return KeyedDecodingContainer(Container<Key>(request: self, sendsProperties: sendsProperties, object: object))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Problem(.malformedRequest) }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Problem(.malformedRequest) }

  /// Decodes the body; mistakes in it are reported with their location.
  private func decodeBody<Value>(_ decode: (JSONByteDecoder) throws -> Value) throws -> Value {
    let decoder = try WireJSON.decoder(for: body, at: bodyKey)
    return try Self.locatingInBody {
      // No database stores it in text.
      if let index = decoder.document.firstNUL {
        throw ValueError(at: decoder.document.path(to: index), "must not contain the character U+0000")
      }
      return try decode(decoder)
    }
  }

  private static func locatingInBody<Value>(_ decode: () throws -> Value) throws -> Value {
    do { return try decode() } catch { throw WireJSON.problem(of: error, at: bodyKey) }
  }

  private struct PartKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let request: RequestDecoder
    let sendsProperties: Bool
    /// The members of the body; `nil` without a body.
    let object: KeyedJSONDecoding<Key>?
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    private func isInBody(_ key: Key) -> Bool {
      sendsProperties && !request.operation.isOutsideBody(key.stringValue)
    }

    /// The members of the body, which has to be there for an endpoint that has any.
    private func members() throws -> KeyedJSONDecoding<Key> {
      guard let object else { throw ValueError(location: bodyKey, message: "is required") }
      return object
    }

    func contains(_ key: Key) -> Bool {
      let name = key.stringValue
      if name == bodyKey { return !request.body.isEmpty }
      if name == ifMatchKey { return request.ifMatch != nil }
      // An absent body is reported by what is asked next.
      if isInBody(key) { return object?.contains(key) ?? true }
      return request.path[name] != nil || request.query[name] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool {
      guard isInBody(key) else { return !contains(key) }
      return try members().decodeNil(forKey: key)
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let name = key.stringValue
      if name == bodyKey { return try body(type) }
      if type == EntityTag.self { return try part("header", "If-Match", request.ifMatch.map { [$0] }) }
      if let value = request.path[name] { return try part("path", name, [value]) }
      if isInBody(key) {
        let members = try members()
        return try RequestDecoder.locatingInBody { try members.decode(type, forKey: key) }
      }
      return try part("query", name, request.query[name] ?? (type is any ExpressibleByArrayLiteral.Type ? [] : nil))
    }

    private func body<Value: Decodable>(_ type: Value.Type) throws -> Value {
      if let raw = RawBody(request.body) as? Value { return raw }
      guard !request.body.isEmpty else { throw ValueError(location: bodyKey, message: "is required") }
      return try request.decodeBody { try Value(from: $0) }
    }

    private func part<Value: Decodable>(_ location: String, _ name: String, _ texts: [String]?) throws -> Value {
      guard let texts else { throw ValueError(location: "\(location).\(name)", message: "is required") }
      return try Value(from: ScalarDecoder(texts: texts, codingPath: [PartKey(location), PartKey(name)]))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey: Key) throws -> KeyedDecodingContainer<Nested>
    { try request.container(keyedBy: Nested.self) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try request.unkeyedContainer()
    }
    func superDecoder() -> any Decoder { request }
    func superDecoder(forKey key: Key) -> any Decoder { request }
  }
}
