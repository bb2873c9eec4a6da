import ArgumentParser
import Persistence
import ServiceKit

/// `quintet audit`: the audit trails.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Verify audit trails.", subcommands: [Verify.self])

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verify the hash chain of every service's audit trail; exits with status 1 when one has a flaw.",
      discussion: """
        The chain of each service is also compared with what the other services have noted of it, which reveals a missing
        end. Store the last hash elsewhere too: whoever can write in all databases can change the notes.
        """
    )

    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        var isBroken = false
        for (service, verdict) in try await platform.verifyAudit() {
          if let flaw = verdict.flaw {
            isBroken = true
            print("\(service): \(flaw)")
          } else {
            print(
              "\(service): \(verdict.links) entries verified, \(verdict.removed) removed by age, "
                + "\(verdict.agreeing) noted heads agree, the last hash is \(verdict.head)"
            )
          }
        }
        if isBroken { throw ExitCode.failure }
      }
    }
  }
}
