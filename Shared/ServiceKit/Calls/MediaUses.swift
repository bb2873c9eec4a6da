public import Contracts
import Logging
public import Persistence

/// Keeps the media that a service's objects use: ids are checked before they are stored, and the uses are reported with
/// the change that stores them, so that nothing in use is deleted.
///
/// ```swift
/// try await media.require([.init(request.cover, .image, at: "body.cover")], of: user, for: id.topic)
/// try await database.write { tx in
///   …
///   try MediaUses.report([.init(cover, .public)], of: id.topic, sequence: Int64(version), in: tx)
/// }
/// ```
public struct MediaUses: Sendable {
  /// A medium that a request names.
  public struct Wanted: Sendable {
    var media: MediaID
    var kind: MediaKind
    var location: String

    /// - Parameters:
    ///   - kind: What it must be.
    ///   - location: Where it stands in the request, such as `body.cover`.
    public init(_ media: MediaID, _ kind: MediaKind, at location: String) {
      (self.media, self.kind, self.location) = (media, kind, location)
    }
  }

  private let environment: ServiceEnvironment

  /// The problems of endpoints that take ids of media.
  public static let problems: [Problem.Kind] = [.mediaNotFound, .mediaNotReady]

  /// - Parameter environment: Of a service whose manifest calls ``Contracts/MediaAPI``.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Requires that media are the user's own and ready, and keeps them for an hour, within which the transaction that
  /// reports their use commits. On a platform without media-index, ids are not checked.
  ///
  /// - Parameter object: What will use them.
  /// - Throws: ``Problem`` 404 or 409 from ``problems``, 422 for media of another kind, 503 when media-index does not
  ///   respond.
  public func require(_ wanted: [Wanted], of user: UserID, for object: Topic) async throws {
    guard !wanted.isEmpty, environment.upstreams.find(MediaAPI.name) != nil else { return }
    let request = MediaAPI.CheckMedia(user: user, object: object, media: Array(Set(wanted.map(\.media))))
    let found = try await send(request)
    let media = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
    for item in wanted {
      guard let found = media[item.media] else { throw Self.problem(.mediaNotFound, item, "is not a medium of yours") }
      guard found.kind == item.kind else {
        throw Self.problem(.invalidRequest, item, "must be of the kind \(item.kind.rawValue)")
      }
      guard found.state == .ready else {
        throw Self.problem(.mediaNotReady, item, "is in the state \(found.state.rawValue)")
      }
    }
  }

  private func send(_ request: MediaAPI.CheckMedia) async throws -> [CheckedMedia] {
    do { return try await environment.client(of: MediaAPI.self).send(request).items } catch {
      environment.logger.warning("media cannot be checked", metadata: ["error": "\(error)"])
      throw Problem(.unavailable, retryAfter: 5)
    }
  }

  private static func problem(_ kind: Problem.Kind, _ item: Wanted, _ message: String) -> Problem {
    Problem(kind, errors: [.init(location: item.location, message: message)])
  }

  /// Reports all uses of media in an object, in the transaction that changes them; none when the object is deleted. The
  /// service's manifest emits ``Contracts/MediaReferencesChanged``.
  ///
  /// - Parameter sequence: Grows with every change of the object, such as its version.
  public static func report(_ uses: [MediaUse], of object: Topic, sequence: Int64, in tx: Transaction) throws {
    try tx.record(MediaReferencesChanged(object, uses, sequence: sequence))
  }
}
