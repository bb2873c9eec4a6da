import ArgumentParser
import AuthService
import Contracts
import ServiceKit

/// `quintet clients`: other backends that obtain their own tokens.
struct Clients: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Register other backends.",
    subcommands: [Create.self]
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
}
