import ArgumentParser
import Persistence
import ServiceKit

/// `quintet audit`: the audit trails.
struct Audit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Audit trails.", subcommands: [Verify.self])

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Follow the chain of every service's audit trail; exit 1 when a link is broken.",
      discussion: """
        Note the last hash somewhere else: with it, the next run also shows whether the whole chain was written anew.
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
            print("\(service): \(verdict.links) entries hold, the last hash is \(verdict.head)")
          }
        }
        if isBroken { throw ExitCode.failure }
      }
    }
  }
}
