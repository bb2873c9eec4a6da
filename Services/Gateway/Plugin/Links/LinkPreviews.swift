import Contracts
import Logging
import ServiceKit
import Synchronization

/// Finds the services that answer for links.
protocol PreviewOwners: Sendable {
  func service(ofPreview kind: String) -> String?
  /// Whether there are services whose kinds are not known yet.
  var isIncomplete: Bool { get }
}

/// The previews of links, as the services of their kinds answer; kept for a minute, also when there is nothing to show.
final class LinkPreviews: Sendable {
  enum Answer: Sendable {
    case found(LinkPreview)
    /// It does not exist, is not for everyone, or is of an unknown kind.
    case missing
    case unavailable
  }

  private struct Link: Hashable {
    var kind: LinkKind
    var id: LinkID
  }

  private struct Known {
    var preview: LinkPreview?
    var until: Timestamp
  }

  static let seconds = 60
  private static let maxKnown = 5_000

  private let owners: any PreviewOwners
  private let environment: ServiceEnvironment
  private let calls = ConcurrencyLimit(permits: 32)
  private let known = Mutex<[Link: Known]>([:])

  init(_ environment: ServiceEnvironment, owners: any PreviewOwners) {
    (self.environment, self.owners) = (environment, owners)
  }

  func find(_ kind: String, _ id: String) async -> Answer {
    guard let kind = try? LinkKind(validating: kind), let id = LinkID(id) else { return .missing }
    guard let service = owners.service(ofPreview: kind.rawValue) else {
      // A service that has not described itself yet may have the kind.
      return owners.isIncomplete ? .unavailable : .missing
    }
    let (link, now) = (Link(kind: kind, id: id), environment.time.now())
    if let entry = known.withLock({ $0[link] }), entry.until > now { return Self.answer(entry.preview) }
    return await calls.run { await ask(service, link) }
  }

  private func ask(_ service: String, _ link: Link) async -> Answer {
    do {
      let request = LinkPreviewsAPI.Get(kind: link.kind, id: link.id)
      return keep(try await environment.client(of: service).send(request), link)
    } catch {
      if case .problem(let problem) = error, problem.status == 404 { return keep(nil, link) }
      environment.logger.warning(
        "a link cannot be shown", metadata: ["service": "\(service)", "error": "\(error)"])
      return .unavailable
    }
  }

  private func keep(_ preview: LinkPreview?, _ link: Link) -> Answer {
    let now = environment.time.now()
    known.withLock { known in
      if known.count >= Self.maxKnown { known = known.filter { $0.value.until > now } }
      if known.count >= Self.maxKnown { known = [:] }
      known[link] = Known(preview: preview, until: now.advanced(bySeconds: Double(Self.seconds)))
    }
    return Self.answer(preview)
  }

  private static func answer(_ preview: LinkPreview?) -> Answer { preview.map { .found($0) } ?? .missing }
}
