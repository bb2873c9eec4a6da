public import ArgumentParser
import Contracts
import Foundation
import Observability

/// The command line of a service's executable: `serve`, `config`, `migrate`, `health`, `service-keys`, `events`, `jobs`.
public protocol HostCommand: AsyncParsableCommand {
  /// The plugins that the executable hosts.
  static var plugins: [any ServicePlugin.Type] { get }
}

extension HostCommand {
  /// The configuration of the root command.
  /// - Parameter commands: Further commands, for operators.
  public static func hosting(
    _ name: String,
    _ abstract: String,
    commands: [any ParsableCommand.Type] = []
  ) -> CommandConfiguration {
    CommandConfiguration(
      commandName: name,
      abstract: abstract,
      discussion: """
        \(name)                                starts on http://127.0.0.1:8080 with SQLite files in ./data
        \(name) --port 9000 --data /srv/data   … on another port, with another folder
        \(name) --database-url postgres://…    … on PostgreSQL
        \(name) config                         lists all settings with their values and sources

        Settings are flags (--http-head-seconds 5s), environment variables (HTTP_HEAD_SECONDS=5s) or lines of the file \
        .env, in this order. Metrics and health are on the private port, 1000 above the public one.
        """,
      subcommands: [
        Serve<Self>.self, Config<Self>.self, Migrate<Self>.self, CheckHealth<Self>.self, ServiceKeyCommand<Self>.self,
        EventsCommand<Self>.self, JobsCommand<Self>.self,
      ] + commands,
      defaultSubcommand: Serve<Self>.self
    )
  }

  static func settingDescriptions(_ settings: Settings) -> [any SettingDescription] {
    let manifests = plugins.map { plugin in
      plugin.manifest.resolved(among: plugins.map { $0.manifest }, remotes: settings.services)
    }
    // Optional services are listed too.
    let peers = plugins.flatMap { $0.manifest.peers } + manifests.flatMap(\.fronted) + [AuthAPI.name]
    let others = Set(peers).union(settings.services).subtracting(manifests.map(\.name)).sorted()
    return PlatformSettings.all + manifests.flatMap(\.settings) + others.map { PlatformSettings.url(of: $0) }
      + others.map { ServiceSettings.publicKeys(of: $0) }
  }

  static func settings(_ arguments: [String]) async throws -> Settings {
    let settings = try await Settings(
      arguments: arguments,
      environment: ProcessInfo.processInfo.environment,
      environmentFile: ".env"
    )
    try Settings.checkFlags(in: arguments, known: settingDescriptions(settings))
    return settings
  }

  /// Runs an operator's command on the assembled services, without listening.
  public static func operating(_ arguments: [String], _ body: (Platform) async throws -> Void) async throws {
    try await reporting {
      // Standard output contains only the command's result, so logs go to standard error.
      let log = LogSink(descriptor: STDERR_FILENO)
      let platform = try await ServiceHost.build(plugins, settings: settings(arguments), sink: log)
      do { try await body(platform) } catch {
        await platform.close()
        throw error
      }
      await platform.close()
    }
  }

  /// Runs a command's body; reports an error as one line on standard error and exits with code 78 or 1.
  static func reporting(_ body: () async throws -> Void) async throws {
    PrivateFiles.byDefault()
    do {
      try await body()
    } catch let error as SettingError {
      printLine("error: \(error)\n", on: STDERR_FILENO)
      throw ExitCode(78)  // EX_CONFIG
    } catch let code as ExitCode {
      throw code
    } catch {
      printLine("error: \(error)\n", on: STDERR_FILENO)
      throw ExitCode.failure
    }
  }
}

struct Serve<Host: HostCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "serve", abstract: "Run until SIGTERM or Ctrl-C; requests that have begun are finished.")
  }

  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.")
  var settings: [String] = []

  func run() async throws {
    try await Host.reporting {
      let settings = try await Host.settings(settings)
      try await PortCheck.requireFree(settings)
      let platform = try await ServiceHost.build(Host.plugins, settings: settings)
      OpenFiles.raiseLimit(platform.logging.logger("host"))
      try await platform.run { addresses in
        let line = "\(Host._commandName) listens on \(addresses.url) (metrics on \(addresses.privateURL)/metrics)\n"
        printLine(line, on: STDOUT_FILENO)
      }
    }
  }
}

struct Config<Host: HostCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "config", abstract: "Print every setting with its value and source.")
  }

  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.")
  var settings: [String] = []

  func run() async throws {
    try await Host.reporting {
      let settings = try await Host.settings(settings)
      print(try settings.describe(Host.settingDescriptions(settings)))
    }
  }
}

struct Migrate<Host: HostCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "migrate", abstract: "Migrate the databases and exit.")
  }

  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.")
  var settings: [String] = []

  func run() async throws {
    try await Host.reporting {
      let platform = try await ServiceHost.build(Host.plugins, settings: Host.settings(settings))
      await platform.close()
      print("databases are up to date")
    }
  }
}

/// Checks whether a running process is ready; for container health checks.
struct CheckHealth<Host: HostCommand>: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "health",
      abstract: "Check whether the process on this machine is ready; exits with status 1 otherwise.")
  }

  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.")
  var settings: [String] = []

  func run() async throws {
    try await Host.reporting {
      let isEdge = Host.plugins.contains { $0.manifest.isEdge }
      guard try await HealthProbe(Host.settings(settings), isEdge: isEdge).isReady() else {
        printLine("not ready\n", on: STDERR_FILENO)
        throw ExitCode.failure
      }
    }
  }
}

/// Writes a line without buffering; a closed reader is not an error.
private func printLine(_ line: String, on descriptor: Int32) {
  let bytes = Array(line.utf8)
  _ = write(descriptor, bytes, bytes.count)
}
