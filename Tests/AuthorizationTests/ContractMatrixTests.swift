import Contracts
import ServiceKit
import TestKit
import Testing

/// Every operation of every service × every caller: who is refused, and with which problem, as the contract alone
/// decides it. What it cannot decide, because it depends on an object, is in `ObjectMatrixTests`.
@Suite(.serialized, .timeLimit(.minutes(60)))
struct ContractMatrixTests {
  /// Problems with which an admitted caller must not be answered. (A handler may find that a session does not exist.)
  private static let refusals: Set = [
    "token-missing", "token-invalid", "token-expired", "scope-missing",
  ]

  @Test func everyOperationAdmitsWhomItsContractNames() async throws {
    try await MatrixPlatform.run { matrix in
      var (admitted, refused) = (0, 0)
      for api in MatrixPlatform.apis {
        for operation in api.operations where !operation.access.isForServices {
          let path = matrix.path(of: operation)
          for caller in MatrixCaller.allCases {
            let response = try await matrix.send(operation, to: path, token: try await matrix.token(of: caller))
            let what: Testing.Comment = "\(operation.method.rawValue) \(path) by \(caller): \(response.status)"
            if let refusal = caller.refusal(by: operation) {
              refused += 1
              expect(response, is: refusal, operation, what)
            } else {
              admitted += 1
              #expect(![500, 502, 504].contains(response.status), what)
              guard operation.access != .anyone, operation.method != .head else { continue }
              let code = try? response.problem?.code
              #expect(!Self.refusals.contains(code ?? ""), what)
              if case .roles = operation.access { #expect(code != Problem.Kind.forbidden.code, what) }
            }
          }
        }
      }
      #expect(admitted > 1500)
      #expect(refused > 2500)
    }
  }

  private func expect(
    _ response: WireResponse, is refusal: Problem.Kind, _ operation: Contracts.Operation, _ what: Testing.Comment
  ) {
    #expect(response.status == refusal.status, what)
    // A response to HEAD has no body.
    guard operation.method != .head else { return }
    #expect((try? response.problem?.code) == refusal.code, what)
    guard refusal == .scopeMissing, let scope = operation.scope?.rawValue else { return }
    #expect(response.header("www-authenticate") == #"Bearer error="insufficient_scope", scope="\#(scope)""#, what)
    #expect((try? response.problem?.detail) == "The token lacks the scope \(scope).", what)
  }

  /// Operations between services cannot be reached through the gateway, nor with a user's token.
  @Test func whatServicesAskEachOtherIsForNoOneElse() async throws {
    let callers: [MatrixCaller] = [.anonymous, .forger, .user, .administrator, .client]
    try await MatrixPlatform.run { matrix in
      for api in MatrixPlatform.apis {
        let own = api.operations.filter { $0.isInternal }
        let host: [any Endpoint.Type] = [
          EventsAPI.Subscribe.self, EventsAPI.Deliver.self, EventsAPI.DeliverBatch.self, PersonalDataAPI.Export.self,
          AuditAPI.Search.self,
          DescriptionAPI.Describe.self, TopicsAPI.Authorize.self, ReadersAPI.Authorize.self, SignalsAPI.Send.self,
        ]
        for operation in own + host.map({ $0.operation }) {
          for caller in callers {
            let token = try await matrix.token(of: caller)
            let path = matrix.path(of: operation)
            let what: Testing.Comment = "\(operation.method.rawValue) \(path) of \(api.name) by \(caller)"
            let outside = try await matrix.send(operation, to: path, token: token)
            #expect([401, 404, 405].contains(outside.status), what)
            let inside = try await matrix.send(operation, to: path, token: token, directlyTo: api.name)
            // Not every service has every operation of the host.
            let isOwn = own.contains { $0.path == operation.path }
            #expect((isOwn ? [401] : [401, 404, 405]).contains(inside.status), what)
          }
        }
      }
    }
  }
}
