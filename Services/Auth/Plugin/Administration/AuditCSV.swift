import Contracts

/// Audit trail entries as CSV (RFC 4180).
enum AuditCSV {
  static let header =
    "time,service,actor,session,address,app,version,device,network,battery,action,object,changes,sequence,hash\r\n"

  static func line(_ entry: AuditRecord) -> String {
    let device = entry.device
    let changes = entry.changes.map { "\($0.field): \($0.before ?? "-") > \($0.after ?? "-")" }
    let who: [String?] = [entry.at.description, entry.service, entry.actor, entry.session?.rawValue, entry.address]
    let by: [String?] = [
      entry.app?.rawValue, device?.version, device?.device, device?.network?.rawValue,
      device?.battery.map { String($0) },
    ]
    let what: [String?] = [
      entry.action, entry.object, changes.joined(separator: "; "), entry.sequence.map { String($0) }, entry.hash,
    ]
    return (who + by + what).map { cell($0 ?? "") }.joined(separator: ",") + "\r\n"
  }

  /// A quoted cell. Spreadsheets execute what begins like a formula, even in quotes; after an apostrophe it is text.
  static func cell(_ text: String) -> String {
    let starts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
    let isFormula = text.unicodeScalars.first.map { starts.contains($0) } ?? false
    return "\"\(isFormula ? "'" : "")\(text.replacing("\"", with: "\"\""))\""
  }
}
