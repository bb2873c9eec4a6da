public import Contracts
import CurlClient
import Foundation
public import Persistence
public import ServiceLifecycle

/// Sends mails that commit with their cause, by SMTP or, without a server, as files in the data folder.
public struct Mailer: Service {
  /// To be listed in the manifest of a service that sends mail.
  public static let settings = MailSettings.all

  private let jobs: DurableJobs<MailMessage>

  public init(_ environment: ServiceEnvironment) throws {
    let settings = environment.settings
    let sender = try settings[MailSettings.sender]
    let time = environment.time
    let deliver: @Sendable (MailMessage, _ id: String) async throws -> Void
    if let url = try settings[MailSettings.url] {
      let client = SMTPClient(
        .init(
          url: url,
          username: try settings[MailSettings.username],
          password: try settings[MailSettings.password],
          requiresTLS: try settings[MailSettings.requiresTLS],
          authoritiesFile: try settings[MailSettings.authoritiesFile]
        )
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
    jobs = try DurableJobs("mail", environment) { message, job in
      do {
        try await deliver(message, job.id)
        return .done
      } catch let error as ClientError where error.reason == .refused {
        return .drop(reason: "the mail server refuses it")
      }
    }
  }

  /// Sends a mail if and when the transaction commits.
  ///
  /// - Parameter person: Whose mails are taken back when the account is deleted.
  public func send(_ message: MailMessage, person: UserID? = nil, in tx: Transaction) throws {
    try jobs.add(message, person: person, in: tx)
  }

  public func run() async throws { try await jobs.run() }

  /// Sends mails that are due, a few; answers how many that were. ``run()`` does it again and again.
  public func round() async throws -> Int { try await jobs.round() }
}
