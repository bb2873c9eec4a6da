import Contracts
import Persistence
import ServiceKit

/// Imports posts from a file, such as those of an older blog. Valid rows are imported, invalid ones are reported; a post
/// whose row was imported before is not touched.
struct ImportPosts: Feature {
  private let core: CatalogCore

  /// Rows per transaction.
  private static let batch = 200

  init(_ core: CatalogCore) { self.core = core }

  func register(in routes: inout Routes) {
    routes.on(CatalogAPI.ImportPosts.self) { request, call in try await take(request.body, call) }
  }

  private static let columns: Set<String> = ["sourceID", "date", "title", "text", "mediaLink"]

  private struct Form: Codable, Sendable {
    var sourceID: SourceID
    var date: CalendarDate
    var title: ShortText
    var text: LongText?
    var mediaLink: WebLink?
  }

  private struct Good: Sendable {
    var line: Int
    var form: Form
    var source: PostStore.Source
    var id: PostID
  }

  private func take(_ file: ImportFile, _ call: Call) async throws -> ImportReport {
    var report = ImportReport()
    let good = try read(file, &report)
    for start in stride(from: 0, to: good.count, by: Self.batch) {
      let part = good[start..<min(start + Self.batch, good.count)]
      let landed = try await core.database.write { tx in try Self.land(part, by: call.auditActor, in: tx) }
      report.created += landed.created
      report.updated += landed.updated
      report.unchanged += landed.unchanged
    }
    return report
  }

  private func read(_ file: ImportFile, _ report: inout ImportReport) throws -> [Good] {
    var lines: [SourceID: Int] = [:]
    var good: [Good] = []
    for row in try ImportRows(file, columns: Self.columns, members: Self.columns).rows {
      do {
        let form = try Self.form(row.fields.get())
        if let first = lines[form.sourceID] { throw ImportViolation("sourceID is already used in line \(first)") }
        lines[form.sourceID] = row.line
        let source = PostStore.Source(id: form.sourceID, fingerprint: try ImportRows.fingerprint(of: form))
        good.append(Good(line: row.line, form: form, source: source, id: core.ids.make()))
      } catch let violation as ImportViolation {
        report.rejected.append(.init(line: row.line, errors: violation.messages))
      }
    }
    return good
  }

  private static func form(_ fields: ImportRows.Fields) throws(ImportViolation) -> Form {
    switch fields {
    case .object(let value): try ImportRows.decode(Form.self, value)
    case .text(let texts):
      try ImportRows.decode(
        Form.self, .object(columns.sorted().map { name in (name, texts[name].map { .string($0) }) }))
    }
  }

  private static func land(_ rows: ArraySlice<Good>, by actor: AuditActor, in tx: Transaction) throws -> ImportReport {
    let known = try PostStore.imported(rows.map(\.source.id), in: tx)
    var report = ImportReport()
    for row in rows {
      if let (stored, fingerprint) = known[row.source.id] {
        guard fingerprint != row.source.fingerprint else {
          report.unchanged += 1
          continue
        }
        var post = stored
        (post.title, post.date) = (row.form.title, row.form.date)
        post.description = row.form.text ?? post.description
        post.mediaLink = row.form.mediaLink ?? post.mediaLink
        if post == stored {
          report.unchanged += 1
        } else {
          post.version += 1
          report.updated += 1
          try PostStore.update(post, in: tx)
          try PostMedia.report(post, in: tx)
        }
        try PostStore.setSource(row.source, of: post.id, in: tx)
      } else {
        let post = Post(
          id: row.id, title: row.form.title, date: row.form.date, mediaLink: row.form.mediaLink, media: nil,
          description: row.form.text, likeCount: 0, commentCount: 0, createdAt: tx.now, version: 1)
        try PostStore.insert(post, in: tx)
        try PostStore.setSource(row.source, of: post.id, in: tx)
        report.created += 1
      }
    }
    try tx.audit("posts.imported", object: "posts", by: actor, changes: report.auditChanges)
    return report
  }
}
