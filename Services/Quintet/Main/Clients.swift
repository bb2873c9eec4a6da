import ArgumentParser
import AuthService
import Contracts
import ServiceKit

/// `quintet clients`: other backends that obtain their own tokens.
struct Clients: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Register other backends, disable them, and replace their secrets.",
    subcommands: [Create.self, List.self, Disable.self, Enable.self, Rotate.self]
  )

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Register a client; its id and secret are printed, and the secret is not stored."
    )

    @Argument(help: "A unique name.") var name: String
    @Option(help: "A scope of its tokens; may be given several times.") var scope: [String] = []
    @Option(help: "A role; may be given several times.") var role: [String] = []
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      let scopes = try scope.map { name in
        guard let scope = Scope(rawValue: name) else { throw ValidationError("--scope \(name) is not known") }
        return scope
      }
      let roles = try role.map { name in
        guard let role = Role(rawValue: name) else { throw ValidationError("--role \(name) is not known") }
        return role
      }
      try await QuintetCommand.operating(settings) { platform in
        guard let auth = platform.plugin(AuthPlugin.self) else { return }
        let client = try await auth.createClient(name, scopes: scopes, roles: roles)
        print("\(client.id) \(client.secret)")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the clients: id, name, whether it is enabled, scopes, roles."
    )

    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await Clients.withAuth(settings) { auth in
        for client in try await auth.clients() {
          let words = [
            client.id.rawValue, client.name, client.disabledAt == nil ? "enabled" : "disabled",
            client.scopes.map(\.rawValue).joined(separator: ","), client.roles.map(\.rawValue).joined(separator: ","),
          ]
          print(words.joined(separator: "\t"))
        }
      }
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Refuse a client and the tokens that it has; services learn it within seconds."
    )

    @Argument(help: "The client's name or id.") var client: String
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await Clients.withAuth(settings) { auth in try await auth.disableClient(client) }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Admit a disabled client again.")

    @Argument(help: "The client's name or id.") var client: String
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await Clients.withAuth(settings) { auth in try await auth.enableClient(client) }
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replace a client's secret and refuse its tokens; the new secret is printed, and is not stored."
    )

    @Argument(help: "The client's name or id.") var client: String
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await Clients.withAuth(settings) { auth in print(try await auth.rotateClient(client)) }
    }
  }

  private static func withAuth(
    _ settings: [String], _ body: @escaping @Sendable (AuthPlugin) async throws -> Void
  ) async throws {
    try await QuintetCommand.operating(settings) { platform in
      guard let auth = platform.plugin(AuthPlugin.self) else { return }
      try await body(auth)
    }
  }
}
