import Contracts
import Foundation
import ServiceKit

enum AuditReportSettings {
  /// How often the audit trails are reported.
  enum Interval: String, CaseIterable, Sendable, CustomStringConvertible {
    case daily, weekly

    var description: String { rawValue }
  }

  static let recipients = Setting<[EmailAddress]>(
    "audit.reportTo",
    default: [],
    expects: "e-mail addresses separated by commas",
    "Staff who receive a report of what was done, read and refused, without personal data"
  ) { text in
    let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let addresses = parts.compactMap { try? EmailAddress(validating: $0) }
    return addresses.count == parts.count ? addresses : nil
  }
  static let interval = Setting<Interval>(
    "audit.reportEvery",
    default: .weekly,
    expects: "daily or weekly",
    "How often the report is sent, by UTC; weeks begin on Monday"
  ) { Interval(rawValue: $0) }

  static let all: [any SettingDescription] = [recipients, interval]
}
