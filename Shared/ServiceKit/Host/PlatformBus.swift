import Events
import Logging
import NATSClient
import Observability
import Persistence
import ServiceLifecycle

/// How the events of the process's services travel.
extension Platform {
  /// - Throws: ``SettingError`` that names `bus.url` when NATS cannot be used.
  func startBus() async throws {
    try await bus?.start()
    for service in services {
      guard let database = service.database, !service.manifest.emits.isEmpty else { continue }
      let outbox = Outbox(database: database)
      if bus == nil { try await outbox.deliverDirectly() } else { try await outbox.deliverToBus() }
    }
  }

  func transport(of source: String) -> any EventTransport {
    if let bus { return BusTransport(source: source, bus: bus) }
    return HTTPEventTransport { [upstreams] subscriber in
      upstreams.transport(to: subscriber.subscriber, at: subscriber.url)
    } token: { [identity] audience in
      try await identity.token(caller: source, audience: audience)
    }
  }

  /// The workers that a service needs besides its relay to send and receive events by NATS.
  func busWorkers(of service: MountedService, _ bus: EventBus, _ logger: Logger) -> [any Service] {
    guard let database = service.database, let events = service.receiver else { return [] }
    let name = service.manifest.name
    var workers: [any Service] = []
    if !service.manifest.emits.isEmpty {
      let source = BusSource(bus: bus, source: name, outbox: Outbox(database: database), logger: logger)
      workers.append(source)
      workers.append(PeriodicTask("bus.announce", every: .seconds(5), logger: logger) { try await source.announce() })
      // In case a process that delivers directly was started meanwhile.
      workers.append(
        PeriodicTask("bus.subscribe", every: .seconds(60), logger: logger) {
          try await Outbox(database: database).subscribe(Outbox.bus)
        })
    }
    guard !service.manifest.consumes.isEmpty else { return workers }
    let receiver = BusReceiver(
      events: events, database: database, time: time, logger: logger,
      deadLetters: metrics.counter(
        "bus_dead_letters_total", help: "Events of other services that this one does not accept.",
        labels: [("service", name)]))
    workers += service.manifest.consumes.map { consumption in
      BusConsumer(
        bus, service: name, source: consumption.service, receiver: receiver, time: time, logger: logger)
    }
    workers.append(BusRetries(receiver: receiver, logger: logger))
    return workers
  }
}

/// Tries the events again that the service has set aside.
private struct BusRetries: Worker {
  let name = "bus.retry"
  let receiver: BusReceiver
  let logger: Logger

  func run() async throws {
    await repeatRounds(every: .seconds(1), logger: logger) { try await runOnce() > 0 }
  }

  func runOnce() async throws -> Int { try await Workload.events { try await receiver.retryDeferred() } }
}

/// Reads the list of ended sessions as soon as auth has published that one has ended; the list is also read at
/// intervals.
struct EndedSessionsListener: Service {
  let bus: EventBus
  let revocations: RevocationFeed

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // A failed read is repeated by the next interval.
      for await _ in bus.endedSessions() { try? await revocations.read() }
    }
  }
}

extension EventBus {
  /// - Returns: `nil` when the services of the platform send their events directly.
  /// - Throws: ``SettingError`` for an invalid setting.
  static func load(_ settings: Settings, name: String, metrics: Metrics) throws(SettingError) -> EventBus? {
    let replicas = try settings[BusSettings.replicas]
    guard let address = try settings[BusSettings.url] else { return nil }
    return EventBus(address, name: name, replicas: replicas, metrics: metrics)
  }

  /// Connects and sets the stream up, so that a mistake is found at the start.
  ///
  /// - Throws: ``SettingError`` that names `bus.url`.
  func start() async throws(SettingError) {
    do throws(NATSError) { try await prepare() } catch {
      let servers = client.address.servers.joined(separator: ", ")
      throw SettingError(
        BusSettings.url, problem: "names NATS at \(servers), which cannot be used: \(error)", source: nil)
    }
  }
}

extension Platform {
  /// The dead letters of the process's services.
  var deadLetterQueues: [DeadLetterQueue] {
    services.compactMap { service in service.database.map { DeadLetterQueue(of: service.manifest.name, $0) } }
  }
}
