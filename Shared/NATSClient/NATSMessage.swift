import CNATS
import Foundation

/// A message of a subscription, a reply, or a message of a stream.
public struct NATSMessage: Sendable, Equatable {
  public var subject: String
  /// The subject on which a reply, or an acknowledgment, is expected.
  public var reply: String?
  public var data: [UInt8]
  /// The first value of each header; names are case-sensitive.
  public var headers: [String: String]
  /// Unset unless a consumer of a stream has delivered the message.
  public var delivery: Delivery?

  /// The position of a message in its stream, and how often it was delivered.
  public struct Delivery: Sendable, Equatable {
    /// The message's number in the stream.
    public var sequence: UInt64
    /// 1 for the first delivery.
    public var attempt: Int
    /// How many messages of the consumer follow.
    public var pending: Int
  }

  /// The id that the publisher has given the message.
  public var id: String? { headers[NATSMessage.idHeader] }

  static let idHeader = "Nats-Msg-Id"
}

extension NATSMessage {
  /// Copies a message of the library, which stays the caller's.
  init(_ message: OpaquePointer, isOfStream: Bool = false) {
    let count = Int(natsMsg_GetDataLength(message))
    let data = natsMsg_GetData(message).map { Array(UnsafeRawBufferPointer(start: $0, count: count)) } ?? []
    self.init(
      subject: natsMsg_GetSubject(message).map { String(cString: $0) } ?? "",
      reply: natsMsg_GetReply(message).map { String(cString: $0) }, data: data,
      headers: Self.headers(of: message), delivery: isOfStream ? Self.delivery(of: message) : nil)
  }

  private static func headers(of message: OpaquePointer) -> [String: String] {
    var keys: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    var count: Int32 = 0
    guard natsMsgHeader_Keys(message, &keys, &count) == NATS_OK, let keys else { return [:] }
    defer { free(keys) }
    var headers: [String: String] = [:]
    for case let key? in UnsafeBufferPointer(start: keys, count: Int(count)) {
      var value: UnsafePointer<CChar>?
      guard natsMsgHeader_Get(message, key, &value) == NATS_OK, let value else { continue }
      headers[String(cString: key)] = String(cString: value)
    }
    return headers
  }

  private static func delivery(of message: OpaquePointer) -> Delivery? {
    var found: UnsafeMutablePointer<jsMsgMetaData>?
    guard natsMsg_GetMetaData(&found, message) == NATS_OK, let found else { return nil }
    defer { jsMsgMetaData_Destroy(found) }
    return Delivery(
      sequence: found.pointee.Sequence.Stream, attempt: Int(clamping: found.pointee.NumDelivered),
      pending: Int(clamping: found.pointee.NumPending))
  }
}
