public import Contracts
import CurlClient
import Foundation
public import Persistence
public import ServiceLifecycle

/// Sends emails as durable jobs: by SMTP or, without a server, as files in the data folder.
public struct Mailer: Worker, Feature {
  public var name: String { jobs.name }
  public var workers: [any Service] { [self] }

  /// Must be listed in the manifest of a service that sends email.
  public static let settings = MailSettings.all

  /// Whether e-mails go to a mail server; otherwise they become files.
  public let hasServer: Bool

  private let jobs: DurableJobs<MailMessage>
  /// How many messages a process sends at once; mail servers accept more connections of one client than that.
  private static let concurrency = 8

  public init(_ environment: ServiceEnvironment) throws {
    let settings = environment.settings
    let sender = try settings[MailSettings.sender]
    let time = environment.time
    hasServer = try settings[MailSettings.url] != nil
    let deliver: @Sendable (MailMessage, _ id: String) async throws -> Void
    if let url = try settings[MailSettings.url] {
      let client = SMTPClient(
        .init(
          url: url,
          username: try settings[MailSettings.username],
          password: try settings[MailSettings.password],
          requiresTLS: try settings[MailSettings.requiresTLS],
          authoritiesFile: try settings[MailSettings.authoritiesFile]
        ),
        connections: Self.concurrency
      )
      deliver = { message, id in
        let bytes = message.encoded(from: sender, id: id, date: time.now())
        try await client.send(from: sender, to: message.recipient, message: bytes)
      }
    } else {
      let folder = "\(environment.dataFolder)/mail"
      deliver = { message, id in
        let files = FileManager.default
        try files.createDirectory(
          atPath: folder,
          withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o700]
        )
        let bytes = message.encoded(from: sender, id: id, date: time.now())
        let path = "\(folder)/\(id).eml"
        guard files.createFile(atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]) else {
          throw SecretFile.CannotWrite(path: path)
        }
      }
    }
    jobs = try DurableJobs("mail", environment, concurrency: Self.concurrency) { message, job in
      do {
        try await deliver(message, job.id)
        return .done
      } catch let error as ClientError where error.reason == .refused {
        return .drop(reason: "the mail server rejected the message")
      }
    }
  }

  /// Queues an email, which is sent after the transaction commits.
  ///
  /// - Parameter person: The user whose account deletion also deletes the emails that are still queued.
  public func send(_ message: MailMessage, person: UserID? = nil, in tx: Transaction) throws {
    try jobs.add(message, person: person, in: tx)
  }

  public func run() async throws { try await jobs.run() }

  /// Sends at most one batch of due emails and returns how many there were. ``run()`` calls it repeatedly.
  public func runOnce() async throws -> Int { try await jobs.runOnce() }
}
