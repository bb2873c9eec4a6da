import Contracts
import Persistence
import ServiceKit
import SwiftCSV

/// Imports LetuStudy's user table: a CSV file with the columns `id`, `firstName`, `lastName`, `DoB`, `username`,
/// `PW_SHA512` and `salt`. Usernames, names and birthdays may be SHA-512 hashes in the table: a hashed username is set
/// at the first login, hashed names and birthdays cannot be recovered and are omitted.
public struct AccountImport: Sendable {
  let database: any Database
  let accounts: AccountStore
  let ids: IDGenerator

  /// The result of an import.
  public struct Report: Sendable, Equatable {
    public var imported = 0
    /// Every skipped row: its number, counted from 1 after the header, and the reason.
    public var bad: [(row: Int, reason: String)] = []

    public static func == (left: Report, right: Report) -> Bool {
      left.imported == right.imported && left.bad.elementsEqual(right.bad) { $0 == $1 }
    }
  }

  private struct BadRow: Error {
    let reason: String
  }

  private static let columns = ["id", "firstName", "lastName", "DoB", "username", "PW_SHA512", "salt"]

  /// Imports the valid rows and reports the others.
  /// - Throws: When the file is not CSV or lacks columns.
  func callAsFunction(_ text: String) async throws -> Report {
    let table = try CSV<Named>(string: text)
    let missing = Self.columns.filter { !table.header.contains($0) }
    guard missing.isEmpty else { throw MissingColumns(names: missing) }
    var report = Report()
    for (index, row) in table.rows.enumerated() {
      do {
        try await take(row)
        report.imported += 1
      } catch let error as BadRow {
        report.bad.append((index + 1, error.reason))
      } catch let problem as Problem {
        report.bad.append((index + 1, problem.title))
      }
    }
    return report
  }

  public struct MissingColumns: Error, CustomStringConvertible {
    let names: [String]
    public var description: String { "the file lacks the columns \(names.joined(separator: ", "))" }
  }

  private func take(_ row: [String: String]) async throws {
    func field(_ name: String) -> String { row[name]?.trimmingSpaces() ?? "" }
    guard let number = Int64(field("id")), number > 0 else { throw BadRow(reason: "id is not a number") }
    guard let hash = LegacyPassword.text(salt: field("salt"), hash: field("PW_SHA512")) else {
      throw BadRow(reason: "PW_SHA512 is not 128 hexadecimal digits")
    }
    guard !field("salt").isEmpty else { throw BadRow(reason: "salt is missing") }
    let name = field("username")
    let isHashed = LegacyPassword.isHash(name)
    let username = isHashed ? nil : try? Username(validating: name)
    guard isHashed || username != nil else { throw BadRow(reason: "username is not valid") }
    var details = ProfileDetails()
    details.firstName = try personName(field("firstName"), "firstName")
    details.lastName = try personName(field("lastName"), "lastName")
    details.birthday = try birthday(field("DoB"))
    let id = ids.make(UserID.self)
    try await database.write { [accounts, details] tx in
      let stored = StoredAccount(
        account: Account(
          id: id,
          email: nil,
          isEmailVerified: false,
          username: username?.rawValue,
          // The display name is public, so it does not contain the user's names.
          displayName: username?.rawValue ?? "Student \(number)",
          hasPassword: true,
          details: details,
          roles: [.user],
          createdAt: tx.now,
          version: 1
        ),
        passwordHash: hash
      )
      do { try accounts.insert(stored, legacyLogin: isHashed ? name.lowercased() : nil, in: tx) } catch let error
        as DatabaseError where error.isUniqueViolation(of: "users.legacy_login")
      {
        throw BadRow(reason: "username is taken")
      }
      try tx.record(UserRegistered(userID: id, app: .letustudy))
      try tx.audit("account.imported", object: stored.object, by: .operator)
    }
  }

  private func personName(_ text: String, _ column: String) throws -> PersonName? {
    if text.isEmpty || LegacyPassword.isHash(text) { return nil }
    guard let name = try? PersonName(validating: text) else { throw BadRow(reason: "\(column) is not valid") }
    return name
  }

  private func birthday(_ text: String) throws -> CalendarDate? {
    if text.isEmpty || LegacyPassword.isHash(text) { return nil }
    guard let day = CalendarDate(text) else { throw BadRow(reason: "DoB is not a date in the format YYYY-MM-DD") }
    return day
  }
}

extension String {
  fileprivate func trimmingSpaces() -> String {
    var rest = Substring(self)
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
