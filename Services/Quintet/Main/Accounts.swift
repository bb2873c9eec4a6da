import ArgumentParser
import AuthService
import Contracts
import Foundation
import ServiceKit

/// `quintet accounts`: accounts that an operator creates, imports or helps.
struct Accounts: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Create or import accounts, or reset their second factors and guardians.",
    subcommands: [Create.self, Import.self, ResetFactors.self, ResetGuardian.self]
  )

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Create an account; its password is read from standard input, or generated and printed."
    )

    @Option(help: "The e-mail address; it counts as verified.") var email: String
    @Option(help: "The username.") var username: String
    @Option(help: "The display name; the username by default.") var displayName: String?
    @Option(help: "A role; may be given several times.") var role: [String] = ["user"]
    @Flag(help: "Read the password from standard input.") var passwordFromInput = false
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        guard let auth = platform.plugin(AuthPlugin.self) else { return }
        let given = passwordFromInput ? readLine() ?? "" : nil
        let password = given ?? UUID().uuidString.lowercased()
        let id = try await auth.createAccount(
          email: checked("email") { try EmailAddress(validating: email) },
          username: checked("username") { try Username(validating: username) },
          displayName: checked("display-name") { try DisplayName(validating: displayName ?? username) },
          password: checked("password") { try Password(validating: password) },
          roles: role.map { name in
            try checked("role") {
              guard let role = Role(rawValue: name) else {
                let known = Role.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValueError(location: "", message: "must be one of \(known)")
              }
              return role
            }
          }
        )
        print(given == nil ? "\(id) \(password)" : "\(id)")
      }
    }

    private func checked<Value>(_ option: String, _ make: () throws -> Value) throws -> Value {
      do { return try make() } catch let error as ValueError {
        throw ValidationError("--\(option) \(error.message)")
      }
    }
  }

  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Import LetuStudy's user table.",
      discussion: """
        The file is CSV with the columns id, firstName, lastName, DoB, username, PW_SHA512 and salt. The password hash \
        is SHA-512 over the salt followed by the password. Valid rows are imported; the others are reported by number.
        """
    )

    @Argument(help: "The CSV file.") var file: String
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        guard let auth = platform.plugin(AuthPlugin.self) else { return }
        let report = try await auth.importAccounts(String(contentsOfFile: file, encoding: .utf8))
        for bad in report.bad { print("row \(bad.row): \(bad.reason)") }
        print("\(report.imported) accounts imported, \(report.bad.count) rows skipped")
        if !report.bad.isEmpty { throw ExitCode(65) }  // EX_DATAERR
      }
    }
  }

  struct ResetGuardian: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget that a guardian has refused, so that another one can be asked; is audited."
    )

    @Argument(help: "The username or e-mail address of the minor.") var login: String
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        guard let auth = platform.plugin(AuthPlugin.self) else { return }
        do { try await auth.resetGuardian(of: login) } catch let problem as Problem {
          throw ValidationError(problem.title)
        }
      }
    }
  }

  struct ResetFactors: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove the second factors of someone who has lost them; ends their sessions and is audited."
    )

    @Argument(help: "The username or e-mail address.") var login: String
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        guard let auth = platform.plugin(AuthPlugin.self) else { return }
        do { try await auth.resetFactors(of: login) } catch let problem as Problem {
          throw ValidationError(problem.title)
        }
      }
    }
  }
}
