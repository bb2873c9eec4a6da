import CHiredis
import Foundation

/// One hiredis connection, used by one thread.
public final class RedisConnection {
  /// A reply, limited to the types that are used here.
  public indirect enum Reply: Equatable, Sendable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    case list([Reply])
    case error(String)

    /// Bytes as text; `nil` for another type.
    public var text: String? {
      guard case .bytes(let bytes) = self else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  public struct Failure: Error {
    public let reason: String

    public init(reason: String) { self.reason = reason }
  }

  private let context: UnsafeMutablePointer<redisContext>

  /// - Parameter seconds: The reply timeout; `nil` for no timeout.
  public init(_ address: RedisAddress, seconds: Double?) throws {
    guard let context = try Self.connect(address) else { throw Failure(reason: "out of memory") }
    self.context = context
    guard context.pointee.err == 0 else { throw Failure(reason: "cannot connect") }
    // Through TLS, hiredis has no TCP connection of its own.
    if address.tls == nil { redisEnableKeepAlive(context) }
    if let seconds {
      redisSetTimeout(context, timeval(tv_sec: Int(seconds), tv_usec: Int(seconds * 1_000_000) % 1_000_000))
    }
    if let password = address.password, case .error = try send(["AUTH", password]) {
      throw Failure(reason: "authentication failed")
    }
  }

  deinit { redisFree(context) }

  private static let connectSeconds = 1

  private static func connect(_ address: RedisAddress) throws -> UnsafeMutablePointer<redisContext>? {
    guard let tls = address.tls else {
      return redisConnectWithTimeout(address.host, address.port, timeval(tv_sec: connectSeconds, tv_usec: 0))
    }
    do {
      return redisConnectFd(try RedisTunnel.open(to: address, tls, seconds: Int64(connectSeconds)))
    } catch {
      throw Failure(reason: "cannot connect by TLS: \(error)")
    }
  }

  /// After a connection error, nothing more can be sent.
  public var isBroken: Bool { context.pointee.err != 0 }

  /// Makes a thread that is waiting for a reply fail; can be called by another thread while the connection exists.
  public func interrupt() { shutdown(context.pointee.fd, Int32(SHUT_RDWR)) }

  public func send(_ words: [String]) throws -> Reply { try send(words.map { Array($0.utf8) }) }

  /// Sends a command whose words may be any bytes.
  public func send(_ words: [[UInt8]]) throws -> Reply {
    let all = words.flatMap { $0 }.map { CChar(bitPattern: $0) }
    var lengths = words.map(\.count)
    return try all.withUnsafeBufferPointer { buffer in
      // An empty word needs an address, too.
      guard let start = buffer.baseAddress else { throw Failure(reason: "the command is empty") }
      var offset = 0
      var pointers: [UnsafePointer<CChar>?] = words.map { word in
        defer { offset += word.count }
        return start + offset
      }
      return try take(redisCommandArgv(context, Int32(words.count), &pointers, &lengths))
    }
  }

  /// The next message of a subscription.
  public func receive() throws -> Reply {
    var reply: UnsafeMutableRawPointer?
    guard redisGetReply(context, &reply) == REDIS_OK else { throw Failure(reason: "the connection was closed") }
    return try take(reply)
  }

  private func take(_ reply: UnsafeMutableRawPointer?) throws -> Reply {
    guard let reply else { throw Failure(reason: "the connection was closed") }
    defer { freeReplyObject(reply) }
    return Self.decode(reply.assumingMemoryBound(to: redisReply.self))
  }

  private static func decode(_ reply: UnsafeMutablePointer<redisReply>) -> Reply {
    func bytes() -> [UInt8] {
      reply.pointee.str.map { Array(UnsafeRawBufferPointer(start: $0, count: reply.pointee.len)) } ?? []
    }
    switch reply.pointee.type {
    case REDIS_REPLY_INTEGER: return .integer(reply.pointee.integer)
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return .bytes(bytes())
    case REDIS_REPLY_ERROR: return .error(String(decoding: bytes(), as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      return .list((0..<reply.pointee.elements).map { index in reply.pointee.element[index].map(decode) ?? .null })
    default: return .null
    }
  }
}
