import ArgumentParser
import Persistence
import ServiceKit

/// `quintet audit`: the audit trails.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Verify audit trails.", subcommands: [Verify.self])

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Verify the hash chain of every service's audit trail; exits with status 1 when a link is broken.",
      discussion: """
        Store the last hash elsewhere: compared with the next run, it also reveals whether the chain was rewritten.
        """
    )

    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        var isBroken = false
        for (service, verdict) in try await platform.verifyAudit() {
          if let broken = verdict.broken {
            isBroken = true
            print("\(service): broken at entry \(broken)")
          } else {
            print("\(service): \(verdict.links) entries verified, the last hash is \(verdict.head)")
          }
        }
        if isBroken { throw ExitCode.failure }
      }
    }
  }
}
