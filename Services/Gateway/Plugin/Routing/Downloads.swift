import Contracts
import CurlClient
import HTTPServing
import ServiceKit

/// Bounds the responses that their readers keep open, since each has one of the client's slots for requests to its
/// service: readers who are slow on purpose must leave some for others, and for requests that are answered at once.
final class Downloads: Sendable {
  typealias Slot = TransferSlots.Slot

  /// The maximum of each service. With ``Uploads``, clearly fewer than ``CurlClient/Configuration/concurrentRequests``.
  static let total = 256
  static let (perUser, perNetwork, perProvider) = (16, 48, 64)
  /// A response of at most this many bytes is received even if it is not read.
  private static let buffered = 256 << 10

  private let slots = TransferSlots(
    total: total, perUser: perUser, perNetwork: perNetwork, perProvider: perProvider)

  /// - Returns: `nil` when the response needs none; otherwise the slot is taken as long as this is kept.
  /// - Throws: ``Problem`` 503 when there is none.
  func slot(for context: RequestContext, length: Int?, of service: String) throws(Problem) -> Slot? {
    try slot(for: context.user, at: context.clientAddress, length: length, of: service)
  }

  /// - Parameter address: The caller's.
  func slot(for user: UserCaller?, at address: String?, length: Int?, of service: String) throws(Problem) -> Slot? {
    if let length, length <= Self.buffered { return nil }
    guard let slot = slots.take(for: user, at: address, of: service) else {
      throw Problem(.overloaded, detail: "Too many files are being loaded.", retryAfter: 5)
    }
    return slot
  }
}

/// Bounds the requests whose bodies are passed on while they arrive, for the same reason.
final class Uploads: Sendable {
  static let total = 128
  static let (perUser, perNetwork, perProvider) = (8, 24, 48)

  private let slots = TransferSlots(
    total: total, perUser: perUser, perNetwork: perNetwork, perProvider: perProvider)

  /// - Returns: A slot that is taken as long as this is kept.
  /// - Throws: ``Problem`` 503 when there is none.
  func slot(for context: RequestContext, of service: String) throws(Problem) -> TransferSlots.Slot {
    guard let slot = slots.take(for: context, of: service) else {
      throw Problem(.overloaded, detail: "Too many files are being sent.", retryAfter: 5)
        .with(header: "Connection", "close")
    }
    return slot
  }
}
