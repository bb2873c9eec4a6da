package import Contracts
package import Persistence

/// Sends events to the subscriber itself: to its `/events/batch`, or through its dispatcher when it is in this process.
package struct HTTPEventTransport: EventTransport {
  private let transport: @Sendable (EventSubscription) -> any Transport
  private let token: @Sendable (_ audience: String) async throws -> String

  /// - Parameters:
  ///   - transport: Reaches a subscriber.
  ///   - token: Makes a token of the source for a subscriber.
  package init(
    transport: @escaping @Sendable (EventSubscription) -> any Transport,
    token: @escaping @Sendable (_ audience: String) async throws -> String
  ) {
    (self.transport, self.token) = (transport, token)
  }

  package func deliver(_ events: [CloudEvent], to subscriber: EventSubscription) async -> [EventOutcome] {
    let response: WireResponse
    do {
      response = try await send(
        EventsAPI.DeliverBatch(body: events), as: "application/cloudevents-batch+json", to: subscriber)
    } catch {
      return Array(repeating: Self.outcome(of: error), count: events.count)
    }
    switch response.status {
    case 200:
      guard let answer = try? WireJSON.decode(EventsAPI.DeliverBatch.Response.self, from: response.body) else {
        return Array(repeating: .unavailable("the response is not valid", retryAfter: nil), count: events.count)
      }
      let statuses = Dictionary(answer.results.map { ($0.id, $0.status) }) { first, _ in first }
      return events.map { event in
        statuses[event.id].map { Self.outcome(ofEvent: $0) } ?? .unavailable("no result", retryAfter: nil)
      }
    // One of the events cannot be read, or they are too large together.
    case 400, 413, 422: return await deliverOneByOne(events, to: subscriber)
    default: return Array(repeating: Self.outcome(of: response), count: events.count)
    }
  }

  private func deliverOneByOne(_ events: [CloudEvent], to subscriber: EventSubscription) async -> [EventOutcome] {
    var outcomes: [EventOutcome] = []
    var failed: Set<String> = []
    for event in events {
      guard !failed.contains(event.subject) else {
        outcomes.append(.unavailable("an earlier event of the subject has failed", retryAfter: nil))
        continue
      }
      do {
        let request = EventsAPI.Deliver(body: event)
        let response = try await send(request, as: "application/cloudevents+json", to: subscriber)
        outcomes.append(response.status == 404 ? Self.outcome(of: response) : Self.outcome(ofEvent: response.status))
      } catch {
        outcomes.append(Self.outcome(of: error))
      }
      switch outcomes.last {
      case .delivered, nil: break
      case .rejected: failed.insert(event.subject)
      // The missing outcomes of the others mean the same.
      case .unavailable: return outcomes
      }
    }
    return outcomes
  }

  private func send(
    _ request: some Endpoint, as contentType: String, to subscriber: EventSubscription
  ) async throws -> WireResponse {
    let token = try await token(subscriber.subscriber)
    return try await transport(subscriber).send(
      try request.wireRequest(),
      headers: [("x-service-authorization", "Bearer \(token)"), ("content-type", contentType)]
    )
  }

  private static func outcome(of response: WireResponse) -> EventOutcome {
    outcome(of: response.status, retryAfter: response.header("retry-after").flatMap { Double($0) })
  }

  /// The reasons are safe for use in logs and metrics.
  private static func outcome(of error: any Error) -> EventOutcome {
    switch error {
    case CallError.notSent(let reason), CallError.unknown(let reason): .unavailable(reason, retryAfter: nil)
    case CallError.problem(let problem): outcome(of: problem.status, retryAfter: problem.retryAfter.map { Double($0) })
    default: .unavailable("the delivery request cannot be created", retryAfter: nil)
    }
  }

  /// The outcome that the response to a whole request means.
  static func outcome(of status: Int, retryAfter: Double?) -> EventOutcome {
    switch status {
    // 401 and 403 occur while keys are rotated, 404 while a service is deployed.
    case 401, 403, 404, 408, 425, 429, 500...: .unavailable("status \(status)", retryAfter: retryAfter)
    default: outcome(ofEvent: status)
    }
  }

  /// The outcome that the result of one event means, of a subscriber that has admitted the request.
  static func outcome(ofEvent status: Int) -> EventOutcome {
    switch status {
    case 200..<300: .delivered
    // 424 waits for another event.
    case 401, 408, 424, 425, 429, 502, 503, 504, 507: .unavailable("status \(status)", retryAfter: nil)
    default: .rejected("status \(status)")
    }
  }
}
