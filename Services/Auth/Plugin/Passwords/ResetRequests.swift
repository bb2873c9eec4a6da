import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Password reset requests. Each becomes a job, whether or not the address has an account, so that neither the response
/// nor its timing reveals whether an account exists; the job mails the token, or does nothing.
struct ResetRequests: Worker {
  private struct Work: Codable, Sendable {
    var address: EmailAddress
    /// The caller's network address.
    var client: String?
  }

  private static let lifetime = 600.0

  private let jobs: DurableJobs<Work>

  init(_ core: AuthCore) throws {
    let (environment, database) = (core.environment, core.database)
    let (accounts, emailTokens, mailer, mailLimits) = (core.accounts, core.emailTokens, core.mailer, core.mailLimits)
    jobs = try DurableJobs("password-reset", environment, concurrency: 8) { work, job in
      try await database.write { tx in
        guard try job.complete(in: tx), let stored = try accounts.find(email: work.address.rawValue, in: tx),
          !stored.isDisabled, try mailLimits.take(to: work.address, from: work.client, in: tx) == nil
        else { return }
        let token = try emailTokens.issue(
          .resetPassword,
          for: stored.id,
          to: work.address.rawValue,
          seconds: Self.lifetime,
          in: tx
        )
        try mailer.send(AuthMails.reset(of: work.address, token: token), person: stored.id, in: tx)
      }
      return .done
    }
  }

  func add(_ address: EmailAddress, from client: String?, in tx: Transaction) throws {
    try jobs.add(Work(address: address, client: client), in: tx)
  }

  var name: String { jobs.name }
  func run() async throws { try await jobs.run() }
  func runOnce() async throws -> Int { try await jobs.runOnce() }
}
