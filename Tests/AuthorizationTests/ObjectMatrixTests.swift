import Contracts
import TestKit
import Testing

/// Every kind of object × every operation about it × everyone whom it does not concern: they are refused, and the owner
/// finds it as it was.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct ObjectMatrixTests {
  private struct Intruder {
    var name: String
    var token: String
    /// Whether they may do what staff may.
    var isStaff = false
  }

  @Test func othersNeitherSeeNorChangeWhatIsNotTheirs() async throws {
    try await MatrixPlatform.run { matrix in
      let client = matrix.test.client
      let people = MatrixKind.People(
        owner: TestUser(try await client.signUp("owner"), client),
        friend: TestUser(try await client.signUp("friend"), client))
      let other = try await client.signUp("other")
      let phone = try #require(try await matrix.token(of: .staffElsewhere, for: other.user.id, in: other.session))
      let administrator = try #require(
        try await matrix.token(of: .administrator, for: other.user.id, in: other.session))
      let intruders = [
        Intruder(name: "guest", token: try await client.send(AuthAPI.SignInAsGuest()).accessToken),
        Intruder(name: "other user", token: other.accessToken),
        Intruder(name: "staff of another app", token: phone),
        Intruder(name: "administrator", token: administrator, isStaff: true),
      ]
      for kind in MatrixFixtures.kinds {
        let made: MatrixKind.Made
        do { made = try await kind.make(matrix, people) } catch {
          Issue.record("\(kind.name): \(error)")
          continue
        }
        let before = try await view(made, matrix, people.owner)
        #expect(before.contains(made.id), "\(kind.name): the owner sees it")
        for operation in kind.operations {
          let name = MatrixKind.name(of: operation)
          if kind.open.contains(name) { continue }
          for intruder in intruders where !(intruder.isStaff && kind.staff.contains(name)) {
            let response = try await send(operation, kind, made, intruder, matrix)
            let what: Testing.Comment = "\(kind.name): \(name) by \(intruder.name)"
            if kind.harmless.contains(name) {
              #expect(response.status < 500, what)
            } else {
              #expect([403, 404].contains(response.status), what)
              #expect(!String(decoding: response.body, as: UTF8.self).contains("owner@example.com"), what)
            }
          }
          #expect(try await view(made, matrix, people.owner) == before, "\(kind.name) after \(name)")
        }
      }
    }
  }

  private func send(
    _ operation: Contracts.Operation, _ kind: MatrixKind, _ made: MatrixKind.Made, _ intruder: Intruder,
    _ matrix: MatrixPlatform
  ) async throws -> WireResponse {
    let name = MatrixKind.name(of: operation)
    var (path, body) = (kind.path(of: operation, for: made.id), kind.bodies[name])
    if let query = body, query.hasPrefix("?") { (path, body) = (path + query, nil) }
    return try await matrix.send(
      operation, to: path, body: body, token: intruder.token, headers: kind.headers[name] ?? [:])
  }

  /// The owner's view, without the time of the last use, which looking itself changes.
  private func view(_ made: MatrixKind.Made, _ matrix: MatrixPlatform, _ owner: TestUser) async throws -> String {
    if let look = made.look { return try await look() }
    let response = try await matrix.test.send(.get, made.view, by: owner)
    #expect(response.status == 200, "\(made.view)")
    return String(decoding: response.body, as: UTF8.self).replacing(/"lastUsedAt":"[^"]*"/, with: "")
  }

  /// Whoever adds an object adds it to the matrix, or says that it is everyone's.
  @Test func everyObjectIsInTheMatrix() {
    let known = MatrixFixtures.kinds.map { $0.path.description } + MatrixFixtures.shared
    for operation in MatrixPlatform.apis.flatMap({ $0.operations }) where operation.access == .user {
      guard !operation.path.parameters.isEmpty else { continue }
      let path = shape(operation.path.description)
      #expect(known.contains { path == shape($0) || path.hasPrefix(shape($0) + "/") }, "\(operation.path)")
    }
  }

  /// The path with unnamed parameters.
  private func shape(_ path: String) -> String { path.replacing(/\{[^}]*\}/, with: "{}") }

  /// A name in a table that no operation has would be an exception that is not checked.
  @Test func theTablesNameOperationsThatExist() {
    for kind in MatrixFixtures.kinds {
      let names = Set(kind.operations.map { MatrixKind.name(of: $0) })
      let named = kind.open.union(kind.staff).union(kind.harmless).union(kind.bodies.keys).union(kind.headers.keys)
      #expect(named.subtracting(names).isEmpty, "\(kind.name)")
      #expect(!names.isEmpty, "\(kind.name)")
    }
  }
}
