import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes
import Synchronization

/// An HTTP/1.1 connection or an HTTP/2 stream on its way from its event loop to the task that serves it.
///
/// When the server stops in between, nothing serves it, and it is closed. A `NIOAsyncChannel` that is released unserved
/// crashes the process (https://github.com/apple/swift-nio/issues/2813).
final class AcceptedConnection: ServerChildChannelValue {
  typealias Parts = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

  let channel: any Channel
  private let unserved: Mutex<Parts?>

  init(_ parts: Parts) {
    channel = parts.channel
    unserved = Mutex(parts)
  }

  deinit {
    guard let parts = take() else { return }
    Task { try? await parts.executeThenClose { _, _ in } }
  }

  /// The parts to read and to write, for the task that serves the connection; `nil` from the second call on.
  func take() -> Parts? {
    unserved.withLock { parts in
      defer { parts = nil }
      return parts
    }
  }
}
