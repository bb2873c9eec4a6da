public import Contracts
public import CurlClient
public import Persistence
public import ServiceKit

/// Plugins hosted in this process, on empty databases. Test targets extend it with fixtures of their services.
public struct TestPlatform: Sendable {
  public let platform: Platform
  /// The data folder.
  public let folder: String
  /// The platform's clock, unless it runs on the system's.
  public let time: ManualTime
  public let ids = IDGenerator()

  /// Calls without a socket, through the gateway if it is among the plugins.
  public var client: APIClient { platform.client() }

  /// A listening platform as seen over HTTP.
  public struct Web: Sendable {
    public let url: String
    /// The URL of the private port.
    public let privateURL: String
    /// The address at which plain HTTP is redirected to `url`.
    public var redirectURL: String?
    public let http: CurlClient

    public var client: APIClient { APIClient(transport: CurlTransport(client: http, origin: url)) }
  }

  /// Runs a body with plugins that are called without a socket; their workers do not run.
  ///
  /// - Parameters:
  ///   - settings: Additional settings, by key; an empty value unsets one. Data in a folder of the test (`data`)
  ///     outlives the platform.
  ///   - time: `nil` for the system clock.
  public static func run<Value>(
    _ plugins: [any ServicePlugin.Type],
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    time: ManualTime? = ManualTime(),
    _ body: (TestPlatform) async throws -> Value
  ) async throws -> Value {
    try await build(plugins, settings, database, time, time?.source ?? .system) { test, _ in
      try await attempt {
        try await body(test)
      } finally: {
        await test.platform.close()
      }
    }
  }

  /// Runs a body with two instances of plugins on one PostgreSQL, as two machines run them; their workers do not run.
  ///
  /// - Parameter clocks: The clocks of the two machines; by default both have that of the test.
  public static func runTwo<Value>(
    _ plugins: [any ServicePlugin.Type],
    settings: [String: String] = [:],
    time: ManualTime = ManualTime(),
    clocks: [TimeSource]? = nil,
    _ body: (TestPlatform, TestPlatform) async throws -> Value
  ) async throws -> Value {
    let clocks = clocks ?? [time.source, time.source]
    return try await build(plugins, settings, .postgresql, time, clocks[0]) { one, all in
      let two = TestPlatform(
        platform: try await ServiceHost.build(
          plugins, settings: Settings(all), time: clocks[1], conditions: conditions),
        folder: one.folder,
        time: time)
      return try await attempt {
        try await body(one, two)
      } finally: {
        await two.platform.close()
        await one.platform.close()
      }
    }
  }

  /// Runs a body while plugins listen on free ports and their workers run.
  ///
  /// - Parameters:
  ///   - settings: Additional settings, by key.
  ///   - time: `nil` for the system clock.
  public static func listen<Value>(
    _ plugins: [any ServicePlugin.Type],
    settings: [String: String] = [:],
    database: TestDatabase = .sqlite,
    time: ManualTime? = nil,
    _ body: (TestPlatform, Web) async throws -> Value
  ) async throws -> Value {
    try await build(plugins, settings, database, time, time?.source ?? .system) { test, _ in
      let (ready, continuation) = AsyncStream.makeStream(of: Platform.Addresses.self)
      let running = Task {
        defer { continuation.finish() }
        try await test.platform.run(handlesSignals: false) { continuation.yield($0) }
      }
      let value = try await attempt {
        var iterator = ready.makeAsyncIterator()
        guard let addresses = await iterator.next() else {
          try await running.value
          throw TestKitError("the platform did not start")
        }
        return try await CurlClient.running { http in
          let web = Web(
            url: addresses.url, privateURL: addresses.privateURL, redirectURL: addresses.redirectURL, http: http)
          return try await body(test, web)
        }
      } finally: {
        running.cancel()
        _ = await running.result
      }
      do { try await running.value } catch is CancellationError {}
      return value
    }
  }

  /// Clocks of tests jump, and passwords that no one wants to know need no protection.
  private static let conditions = TestConditions(maxTokenLifetime: .infinity, passwordsAreCheap: true)

