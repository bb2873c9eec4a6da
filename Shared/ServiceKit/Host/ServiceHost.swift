public import Contracts
import Events
import Foundation
import HTTPServing
import Logging
public import Observability
import Persistence
import ServiceLifecycle

/// Assembles plugins: one per process, or all in one process.
public enum ServiceHost {
  /// Assembles databases, migrations, clients, plugins, and routes. Does not listen yet.
  ///
  /// The URL of a called service that is not among the plugins must be set.
  /// - Throws: ``SettingError`` that names what is missing or wrong.
  public static func build(
    _ plugins: [any ServicePlugin.Type],
    settings: Settings,
    time: TimeSource = .system,
    sink: LogSink = LogSink()
  ) async throws -> Platform {
    try await build(plugins, settings: settings, time: time, sink: sink, conditions: TestConditions())
  }

  /// The same under conditions that only tests set.
  package static func build(
    _ plugins: [any ServicePlugin.Type],
    settings: Settings,
    time: TimeSource = .system,
    sink: LogSink = LogSink(),
    conditions: TestConditions
  ) async throws -> Platform {
    let manifests = plugins.map { plugin in
      plugin.manifest.resolved(among: plugins.map { $0.manifest }, remotes: settings.services)
    }
    try check(manifests, settings)
    let process = try await ProcessEnvironment.open(
      for: manifests, settings, time: time, sink: sink, conditions: conditions)
    var services: [MountedService] = []
    do {
      for (plugin, manifest) in zip(plugins, manifests) {
        // The clock is measured in one of the databases, which are on one server.
        let measuresClock = services.allSatisfy { $0.database == nil }
        let service = try await mount(plugin, manifest, in: process, measuresClock: measuresClock)
        process.upstreams.mount(manifest.name, service.dispatcher)
        services.append(service)
      }
      for feature in services.flatMap(\.plugin.features) { try await feature.prepare() }
    } catch {
      for service in services { await service.database?.close() }
      await process.close()
      throw error
    }
    return Platform(services: services, process: process)
  }

  /// Reads every setting once, so that an invalid one fails at startup instead of during a request.
  private static func check(_ manifests: [Manifest], _ settings: Settings) throws(SettingError) {
    for setting in PlatformSettings.all + manifests.flatMap(\.settings) {
      try (setting as? any Readable)?.read(settings)
    }
    guard Set(manifests.map(\.name)).count == manifests.count else {
      throw SettingError(message: "a plugin is listed twice")
    }
    guard manifests.count == 1 || manifests.count(where: \.isEdge) == 1 else {
      throw SettingError(message: "several services in one process need the gateway plugin in front of them")
    }
  }

  private static func mount(
    _ plugin: any ServicePlugin.Type, _ manifest: Manifest, in process: ProcessEnvironment, measuresClock: Bool
  ) async throws -> MountedService {
    let clock = manifest.needsDatabase ? process.databaseClock : nil
    let time = clock?.source ?? process.time
    let ids = IDGenerator(time: time)
    let database = try await process.openDatabase(of: manifest, time, ids)
    do {
      if measuresClock, let clock, let database { try await clock.measure(in: database) }
      if let database { try await process.dataKeys.claim(database) }
      let environment = ServiceEnvironment(process, manifest, time: time, ids: ids, database)
      let instance = try await plugin.init(environment: environment)
      var mounting = try ServiceMounting(instance, manifest, environment)
      if measuresClock, let clock { mounting.measure(clock) }
      return try mounting.finish()
    } catch {
      await database?.close()
      throw error
    }
  }
}

extension ProcessEnvironment {
  /// Opens and migrates the database of a service; `nil` when it needs none.
  fileprivate func openDatabase(
    of manifest: Manifest, _ time: TimeSource, _ ids: IDGenerator
  ) async throws -> (any Database)? {
    guard manifest.needsDatabase else { return nil }
    let logger = logging.logger(manifest.name)
    let database = try databases.open(
      manifest.name, notifications: notifications, time: time, ids: ids, logger: logger)
    do {
      guard try await !database.isCopiedAhead() else {
        throw SettingError(
          message: "the database of \(manifest.name) was copied ahead, and what came later is missing in it; run "
            + "`quintet move` without --ahead first")
      }
      try await database.migrate(manifest.allMigrations, logger: logger)
    } catch let error as DatabaseError where error.kind == .unavailable && database.dialect == .postgresql {
      await database.close()
      throw SettingError(
        PlatformSettings.databaseURL, problem: "names a server that does not answer: \(error.detail)", source: nil)
    } catch {
      await database.close()
      throw error
    }
    return ObservedDatabase(database, of: manifest.name, metrics: metrics, tracer: tracer)
  }
}

/// An assembled plugin with its dispatcher, database, and health checks.
struct MountedService: Sendable {
  let manifest: Manifest
  let plugin: any ServicePlugin
  let dispatcher: Dispatcher
  let database: (any Database)?
  /// Applies the events that it consumes.
  let receiver: EventReceiver?
  let health: Health
  /// The host's own work for the service.
  let workers: [any Service]
}

private protocol Readable { func read(_ settings: Settings) throws(SettingError) }
extension Setting: Readable { func read(_ settings: Settings) throws(SettingError) { _ = try settings[self] } }
