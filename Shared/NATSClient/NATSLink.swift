import CNATS
import Foundation
import Timing

/// One connection of the library with its JetStream context. Every function may wait for the server, so it is called by
/// threads that may wait. The library reconnects by itself, until the servers refuse the credentials twice.
///
/// The pointers do not change, and are freed when nothing refers to this object. The functions that are called with
/// them lock what they share, as the library's documentation of threads says. This makes `@unchecked Sendable` safe.
final class NATSLink: @unchecked Sendable {
  private let connection: OpaquePointer
  private let context: OpaquePointer

  private static let connectMilliseconds: Int64 = 2000
  /// A server that no longer answers is given up after two such intervals without an answer.
  private static let pingMilliseconds: Int64 = 5000
  private static let writeMilliseconds: Int64 = 5000

  /// Connects to the first server that answers.
  init(_ address: NATSAddress, name: String) throws(NATSError) {
    var options: OpaquePointer?
    try NATSError.check(natsOptions_Create(&options))
    defer { natsOptions_Destroy(options) }
    try Self.set(options, address, name: name)
    var connection: OpaquePointer?
    try NATSError.check(natsConnection_Connect(&connection, options))
    guard let connection else { throw NATSError(.other, "the library has returned no connection") }
    var context: OpaquePointer?
    let status = natsConnection_JetStream(&context, connection, nil)
    guard status == NATS_OK, let context else {
      natsConnection_Destroy(connection)
      throw NATSError(.other, "the library has returned no JetStream context")
    }
    (self.connection, self.context) = (connection, context)
  }

  deinit {
    jsCtx_Destroy(context)
    natsConnection_Destroy(connection)
  }

  private static func set(_ options: OpaquePointer?, _ address: NATSAddress, name: String) throws(NATSError) {
    let texts = CTexts()
    try NATSError.check(
      natsOptions_SetServers(options, texts.list(address.servers), Int32(clamping: address.servers.count)))
    try NATSError.check(natsOptions_SetName(options, name))
    try NATSError.check(natsOptions_SetTimeout(options, connectMilliseconds))
    try NATSError.check(natsOptions_SetPingInterval(options, pingMilliseconds))
    try NATSError.check(natsOptions_SetMaxPingsOut(options, 2))
    try NATSError.check(natsOptions_SetWriteDeadline(options, writeMilliseconds))
    try NATSError.check(natsOptions_SetMaxReconnect(options, .max))
    try NATSError.check(natsOptions_SetCustomReconnectDelay(options, { _, attempt, _ in reconnectDelay(attempt) }, nil))
    // A message that cannot be sent now fails at once: the caller keeps it and tries again.
    try NATSError.check(natsOptions_SetReconnectBufSize(options, 1))
    try NATSError.check(natsOptions_SetFailRequestsOnDisconnect(options, true))
    // Without a handler, the library writes to standard error.
    try NATSError.check(natsOptions_SetErrorHandler(options, { _, _, _, _ in }, nil))
    switch address.credentials {
    case .none: break
    case .user(let name, let password): try NATSError.check(natsOptions_SetUserInfo(options, name, password))
    case .token(let token): try NATSError.check(natsOptions_SetToken(options, token))
    case .file(let path): try NATSError.check(natsOptions_SetUserCredentialsFromFiles(options, path, nil))
    }
    guard let tls = address.tls else { return }
    try NATSError.check(natsOptions_SetSecure(options, true))
    if let authorities = tls.authorities {
      try NATSError.check(natsOptions_LoadCATrustedCertificates(options, authorities))
    }
    if let certificate = tls.certificate, let key = tls.key {
      try NATSError.check(natsOptions_LoadCertificatesChain(options, certificate, key))
    }
  }

  // MARK: state

  var isConnected: Bool { natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED }
  /// After this, the library does not reconnect.
  var isClosed: Bool { natsConnection_IsClosed(connection) }

  /// The connections after the first one.
  var reconnects: Int {
    var statistics: OpaquePointer?
    guard natsStatistics_Create(&statistics) == NATS_OK else { return 0 }
    defer { natsStatistics_Destroy(statistics) }
    var reconnects: UInt64 = 0
    guard natsConnection_GetStats(connection, statistics) == NATS_OK,
      natsStatistics_GetCounts(statistics, nil, nil, nil, nil, &reconnects) == NATS_OK
    else { return 0 }
    return Int(clamping: reconnects)
  }

