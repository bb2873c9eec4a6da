import Contracts
import Logging
import Persistence
import ServiceLifecycle

/// Delivers a service's events from its outbox to the subscribers; performs the I/O that ``RelayMachine`` decides on,
/// which also decides when the next round is due.
struct EventRelay: Service {
  let source: String
  let database: any Database
  let upstreams: Upstreams
  let identity: ServiceIdentity
  let time: TimeSource
  let logger: Logger
  let deadLetters: Metrics.Counter

  private static let batch = 64

  func run() async throws {
    try await cancelWhenGracefulShutdown { try await loop() }
  }

  private func loop() async throws {
    let outbox = Outbox(database: database)
    // A SQLite file belongs to one process: release the claims of a process that was killed.
    if database.dialect == .sqlite { try await outbox.releaseClaims() }
    let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = Task { for await _ in database.committedEvents { wakeUp.yield() } }
    defer { listener.cancel() }
    var machine = RelayMachine()
    var action = machine.start()
    while !Task.isCancelled {
      switch action {
      case .exchange(let settled):
        do {
          let batch = try await outbox.exchange(settled.map { ($0.delivery, $0.outcome) }, limit: Self.batch)
          let nextDue = batch.isEmpty ? try await outbox.nextDue() : nil
          action = machine.exchanged(batch, nextDue: nextDue)
        } catch {
          logger.error("the outbox is unavailable", metadata: ["error": "\(error)"])
          action = machine.exchangeFailed(at: time.now())
        }
      case .send(let batch):
        let answers = await send(batch)
        action = machine.sent(answers, at: time.now())
        report(action)
      case .wait(let until):
        await wait(until, wakeUps, wakeUp)
        action = machine.woken()
      }
    }
  }

  private func wait(_ until: Timestamp?, _ wakeUps: AsyncStream<Void>, _ wakeUp: AsyncStream<Void>.Continuation) async {
    // When nothing is due, poll periodically for deliveries that another instance has left behind.
    let seconds = until.map { max(0, $0.seconds(since: time.now())) } ?? 30
    let alarm = Task {
      try await Task.sleep(for: .seconds(min(seconds, 30)))
      wakeUp.yield()
    }
    for await _ in wakeUps { break }
    alarm.cancel()
  }

  private func report(_ action: RelayMachine.Action) {
    guard case .exchange(let settled) = action else { return }
    for item in settled {
      guard case .dead(let failure) = item.outcome else { continue }
      deadLetters.increment()
      logger.error(
        "an event was moved to the dead-letter queue",
        metadata: [
          "event": "\(item.delivery.eventID)", "type": "\(item.delivery.type)",
          "subscriber": "\(item.delivery.subscriber)", "failure": "\(failure)",
        ]
      )
    }
  }

  private func send(_ batch: [Delivery]) async -> [(delivery: Delivery, answer: RelayMachine.Answer)] {
    await withTaskGroup(of: (Delivery, RelayMachine.Answer).self) { group in
      for delivery in batch { group.addTask { (delivery, await send(delivery)) } }
      return await group.reduce(into: []) { $0.append(($1.0, $1.1)) }
    }
  }

  private func send(_ delivery: Delivery) async -> RelayMachine.Answer {
    do {
      let event = CloudEvent(
        id: delivery.eventID,
        source: "/\(source)",
        type: delivery.type,
        subject: delivery.subject,
        time: delivery.recordedAt,
        traceparent: delivery.traceparent,
        data: try WireJSON.decode(JSONValue.self, from: delivery.data.utf8)
      )
      let token = try await identity.token(caller: source, audience: delivery.subscriber)
      let transport = upstreams.transport(to: delivery.subscriber, at: delivery.url)
      let response = try await transport.send(
        EventsAPI.Deliver(body: event).wireRequest(),
        headers: [
          ("x-service-authorization", "Bearer \(token)"), ("content-type", "application/cloudevents+json"),
        ]
      )
      return .status(response.status, retryAfter: response.header("retry-after").flatMap { Double($0) })
    } catch let error as CallError {
      switch error {
      case .notSent(let reason), .unknown(let reason): return .failed(reason)
      case .problem(let problem): return .status(problem.status, retryAfter: problem.retryAfter.map { Double($0) })
      }
    } catch {
      return .failed("the delivery request cannot be created")
    }
  }
}
