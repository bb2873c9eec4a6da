import Contracts
import TestKit

/// One kind of object that belongs to someone: how its owner makes one, and what others may do to it.
struct MatrixKind: Sendable {
  /// An object, and how its owner sees that nothing has happened to it.
  struct Made: Sendable {
    var id: String
    /// The path of the owner's view, which stays the same.
    var view = ""
    /// How to see an object that the owner cannot get; what it shows stays the same.
    var look: (@Sendable () async throws -> String)?
  }

  /// The people of a test. All have accounts.
  struct People: Sendable {
    var owner: TestUser
    /// A user who has to do with the object by the owner's wish, such as the other side of a conversation.
    var friend: TestUser
  }

  var name: String
  var api: any ServiceAPI.Type
  /// The operations about an object are those whose paths begin so.
  var path: PathTemplate
  /// The operations that every user may perform, such as to like the object.
  var open: Set<String> = []
  /// The operations that staff may perform besides, with the scope `administration`.
  var staff: Set<String> = []
  /// Operations that may answer something else than 403 or 404, without any effect on what the owner sees: a repeatable
  /// deletion among the caller's own objects, or a body that could not be sent.
  var harmless: Set<String> = []
  /// The bodies of requests; an empty object by default. A body that begins with `?` is a query.
  var bodies: [String: String] = [:]
  /// The further headers of requests.
  var headers: [String: [String: String]] = [:]
  var make: @Sendable (MatrixPlatform, People) async throws -> Made

  /// Every operation on the object for signed-in users.
  var operations: [Contracts.Operation] {
    api.operations.filter { $0.access == .user && Self.begins($0.path, path) }
  }

  static func name(of operation: Contracts.Operation) -> String { "\(operation.method.rawValue) \(operation.path)" }

  private static func begins(_ path: PathTemplate, _ start: PathTemplate) -> Bool {
    guard path.segments.count >= start.segments.count else { return false }
    return zip(path.segments, start.segments).allSatisfy { one, other in
      switch (one, other) {
      case (.literal(let one), .literal(let other)): one == other
      case (.parameter, .parameter): true
      default: false
      }
    }
  }

  /// An operation's path for an object; other objects in it do not exist.
  func path(of operation: Contracts.Operation, for id: String) -> String {
    let index = path.segments.firstIndex { if case .parameter = $0 { true } else { false } } ?? 0
    guard case .parameter(let own) = operation.path.segments[index] else { return operation.path.description }
    let path = operation.path.expand { name in
      if name == own { return id }
      return name == "emoji" ? "👍" : "01890a5d-ac96-774b-bcce-b302099a9999"
    }
    return path ?? operation.path.description
  }
}
