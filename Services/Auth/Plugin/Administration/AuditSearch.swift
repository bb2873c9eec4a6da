import Contracts
import Foundation
import HTTPServing
import Persistence
import ServiceKit

/// The audit trails of all services, for staff: one search and one export, each of which is an entry itself.
struct AuditSearch: Feature {
  let core: AuthCore
  let trails: AuditTrails

  /// The most entries of an export.
  private static let maxEntries = 100_000
  /// How many bytes are collected before they are written.
  private static let chunk = 65_536

  init(_ core: AuthCore) { (self.core, trails) = (core, AuditTrails(core)) }

  func register(in routes: inout Routes) {
    routes.on(AuthAPI.SearchAudit.self) { request, call in
      try await note("audit.searched", request.service, request.filter, by: call.auditActor)
      return try await trails.page(
        request.filter, of: request.service, limit: request.limit?.value ?? 50, cursor: request.cursor)
    }
    routes.on(AuthAPI.ExportAudit.self) { request, call in
      try await note("audit.exported", request.service, request.filter, by: call.auditActor)
      let file = try await export(request.filter, of: request.service)
      return Content(mediaType: "text/csv; charset=utf-8", file: file, name: "audit.csv")
    }
  }

  private func note(_ action: String, _ service: String?, _ filter: AuditFilter, by actor: AuditActor) async throws {
    let object = service.map { "service:\($0)" } ?? "audit"
    try await core.database.write { tx in try tx.audit(action, object: object, by: actor, changes: filter.changes) }
  }

  /// Fails when a service does not answer: an export must not be silently incomplete.
  private func export(_ filter: AuditFilter, of service: String?) async throws -> TemporaryFile {
    let file = try core.environment.temporaryFiles.make()
    guard FileManager.default.createFile(atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: file.path)
    else { throw Problem(.storageFull) }
    defer { try? handle.close() }
    try handle.write(contentsOf: Data(AuditCSV.header.utf8))
    var entries = try await trails.merged(filter, of: service)
    var (lines, count): ([UInt8], Int) = ([], 0)
    while let entry = try await entries.next() {
      guard count < Self.maxEntries else { throw Problem(.auditTooLarge) }
      count += 1
      lines += AuditCSV.line(entry).utf8
      guard lines.count >= Self.chunk else { continue }
      try handle.write(contentsOf: Data(lines))
      lines = []
    }
    try handle.write(contentsOf: Data(lines))
    return file
  }
}
