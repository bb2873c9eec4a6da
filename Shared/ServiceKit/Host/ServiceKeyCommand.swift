public import ArgumentParser
import Contracts
import Foundation

/// `<executable> service-keys`: the keys with which services sign their calls to each other.
public struct ServiceKeyCommand<Host: HostCommand>: AsyncParsableCommand {
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "service-keys", abstract: "Show or rotate the keys of this service's calls to others.",
      subcommands: [Show.self, RotateServiceKeys<Host>.self])
  }

  public init() {}

  /// Prints the public keys.
  public struct Show: AsyncParsableCommand {
    public static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: "show",
        abstract: "Print the public keys as PEM, for service.publicKeyFolder of the called services.")
    }

    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    public init() {}

    public func run() async throws {
      try await Host.reporting {
        let settings = try await Host.settings(settings)
        for plugin in Host.plugins {
          let keys = try ServiceKeys.load(plugin.manifest.name, settings).published(at: TimeSource.system.now())
          for key in keys { print(key.pem) }
        }
      }
    }
  }
}

/// Adds a new key to the key files in the data folder.
public struct RotateServiceKeys<Host: HostCommand>: AsyncParsableCommand {
  public static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "rotate",
      abstract: "Sign calls to other services with a new key.",
      discussion: """
        The running service publishes the new key within ten seconds and signs with it after a minute, when all others \
        know it; the old one stays known for ten more minutes, so that no call fails. It applies to the key files of \
        the folder: with service.privateKeys, add the new key at the end, restart, move it to the front, restart, and \
        remove the old one. Where others have the public keys in a folder or a setting, choose with \
        --announce-seconds how long you need to add the new one there, which this command prints.
        """
    )
  }

  @Option(help: "Only this service; by default every service of the executable that has a key file.")
  var service: String?
  @Option(help: "For how many seconds the new key is published before it signs.")
  var announceSeconds = Int(ServiceKeyRing.announcedSeconds)
  @Flag(help: "Sign with the new key now and forget the old one, which may have been stolen; some calls may fail.")
  var atOnce = false
  @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

  public init() {}

  public func run() async throws {
    try await Host.reporting {
      let settings = try await Host.settings(settings)
      guard try settings[ServiceSettings.privateKeys] == nil else {
        throw SettingError(ServiceSettings.privateKeys, "is set explicitly, so there is no key file to change")
      }
      let names = Host.plugins.map { $0.manifest.name }.filter { service == nil || $0 == service }
      guard (30...86_400).contains(announceSeconds) else {
        throw SettingError(message: "--announce-seconds must be from 30 to 86400")
      }
      let (now, announced) = (TimeSource.system.now(), Int64(announceSeconds))
      var count = 0
      for name in names {
        guard let from = try ServiceKeys.rotate(name, settings, announced: announced, atOnce: atOnce, at: now)
        else { continue }
        count += 1
        print("\(name): signs with a new key from \(from)")
        if let key = try ServiceKeys.published(of: name, settings, at: now)?.last { print(key.pem) }
      }
      guard count > 0 else {
        throw SettingError(
          message: "there is no key file of \(service ?? names.joined(separator: ", ")) in the folder: services of a "
            + "single process have keys in memory, new ones at each start")
      }
    }
  }
}
