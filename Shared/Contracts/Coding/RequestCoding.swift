#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
    method: Operation.Method,
    target: String,
    headers: [(name: String, value: String)],
    body: [UInt8]?,
    isRepeatable: Bool,
    seconds: Double
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.isRepeatable = isRepeatable
    self.seconds = seconds
  }
}

extension Endpoint {
  /// Prints the request.
  /// - Parameter idempotencyKey: Sent for keyed operations and makes them repeatable.
  public func wireRequest(idempotencyKey: String? = nil) throws -> WireRequest {
    let parts = RequestEncoder(pathParameters: Self.operation.path.parameters)
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
      body: parts.output.body,
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
    guard let pairs = PercentCoding.query(query) else {
      throw Problem(.malformedRequest, errors: [.init(location: "query", message: "has a broken percent escape")])
    }
    var grouped: [String: [String]] = [:]
    for pair in pairs { grouped[pair.name, default: []].append(pair.value) }
    do {
      try self.init(from: RequestDecoder(path: path, query: grouped, ifMatch: ifMatch, body: Data(body)))
    } catch {
      throw WireJSON.problem(of: error, at: "")
    }
  }
}

private let bodyKey = "body"

/// Sorts an endpoint's properties into path, query, header and body.
private struct RequestEncoder: Encoder {
  final class Output {
    var path: [String: String] = [:]
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var body: [UInt8]?
  }

  let pathParameters: [String]
  let output = Output()
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Container<Key>(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer { ScalarEncoder().unkeyedContainer() }
  func singleValueContainer() -> any SingleValueEncodingContainer { ScalarEncoder().singleValueContainer() }

  private struct Container<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RequestEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) {}

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      let name = key.stringValue
      if name == bodyKey {
        encoder.output.body = try WireJSON.encode(value)
      } else if let tag = value as? EntityTag {
        encoder.output.headers.append(("If-Match", tag.rawValue))
      } else if encoder.pathParameters.contains(name) {
        encoder.output.path[name] = try ScalarEncoder.texts(of: value).first
      } else {
        encoder.output.query += try ScalarEncoder.texts(of: value).map { (name, $0) }
      }
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
  let path: [String: String]
  let query: [String: [String]]
  let ifMatch: String?
  let body: Data
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Container<Key>(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Problem(.malformedRequest) }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { throw Problem(.malformedRequest) }

  private struct PartKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RequestDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool {
      let name = key.stringValue
      if name == bodyKey { return !decoder.body.isEmpty }
      return decoder.path[name] != nil || decoder.query[name] != nil || name == "ifMatch" && decoder.ifMatch != nil
    }

    func decodeNil(forKey key: Key) -> Bool { !contains(key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      let name = key.stringValue
      if name == bodyKey {
        guard !decoder.body.isEmpty else {
          throw Problem(.invalidRequest, errors: [.init(location: bodyKey, message: "is required")])
        }
        guard !decoder.body.hasEscapedNUL else {
          throw Problem(
            .invalidRequest,
            errors: [.init(location: bodyKey, message: "may not hold the character U+0000")]
          )
        }
        return try WireJSON.decode(type, from: decoder.body, at: bodyKey)
      }
      if type == EntityTag.self { return try part("header", "If-Match", decoder.ifMatch.map { [$0] }) }
      if let value = decoder.path[name] { return try part("path", name, [value]) }
      return try part("query", name, decoder.query[name] ?? (type is any ExpressibleByArrayLiteral.Type ? [] : nil))
    }

    private func part<Value: Decodable>(_ place: String, _ name: String, _ texts: [String]?) throws -> Value {
      guard let texts else { throw ValueError(location: "\(place).\(name)", message: "is required") }
      return try Value(from: ScalarDecoder(texts: texts, codingPath: [PartKey(place), PartKey(name)]))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey: Key) -> KeyedDecodingContainer<Nested> {
      decoder.container(keyedBy: Nested.self)
    }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try decoder.unkeyedContainer()
    }
    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder }
  }
}

extension Data {
  /// Whether JSON text holds `\u0000`, which no database of ours stores in text.
  fileprivate var hasEscapedNUL: Bool {
    withUnsafeBytes { bytes in
      var backslashes = 0
      for (index, byte) in bytes.enumerated() {
        if byte == UInt8(ascii: "u"), !backslashes.isMultiple(of: 2), bytes[(index + 1)...].starts(with: "0000".utf8) {
          return true
        }
        backslashes = byte == UInt8(ascii: "\\") ? backslashes + 1 : 0
      }
      return false
    }
  }
}
