import Contracts
import Logging
import Persistence
import ServiceKit
import ServiceLifecycle

/// Mails a report of the audit trails to staff after each day or week.
struct AuditReports: Feature {
  let trails: AuditTrails
  let recipients: [EmailAddress]
  let interval: AuditReportSettings.Interval
  let core: AuthCore
  private let startedAt: Timestamp

  /// How long a report waits for services that do not answer, in seconds.
  static let graceSeconds = 3600.0

  init(_ core: AuthCore) throws {
    self.core = core
    trails = AuditTrails(core)
    recipients = try core.settings[AuditReportSettings.recipients]
    interval = try core.settings[AuditReportSettings.interval]
    startedAt = core.time.now()
  }

  var workers: [any Service] {
    if recipients.isEmpty { return [] }
    return [
      PeriodicTask("audit.report", per: .platform, every: .seconds(60), logger: core.logger) { try await reportLast() }
    ]
  }

  /// Reports the last period that is over, unless it was reported. While a service does not answer it waits, for an hour
  /// after the end of the period or after the start of this service.
  func reportLast() async throws {
    let period = AuditPeriod(before: core.time.now(), interval)
    let isReported = try await core.database.read { try AuditReportStore.exists(period.name, in: $0) }
    if isReported { return }
    let summaries = try await trails.summaries(from: period.from, until: period.until)
    let missing = summaries.filter { $0.summary == nil }.map(\.service)
    if !missing.isEmpty, core.time.now().seconds(since: max(period.until, startedAt)) < Self.graceSeconds {
      core.logger.notice("the audit report waits for services", metadata: ["services": "\(missing)"])
      return
    }
    let text = AuditReportText.text(of: summaries, period)
    try await core.database.write { tx in
      // Another instance may have reported it in the meantime.
      guard try AuditReportStore.insert(period.name, in: tx) else { return }
      for recipient in recipients {
        try core.mailer.send(MailMessage(to: recipient, subject: "Audit report: \(period.name)", text: text), in: tx)
      }
    }
  }
}

/// A whole day or week in UTC.
struct AuditPeriod: Equatable {
  var from: Timestamp
  var until: Timestamp
  /// Such as `2026-11-22` or `2026-11-16 to 2026-11-22`.
  var name: String

  private static let day: Int64 = 86_400_000_000

  /// The last one that is over.
  init(before now: Timestamp, _ interval: AuditReportSettings.Interval) {
    let today = now.microseconds / Self.day
    let (first, end): (Int64, Int64)
    switch interval {
    case .daily: (first, end) = (today - 1, today)
    case .weekly:
      // Day 0, the first of January 1970, was a Thursday.
      let monday = today - (today + 3) % 7
      (first, end) = (monday - 7, monday)
    }
    from = Timestamp(microseconds: first * Self.day)
    until = Timestamp(microseconds: end * Self.day)
    let last = CalendarDate(Timestamp(microseconds: (end - 1) * Self.day))
    let start = CalendarDate(from)
    name = interval == .daily ? "\(start)" : "\(start) to \(last)"
  }
}

/// The text of a report: numbers only.
enum AuditReportText {
  static func text(of parts: [(service: String, summary: AuditSummary?)], _ period: AuditPeriod) -> String {
    var lines = ["What the audit trails recorded in \(period.name) (UTC)."]
    let known = parts.compactMap(\.summary)
    lines += section("Read by staff", sum(known.flatMap(\.staffReads)))
    lines += section("Refused", sum(known.flatMap(\.refusals)))
    lines += section("By app", sum(known.flatMap(\.apps)))
    let hours = (0..<24).map { hour in
      let count = known.reduce(0) { $0 + ($1.hours.indices.contains(hour) ? $1.hours[hour] : 0) }
      return AuditSummary.Count(hour < 10 ? "0\(hour):00" : "\(hour):00", count)
    }
    lines += section("By hour", hours.filter { $0.count > 0 })
    for (service, summary) in parts {
      guard let summary else {
        lines += ["", "\(service) did not answer: its entries are missing."]
        continue
      }
      let title = "\(service): \(summary.total) entries by \(summary.actors) actors"
      lines += section(title, summary.actions)
    }
    return lines.joined(separator: "\n")
  }

  private static func section(_ title: String, _ counts: [AuditSummary.Count]) -> [String] {
    ["", title] + (counts.isEmpty ? ["  none"] : counts.map { "  \($0.name): \($0.count)" })
  }

  private static func sum(_ counts: [AuditSummary.Count]) -> [AuditSummary.Count] {
    Dictionary(counts.map { ($0.name, $0.count) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
      .map { AuditSummary.Count($0.key, $0.value) }
  }
}
