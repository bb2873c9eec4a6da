import ArgumentParser
import BlobStorage
import Foundation
import MediaIndexService
import ServiceKit

/// `quintet media`: the files of media.
struct MediaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "media", abstract: "Verify or move the files of media.", subcommands: [Verify.self, Move.self])

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read every file and compare it with its SHA-256; exits with status 1 when one is damaged or missing.")

    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        guard let media = platform.plugin(MediaIndexPlugin.self) else { return }
        let report = try await media.verifyStorage { hash, finding in print("\(finding): \(hash)") }
        print(
          "\(report.intact) files intact (\(report.intactBytes) bytes), \(report.damaged) damaged, "
            + "\(report.missing) missing, \(report.unexpected) not in use")
        if report.damaged + report.missing > 0 { throw ExitCode.failure }
      }
    }
  }

  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy all files to the local storage or to the S3-compatible store, from the other one.",
      discussion: """
        Files are verified by their SHA-256; damaged ones are reported and not copied. What is there already is not \
        copied again, so the command may be interrupted and repeated. To move without downtime: move, restart the \
        services with media.storage set to the new storage, move again for what was stored in between, and with \
        --remove-source free the space of the old one.
        """
    )

    @Option(help: "local or s3.", transform: storage) var to: MediaStorage
    @Flag(help: "Remove from the source what the target has; only when no process uses the source any more.")
    var removeSource = false
    @Argument(parsing: .allUnrecognized, help: "Settings as --key value.") var settings: [String] = []

    func run() async throws {
      try await QuintetCommand.operating(settings) { platform in
        guard let media = platform.plugin(MediaIndexPlugin.self) else { return }
        let report = try await media.moveStorage(
          to: to,
          removesFromSource: removeSource,
          progress: { report in
            FileHandle.standardError.write(Data("\(report.copied + report.present) files are there\n".utf8))
          },
          damaged: { hash in print("damaged: \(hash)") }
        )
        print(
          "\(report.copied) files copied (\(report.copiedBytes) bytes), \(report.present) were there, "
            + "\(report.damaged) damaged, \(report.removed) removed from the source")
        print(
          "When the services use the new storage, run media verify: it finds files there that nothing names any more, "
            + "which are then removed.")
        if report.damaged > 0 { throw ExitCode.failure }
      }
    }

    private static func storage(_ name: String) throws -> MediaStorage {
      guard let storage = MediaStorage(rawValue: name) else { throw ValidationError("must be local or s3") }
      return storage
    }
  }
}
