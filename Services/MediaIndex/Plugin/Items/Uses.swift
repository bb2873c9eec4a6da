import Contracts
import Persistence
import ServiceKit

/// The uses of media by other services: they check media before, and report the uses afterwards.
struct Uses: Feature {
  private static let maxMedia = 500

  let core: MediaCore

  func register(in routes: inout Routes) {
    routes.on(MediaAPI.CheckMedia.self) { request, call in
      guard case .service(let service) = call.caller else { throw Problem(.forbidden) }
      return Page(items: try await check(request, for: service))
    }
    routes.on(
      MediaReferencesChanged.self,
      bySender: { event, service, time, tx in
        guard try MediaReferenceStore.apply(event, from: service, in: tx) else { return }
        let media = event.uses.map(\.media)
        try MediaHoldStore.end(for: event.object, of: service, before: time, or: media, in: tx)
        if let request = event.checkedFor { try MediaHoldStore.end(media, checkedFor: request, of: service, in: tx) }
      })
  }

  private func check(_ request: MediaAPI.CheckMedia, for service: String) async throws -> [CheckedMedia] {
    guard request.media.count <= Self.maxMedia else {
      let message = "may have at most \(Self.maxMedia) items"
      throw Problem(.invalidRequest, errors: [.init(location: "body.media", message: message)])
    }
    return try await core.database.write { [core] tx in
      let owned = try core.media.list(request.media, in: tx).filter { $0.media.owner == request.user }
      let ready = owned.filter { $0.media.state == .ready }
      try MediaHoldStore.put(ready.map(\.id), for: request.object, of: service, in: tx)
      return owned.map { CheckedMedia(id: $0.id, kind: $0.media.kind, state: $0.media.state) }
    }
  }
}
