public import Contracts
import Logging
public import Persistence
public import ServiceKit

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
  /// A media item that a request names.
  public struct Wanted: Sendable {
    var media: MediaID
    var kinds: Set<MediaKind>
    var location: String

    /// - Parameters:
    ///   - kinds: What it may be.
    ///   - location: Where it stands in the request, such as `body.cover`.
    public init(_ media: MediaID, _ kinds: MediaKind..., at location: String) {
      (self.media, self.kinds, self.location) = (media, Set(kinds), location)
    }

    /// The items of a list that an object does not use yet.
    public static func items(
      _ media: [MediaID]?, besides known: [MediaID] = [], _ kinds: [MediaKind], at location: String
    ) -> [Wanted] {
      (media ?? []).enumerated().filter { !known.contains($0.element) }.map { index, media in
        var wanted = Wanted(media, at: "\(location)[\(index)]")
        wanted.kinds = Set(kinds)
        return wanted
      }
    }

    /// A media item that an object does not use yet.
    public static func change(_ patch: Patch<MediaID>, from known: MediaID?, _ kinds: MediaKind..., at location: String)
      -> [Wanted]
    {
      guard let media = patch.applied(to: known), media != known else { return [] }
      return items([media], kinds, at: location).map {
        var wanted = $0
        wanted.location = location
        return wanted
      }
    }
  }

  private let environment: ServiceEnvironment

  /// The problems of endpoints that take ids of media.
  public static let problems: [Problem.Kind] = [.mediaNotFound, .mediaNotReady]

  /// How many media are asked about at once.
  private static let batch = 500

  /// - Parameter environment: Of a service whose manifest calls ``Contracts/MediaAPI``.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Whether there is a media-index; without one, ids are not checked.
  private var isChecked: Bool { environment.upstreams.find(MediaAPI.name) != nil }

  /// Requires that media are the user's own and ready, and keeps them until the report of their use arrives, or for as
  /// long as events are retried; the transaction that reports it must commit within the hour. On a platform without
  /// media-index, ids are not checked.
  ///
  /// - Parameter object: What will use them.
  /// - Throws: ``Problem`` 404 or 409 from ``problems``, 422 for media of another kind, 503 when media-index does not
  ///   respond.
  public func require(_ wanted: [Wanted], of user: UserID, for object: Topic) async throws {
    let checked = try await check(wanted, of: user, for: object)
    if let problem = wanted.lazy.compactMap(checked.problem).first { throw problem }
  }

  /// The answer about media that requests name.
  public struct Checked: Sendable {
    /// `nil` without a media-index.
    fileprivate var media: [MediaID: CheckedMedia]?

    /// The media that are the user's own.
    public var found: Set<MediaID> { Set((media ?? [:]).keys) }

    /// The reason why a media item cannot be used; `nil` when it can.
    public func problem(_ wanted: Wanted) -> Problem? {
      guard let media else { return nil }
      func problem(_ kind: Problem.Kind, _ message: String) -> Problem {
        Problem(kind, errors: [.init(location: wanted.location, message: message)])
      }
      guard let found = media[wanted.media] else { return problem(.mediaNotFound, "is not a media item of yours") }
      guard wanted.kinds.contains(found.kind) else {
        let kinds = wanted.kinds.map(\.rawValue).sorted().joined(separator: " or ")
        return problem(.invalidRequest, "must be of the kind \(kinds)")
      }
      guard found.state == .ready else { return problem(.mediaNotReady, "is in the state \(found.state.rawValue)") }
      return nil
    }
  }

  /// Does the same as ``require(_:of:for:)``, for requests of which a part may be refused.
  ///
  /// - Throws: ``Problem`` 503 when media-index does not respond.
  public func check(_ wanted: [Wanted], of user: UserID, for object: Topic) async throws -> Checked {
    guard isChecked else { return Checked(media: nil) }
    do { return Checked(media: try await ask(Set(wanted.map(\.media)), of: user, for: object)) } catch {
      throw Problem(.unavailable, retryAfter: 5)
    }
  }

  /// The media that are the user's own; those that are ready are kept as by ``require(_:of:for:)``.
  ///
  /// - Returns: `nil` when media-index does not respond, or is not on the platform: then uses are reported with who
  ///   claims them.
  public func owned(_ media: Set<MediaID>, by user: UserID, for object: Topic) async -> Set<MediaID>? {
    guard !media.isEmpty else { return [] }
    guard isChecked else { return nil }
    do { return Set(try await ask(media, of: user, for: object).keys) } catch { return nil }
  }

  private func ask(_ media: Set<MediaID>, of user: UserID, for object: Topic) async throws(CallError)
    -> [MediaID: CheckedMedia]
  {
    let (all, client) = (media.sorted { $0.rawValue < $1.rawValue }, environment.client(of: MediaAPI.self))
    var found: [MediaID: CheckedMedia] = [:]
    for start in stride(from: 0, to: all.count, by: Self.batch) {
      let part = Array(all[start..<min(start + Self.batch, all.count)])
      do {
        for item in try await client.send(MediaAPI.CheckMedia(user: user, object: object, media: part)).items {
          found[item.id] = item
        }
      } catch {
        environment.logger.warning("media cannot be checked", metadata: ["error": "\(error)"])
        throw error
      }
    }
    return found
  }

  /// Reports all uses of media in an object, in the transaction that changes them; none when the object is deleted. The
  /// service's manifest emits ``Contracts/MediaReferencesChanged``.
  ///
  /// - Parameters:
  ///   - sequence: Grows with every change of the object, such as its version.
  ///   - checkedFor: What the media were checked for, if it was not the object, such as a request with many objects.
  public static func report(
    _ uses: [MediaUse], of object: Topic, sequence: Int64, checkedFor: Topic? = nil, in tx: Transaction
  ) throws {
    try tx.record(MediaReferencesChanged(object, uses, sequence: sequence, checkedFor: checkedFor))
  }
}
