/// One member of a JSON merge patch (RFC 7396): left unchanged, removed or set.
public enum Patch<Value: Codable & Sendable>: Sendable {
  case keep
  case remove
  case set(Value)

  /// The value after the patch.
  public func applied(to old: Value?) -> Value? {
    switch self {
    case .keep: old
    case .remove: nil
    case .set(let value): value
    }
  }
}

extension Patch: Equatable where Value: Equatable {}

extension Patch: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self = container.decodeNil() ? .remove : .set(try container.decode(Value.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .keep, .remove: try container.encodeNil()
    case .set(let value): try container.encode(value)
    }
  }
}

// Synthesized Codable conformances use these overloads, which distinguish an absent member from a null member.
extension KeyedDecodingContainer {
  public func decode<Value>(_ type: Patch<Value>.Type, forKey key: Key) throws -> Patch<Value> {
    guard contains(key) else { return .keep }
    if try decodeNil(forKey: key) { return .remove }
    return try decodeIfPresent(Value.self, forKey: key).map { .set($0) } ?? .keep
  }
}

extension KeyedEncodingContainer {
  public mutating func encode<Value>(_ patch: Patch<Value>, forKey key: Key) throws {
    switch patch {
    case .keep: break
    case .remove: try encodeNil(forKey: key)
    case .set(let value): try encode(value, forKey: key)
    }
  }
}
