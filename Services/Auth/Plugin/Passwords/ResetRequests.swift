import Contracts
import Persistence
import ServiceKit
import ServiceLifecycle

/// Password reset requests. Each becomes a job, whether or not the address has an account, so that neither the response
/// nor its timing reveals whether an account exists; the job mails the token, or does nothing.
struct ResetRequests: Worker {
  private struct Work: Codable, Sendable {
    var address: EmailAddress
  }

  private static let lifetime = 600.0

  private let jobs: DurableJobs<Work>

  init(_ environment: ServiceEnvironment, accounts: AccountStore, emailTokens: EmailTokenStore, mailer: Mailer) throws {
    let database = try environment.database
    jobs = try DurableJobs("password-reset", environment, concurrency: 8) { work, job in
      try await database.write { tx in
        guard try job.complete(in: tx), let stored = try accounts.find(email: work.address.rawValue, in: tx),
          !stored.isDisabled
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

  func add(_ address: EmailAddress, in tx: Transaction) throws { try jobs.add(Work(address: address), in: tx) }

  var name: String { jobs.name }
  func run() async throws { try await jobs.run() }
  func runOnce() async throws -> Int { try await jobs.runOnce() }
}
