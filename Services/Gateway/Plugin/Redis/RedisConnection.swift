import CHiredis
import Foundation

/// One hiredis connection, used by one thread.
final class RedisConnection {
  /// A reply, limited to the types that the gateway uses.
  indirect enum Reply: Equatable {
    case null
    case integer(Int64)
    case text(String)
    case list([Reply])
    case error(String)
  }

  struct Failure: Error {
    let reason: String
  }

  private let context: UnsafeMutablePointer<redisContext>

  /// - Parameter seconds: The reply timeout; `nil` for no timeout.
  init(_ address: RedisAddress, seconds: Double?) throws {
    guard let context = redisConnectWithTimeout(address.host, address.port, timeval(tv_sec: 1, tv_usec: 0)) else {
      throw Failure(reason: "out of memory")
    }
    self.context = context
    guard context.pointee.err == 0 else { throw Failure(reason: "cannot connect") }
    redisEnableKeepAlive(context)
    if let seconds {
      redisSetTimeout(context, timeval(tv_sec: Int(seconds), tv_usec: Int(seconds * 1_000_000) % 1_000_000))
    }
    if let password = address.password, case .error = try send(["AUTH", password]) {
      throw Failure(reason: "authentication failed")
    }
  }

  deinit { redisFree(context) }

  /// After a connection error, nothing more can be sent.
  var isBroken: Bool { context.pointee.err != 0 }

  /// Makes a thread that is waiting for a reply fail; can be called by another thread while the connection exists.
  func interrupt() { shutdown(context.pointee.fd, Int32(SHUT_RDWR)) }

  func send(_ words: [String]) throws -> Reply {
    let copies = words.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var pointers = copies.map { UnsafePointer($0) }
    var lengths = words.map { $0.utf8.count }
    return try take(redisCommandArgv(context, Int32(words.count), &pointers, &lengths))
  }

  /// The next message of a subscription.
  func receive() throws -> Reply {
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
    func text() -> String {
      reply.pointee.str.map { start in
        String(decoding: UnsafeRawBufferPointer(start: start, count: reply.pointee.len), as: UTF8.self)
      } ?? ""
    }
    switch reply.pointee.type {
    case REDIS_REPLY_INTEGER: return .integer(reply.pointee.integer)
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return .text(text())
    case REDIS_REPLY_ERROR: return .error(text())
    case REDIS_REPLY_ARRAY:
      return .list((0..<reply.pointee.elements).map { index in reply.pointee.element[index].map(decode) ?? .null })
    default: return .null
    }
  }
}