  /// Makes all threads that wait fail.
  func close() { natsConnection_Close(connection) }

  private func requireConnection() throws(NATSError) {
    guard isConnected else { throw NATSError(.disconnected, "NATS is not connected") }
  }

  // MARK: messages

  /// Calls a body with a message of the library, and frees the message.
  private func withMessage<Value>(
    _ message: NATSMessage, _ body: (OpaquePointer) throws(NATSError) -> Value
  ) throws(NATSError) -> Value {
    var created: OpaquePointer?
    let status = message.data.withUnsafeBytes { bytes in
      natsMsg_Create(
        &created, message.subject, message.reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
        Int32(clamping: bytes.count))
    }
    try NATSError.check(status)
    guard let created else { throw NATSError(.other, "the library has returned no message") }
    defer { natsMsg_Destroy(created) }
    for (name, value) in message.headers { try NATSError.check(natsMsgHeader_Set(created, name, value)) }
    return try body(created)
  }

  /// Sends a message without an acknowledgment.
  func send(_ message: NATSMessage) throws(NATSError) {
    try requireConnection()
    try withMessage(message) { message throws(NATSError) in
      try NATSError.check(natsConnection_PublishMsg(connection, message))
    }
  }

  /// Sends a message, and waits for its reply.
  func request(_ message: NATSMessage, milliseconds: Int64) throws(NATSError) -> NATSMessage {
    try requireConnection()
    return try withMessage(message) { message throws(NATSError) in
      var reply: OpaquePointer?
      try NATSError.check(natsConnection_RequestMsg(&reply, connection, message, milliseconds))
      guard let reply else { throw NATSError(.other, "the library has returned no reply") }
      defer { natsMsg_Destroy(reply) }
      return NATSMessage(reply)
    }
  }

  /// Sends a message to a stream, and waits until the stream has stored it.
  func publish(_ message: NATSMessage, milliseconds: Int64) throws(NATSError) -> StreamAcknowledgment {
    try requireConnection()
    return try withMessage(message) { message throws(NATSError) in
      var options = jsPubOptions()
      try NATSError.check(jsPubOptions_Init(&options))
      options.MaxWait = milliseconds
      var acknowledgment: UnsafeMutablePointer<jsPubAck>?
      var code = jsErrCode(0)
      try NATSError.check(js_PublishMsg(&acknowledgment, context, message, &options, &code), code)
      guard let acknowledgment else { throw NATSError(.other, "the library has returned no acknowledgment") }
      defer { jsPubAck_Destroy(acknowledgment) }
      return StreamAcknowledgment(
        stream: acknowledgment.pointee.Stream.map { String(cString: $0) } ?? "",
        sequence: acknowledgment.pointee.Sequence, isDuplicate: acknowledgment.pointee.Duplicate)
    }
  }

  // MARK: subscriptions

  func subscribe(to subject: String, queue: String?) throws(NATSError) -> LinkSubscription {
    var subscription: OpaquePointer?
    if let queue {
      try NATSError.check(natsConnection_QueueSubscribeSync(&subscription, connection, subject, queue))
    } else {
      try NATSError.check(natsConnection_SubscribeSync(&subscription, connection, subject))
    }
    return try LinkSubscription(subscription, of: self)
  }

  /// Binds to a consumer that exists.
  func pull(from consumer: String, of stream: String) throws(NATSError) -> LinkSubscription {
    try requireConnection()
    let texts = CTexts()
    var options = jsSubOptions()
    try NATSError.check(jsSubOptions_Init(&options))
    options.Stream = texts.text(stream)
    options.Consumer = texts.text(consumer)
    var subscription: OpaquePointer?
    var code = jsErrCode(0)
    let status = withExtendedLifetime(texts) {
      js_PullSubscribe(&subscription, context, nil, nil, nil, &options, &code)
    }
    try NATSError.check(status, code)
    return try LinkSubscription(subscription, of: self)
  }

  /// For the functions that set up streams and consumers.
  func withContext<Value>(_ body: (OpaquePointer) throws(NATSError) -> Value) throws(NATSError) -> Value {
    try requireConnection()
    return try body(context)
  }
}

/// The pause before the next attempt, in milliseconds: it doubles from 100 ms to 5 s, and differs between processes.
private func reconnectDelay(_ attempt: Int32) -> Int64 {
  Int64(Backoff(first: 0.1, maxDelay: 5).delay(after: Int(attempt)) * 1000)
}
