import Contracts
import TestKit
import Testing

@testable import AuthService

/// Lists of members that are almost valid: every row is either valid or rejected, once, and none is made up.
@Suite(.long)
struct MemberListFuzzTests {
  /// Usernames become lowercase, and quotes are doubled in a file.
  private func plain(_ text: String) -> [UInt8] {
    text.utf8.filter { $0 != UInt8(ascii: "\"") }.map { (65...90).contains($0) ? $0 + 32 : $0 }
  }

  @Test func everyRowIsEitherValidOrRejected() async throws {
    let corpus = FuzzCorpus(
      [
        "number,username,firstName,lastName,birthday,role\r\n17,ada.l,Ada,\"Love\"\"lace\"\"\",2010-12-10,student\r\n"
          + "18,bob_b,Bob,,,instructor\r\n19,eve-3,,,2009-02-28,\r\n",
        "username,number\nada,1\nbob,2\nada,3\n",
      ],
      words: [
        "number", "username", "birthday", "\"", "\"\"", ",", "\r\n", "\n", "\r", "\u{FEFF}", "2010-02-30", "0000-00-00",
        "student", "staff", "\u{301}", "é",
      ], separators: ",\"\r\n-", maxBytes: 1500)
    try await Fuzzer("csv-members", corpus, inputs: 5_000).run { input, _ in
      let text = String(decoding: input, as: UTF8.self)
      let list: MemberRows
      do { list = try MemberRows(.csv(text)) } catch let problem as Problem {
        try confirm(problem.status == 422, "\(problem)")
        return false
      }
      try confirm(list.rows.count + list.rejected.count <= MemberRows.maxCount, "\(list)")
      let (numbers, names) = (list.rows.map(\.number), list.rows.map(\.username))
      try confirm(Set(numbers).count == numbers.count && Set(names).count == names.count, "a member stands there twice")
      let plain = plain(text)
      for row in list.rows {
        let isThere =
          plain.contains(self.plain(row.number.rawValue)) && plain.contains(self.plain(row.username.rawValue))
        try confirm(isThere, "\(row) is made up")
        try confirm(row.role != .staff, "\(row)")
      }
      return !list.rows.isEmpty
    }
  }
}
