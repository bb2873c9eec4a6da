import CNATS

/// A subscription of a ``NATSLink``, without callbacks: a thread waits for its messages.
///
/// The pointer does not change, and is freed when nothing refers to this object; the library locks what its functions
/// share. This makes `@unchecked Sendable` safe.
final class LinkSubscription: @unchecked Sendable {
  /// Must exist as long as its subscriptions.
  let link: NATSLink
  private let subscription: OpaquePointer

  init(_ subscription: OpaquePointer?, of link: NATSLink) throws(NATSError) {
    guard let subscription else { throw NATSError(.other, "the library has returned no subscription") }
    (self.subscription, self.link) = (subscription, link)
  }

  /// The durable consumer of a subscription that pulls remains.
  deinit { natsSubscription_Destroy(subscription) }

  /// - Returns: `nil` when no message has come in time.
  func next(milliseconds: Int64) throws(NATSError) -> NATSMessage? {
    var message: OpaquePointer?
    let status = natsSubscription_NextMsg(&message, subscription, milliseconds)
    if status == NATS_TIMEOUT { return nil }
    try NATSError.check(status)
    guard let message else { return nil }
    defer { natsMsg_Destroy(message) }
    return NATSMessage(message)
  }

  /// Takes what the stream has for the consumer; when there is nothing, waits for the first message.
  /// - Returns: The messages in the order of the stream; empty when none has come in time.
  func fetch(upTo limit: Int, milliseconds: Int64) throws(NATSError) -> [NATSMessage] {
    var request = jsFetchRequest()
    try NATSError.check(jsFetchRequest_Init(&request))
    request.Batch = Int32(clamping: limit)
    // Together, they mean: as soon as there is something, and no wait until the batch is full.
    request.NoWait = true
    request.Expires = milliseconds * 1_000_000
    var list = natsMsgList()
    let status = natsSubscription_FetchRequest(&list, subscription, &request)
    if status == NATS_TIMEOUT || status == NATS_NOT_FOUND { return [] }
    try NATSError.check(status)
    defer { natsMsgList_Destroy(&list) }
    return UnsafeBufferPointer(start: list.Msgs, count: Int(list.Count)).compactMap { message in
      message.map { NATSMessage($0, isOfStream: true) }
    }
  }
}
