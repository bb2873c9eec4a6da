import CHiredis

/// A reply, limited to the types that are used here.
public indirect enum RedisReply: Equatable, Sendable {
  case null
  case integer(Int64)
  case bytes([UInt8])
  case list([RedisReply])
  case error(String)

  /// Bytes as text; `nil` for another type.
  public var text: String? {
    guard case .bytes(let bytes) = self else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  init(_ reply: redisReply) {
    func bytes() -> [UInt8] { reply.str.map { Array(UnsafeRawBufferPointer(start: $0, count: reply.len)) } ?? [] }
    switch reply.type {
    case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .bytes(bytes())
    case REDIS_REPLY_ERROR: self = .error(String(decoding: bytes(), as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      self = .list((0..<reply.elements).map { reply.element[$0].map { RedisReply($0.pointee) } ?? .null })
    default: self = .null
    }
  }
}

/// Redis cannot be reached, is too slow, or refuses a command.
public struct RedisFailure: Error {
  public let reason: String

  public init(reason: String) { self.reason = reason }
}
