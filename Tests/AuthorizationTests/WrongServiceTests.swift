import Contracts
import TestKit
import Testing

@testable import ServiceKit

/// Every operation for services × every service that its contract does not name: each calls with a token of its own.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct WrongServiceTests {
  @Test func otherServicesAreRefused() async throws {
    try await MatrixPlatform.run { matrix in
      let names = MatrixPlatform.apis.map { $0.name } + ["outsider"]
      for name in names { matrix.test.platform.identity.pretend(name) }
      var count = 0
      for api in MatrixPlatform.apis {
        for operation in api.operations {
          guard case .service(let callers) = operation.access else { continue }
          for name in names {
            let what: Testing.Comment = "\(operation.method.rawValue) \(operation.path) of \(api.name) by \(name)"
            if !callers.contains(name) {
              let refused = try await send(operation, to: api.name, as: name, for: api.name, matrix)
              #expect(refused.status == 403, what)
              #expect(try refused.problem?.code == "service-not-allowed", what)
              count += 1
            } else if let other = names.first(where: { $0 != api.name }) {
              // A token for another service, which that one passes on.
              let passedOn = try await send(operation, to: api.name, as: name, for: other, matrix)
              #expect(passedOn.status == 401, what)
              #expect(try passedOn.problem?.code == "token-invalid", what)
            }
          }
        }
      }
      #expect(count > 50)
    }
  }

  private func send(
    _ operation: Contracts.Operation, to service: String, as caller: String, for audience: String,
    _ matrix: MatrixPlatform
  ) async throws -> WireResponse {
    let token = try await matrix.test.platform.identity.token(caller: caller, audience: audience)
    return try await matrix.send(
      operation, to: matrix.path(of: operation), token: nil, headers: ["x-service-authorization": "Bearer \(token)"],
      directlyTo: service)
  }
}