  private static func build<Value>(
    _ plugins: [any ServicePlugin.Type],
    _ settings: [String: String],
    _ database: TestDatabase,
    _ time: ManualTime?,
    _ clock: TimeSource,
    _ body: (TestPlatform, _ settings: [String: String]) async throws -> Value
  ) async throws -> Value {
    try await TemporaryFolder.run { folder in
      let usual = ["data": folder, "port": "0", "metrics.port": "0", "log.level": "critical"]
        .merging(try TestServiceKeys.settings(of: plugins.map { $0.manifest.name })) { $1 }
        .merging(ServiceProcess.longTimeouts) { $1 }
      let manifests = plugins.map { $0.manifest }
      return try await database.withSettings(migratedFor: manifests) { database in
        let all = usual.merging(database) { $1 }.merging(settings) { $1 }.filter { !$0.value.isEmpty }
        let folder = all["data"] ?? folder
        if all["database.url"] == nil { try await TemplateDatabases.shared.copyFiles(of: manifests, to: folder) }
        let test = TestPlatform(
          platform: try await ServiceHost.build(
            plugins, settings: Settings(all), time: clock, conditions: conditions),
          folder: folder, time: time ?? ManualTime())
        return try await body(test, all)
      }
    }
  }

  /// An assembled plugin.
  public func plugin<Plugin: ServicePlugin>(_ type: Plugin.Type) throws -> Plugin {
    guard let plugin = platform.plugin(type) else { throw TestKitError("\(type) is not mounted") }
    return plugin
  }

  /// The database of a service.
  public func database(of service: any ServiceAPI.Type) throws -> any Database {
    guard let database = platform.database(of: service.name) else { throw TestKitError("\(service) is not mounted") }
    return database
  }

  /// Switches a feature off or on for everyone, at once.
  public func switchFeature(_ feature: FeatureSwitch, isOn: Bool) async throws {
    try await database(of: AuthAPI.self).write { tx in
      try tx.execute(
        """
        INSERT INTO feature_switches (name, is_on, version) VALUES (\(feature.rawValue), \(isOn), 1)
        ON CONFLICT (name) DO UPDATE SET is_on = excluded.is_on, version = feature_switches.version + 1
        """
      )
    }
    try await platform.switches.read()
  }

  /// Sends a request to the gateway that the typed client cannot produce.
  public func send(
    _ method: Contracts.Operation.Method,
    _ target: String,
    _ body: String? = nil,
    type: String = "application/json",
    headers: [(name: String, value: String)] = [],
    by user: TestUser? = nil
  ) async throws -> WireResponse {
    let token = user.map { [(name: "authorization", value: "Bearer \($0.token)")] } ?? []
    let type = body.map { _ in [(name: "content-type", value: type)] } ?? []
    return try await platform.transport(to: GatewayAPI.name).send(
      WireRequest(
        method: method,
        target: target,
        headers: headers,
        body: body.map { Array($0.utf8) },
        isRepeatable: false,
        seconds: Waiting.limit
      ),
      headers: token + type
    )
  }
}

/// A user with an access token.
public struct TestUser: Sendable {
  public let id: UserID
  public let token: String
  public let client: APIClient

  public init(id: UserID, token: String, client: APIClient) {
    self.id = id
    self.token = token
    self.client = client.with(accessToken: token)
  }

  /// - Parameter client: Its requests carry the session's token.
  public init(_ session: Authentication, _ client: APIClient) {
    self.init(id: session.user.id, token: session.accessToken, client: client)
  }
}

extension APIClient {
  /// Creates the account `name@example.com` with the password `correct horse name`.
  public func signUp(_ name: String, app: ClientApp = .web) async throws -> Authentication {
    try await send(
      AuthAPI.SignUp(
        email: EmailAddress(validating: "\(name)@example.com"), username: Username(validating: name),
        displayName: DisplayName(validating: "Test \(name)"), password: Password(validating: "correct horse \(name)"),
        app: app)
    )
  }
}

extension CurlClient {
  /// Sends a request as ``execute(_:)`` does, but waits at least ``Waiting/limit`` for each of its steps.
  public func send(_ request: ClientRequest) async throws(ClientError) -> ClientResponse {
    var request = request
    let given = request.timeouts
    request.timeouts = .init(
      connect: max(given.connect, Waiting.limit),
      firstByte: given.firstByte.map { max($0, Waiting.limit) },
      total: given.total.map { max($0, Waiting.limit) },
      stall: given.stall
    )
    return try await execute(request)
  }

  /// Runs a body with a client and shuts it down.
  public static func running<Value>(
    _ configuration: Configuration = Configuration(),
    _ body: (CurlClient) async throws -> Value
  ) async throws -> Value {
    let client = CurlClient(configuration: configuration)
    return try await attempt {
      try await body(client)
    } finally: {
      await client.shutdown()
    }
  }
}
