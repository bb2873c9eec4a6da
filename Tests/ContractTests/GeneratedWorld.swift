import Contracts
import ServiceKit
import TestKit

/// The objects that exist when generated requests are sent, so that they get further than to an unknown id: two
/// accounts, and what the requests themselves have created.
struct GeneratedWorld {
  /// The user who sends them.
  let user: TestUser
  /// The id of something by its collection's name in a path, such as `listings`.
  private var ids: [String: String]

  init(_ test: TestPlatform) async throws {
    let account = try await test.client.signUp("caller").user
    user = try await GeneratedRequest.user(account.id, of: test)
    ids = ["users": try await test.client.signUp("other").user.id.rawValue]
  }

  mutating func learn(_ response: WireResponse, to request: GeneratedRequest) {
    guard request.method == .post, (200..<300).contains(response.status),
      let content = try? WireJSON.decode(JSONValue.self, from: response.body), let id = content["id"]?.string,
      let collection = request.path.split(separator: "/").last
    else { return }
    ids[String(collection)] = id
  }

  /// The request with ids of what exists instead of random ones; where nothing of the kind exists, the other account's.
  func placed(_ request: GeneratedRequest) -> GeneratedRequest {
    var placed = request
    let segments = request.path.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
    placed.path = segments.indices.map { index in
      segments[index].replacing(Self.id) { _ in id(of: index > 0 ? segments[index - 1] : "") }
    }
    .joined(separator: "/")
    placed.body = request.body?.replacing(Self.member) { match in
      let name = match.1.hasSuffix("ID") ? match.1.dropLast(2) : match.1
      return "\"\(match.1)\": \"\(id(of: name.lowercased() + "s"))\""
    }
    return placed
  }

  /// - Parameter name: A collection's name or its last word.
  private func id(of name: String) -> String {
    ids[name] ?? ids.first { $0.key.hasSuffix("-\(name)") }?.value ?? ids["users", default: ""]
  }

  private static var id: Regex<Substring> { /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/ }
  private static var member: Regex<(Substring, Substring)> {
    /"(\w+)": "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"/
  }
}
