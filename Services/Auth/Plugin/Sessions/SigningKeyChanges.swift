public import ArgumentParser
import Contracts
import Logging
import Persistence
public import ServiceKit
import ServiceLifecycle

/// Reads the file of the signing keys again after operators have changed it.
struct SigningKeyChanges: Feature {
  let core: AuthCore

  init(_ core: AuthCore) { self.core = core }

  var workers: [any Service] {
    [
      PeriodicTask("auth.signing-keys", every: .seconds(10), logger: core.logger) {
        try await core.keys.reload(at: core.time.now())
      }
    ]
  }
}

extension AuthPlugin {
  private var signingKeyFile: SigningKeyFile {
    get throws { try SigningKeyFile(core.settings, dataFolder: core.environment.dataFolder) }
  }

  /// The IDs of the keys that sign access tokens; the first one signs.
  public func signingKeys() throws -> [String] { try signingKeyFile.list() }

  /// Adds a signing key in front of the others, whose tokens stay valid.
  /// - Returns: Its ID.
  public func rotateSigningKey() async throws -> String {
    let kid = try signingKeyFile.rotate()
    try await core.database.write { tx in
      try tx.audit("signing-key.added", object: "signing-key:\(kid)", by: .operator)
    }
    return kid
  }

  /// Removes a signing key: within a minute, no service accepts its tokens.
  /// - Returns: `false` when there is no such key.
  public func retireSigningKey(_ kid: String) async throws -> Bool {
    guard try signingKeyFile.retire(kid) else { return false }
    try await core.database.write { tx in
      try tx.audit("signing-key.retired", object: "signing-key:\(kid)", by: .operator)
    }
    return true
  }
}

/// `keys signing`: the keys that sign access tokens.
public struct SigningKeyCommand<Host: HostCommand>: AsyncParsableCommand {
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "signing",
      abstract: "Manage the keys that sign access tokens, while the services run.",
      discussion: """
        For keys in the data folder of auth. When the setting auth.signingKeys holds them, change it and restart auth: \
        the services read the published keys every half minute.
        """,
      subcommands: [List.self, Rotate.self, Retire.self]
    )
  }

  public init() {}

  public struct List: AsyncParsableCommand {
    public static var configuration: CommandConfiguration {
      CommandConfiguration(commandName: "list", abstract: "Print the IDs of the keys; the first one signs.")
    }
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []
    public init() {}

    public func run() async throws {
      try await Host.operating(settings) { platform in
        for kid in try platform.plugin(AuthPlugin.self)?.signingKeys() ?? [] { print(kid) }
      }
    }
  }

  public struct Rotate: AsyncParsableCommand {
    public static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "rotate", abstract: "Add a key, which signs a minute later; tokens of the others stay valid.")
    }
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []
    public init() {}

    public func run() async throws {
      try await Host.operating(settings) { platform in
        if let kid = try await platform.plugin(AuthPlugin.self)?.rotateSigningKey() { print(kid) }
      }
    }
  }

  public struct Retire: AsyncParsableCommand {
    public static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "retire",
        abstract: "Remove a key that was stolen: within a minute, no service accepts its tokens.",
        discussion: "Apps whose tokens it has signed refresh them; no one has to sign in again.")
    }
    // IDs may begin with a dash.
    @Option(parsing: .unconditional, help: "The ID of the key, as in the kid of its tokens.") var kid: String
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []
    public init() {}

    public func run() async throws {
      try await Host.operating(settings) { platform in
        guard let auth = platform.plugin(AuthPlugin.self) else { return }
        guard try await auth.retireSigningKey(kid) else { throw ValidationError("there is no key \(kid)") }
        print("retired \(kid); \(try auth.signingKeys().first ?? "") signs")
      }
    }
  }
}
