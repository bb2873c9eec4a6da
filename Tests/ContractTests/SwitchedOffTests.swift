import Contracts
import Persistence
import TestKit
import Testing

@testable import ServiceKit

/// What an administrator has switched off is refused by the services whose it is, and nothing else is.
@Suite(.serialized)
struct SwitchedOffTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8001"
  /// A request of each feature.
  private static let requests:
    [(feature: FeatureSwitch, method: Contracts.Operation.Method, path: String, body: String)] = [
      (.signUp, .post, "/v1/auth/signup", #"{"username":"newcomer","password":"correct horse newcomer"}"#),
      (.uploads, .post, "/v1/uploads", "{}"),
      (.auctions, .post, "/v1/auctions", "{}"),
      (.messages, .put, "/v1/conversations/\(id)/messages/\(id)", #"{"text":"Hello"}"#),
    ]

  @Test func eachFeatureIsRefusedWhileItIsOff() async throws {
    #expect(Set(Self.requests.map(\.feature)) == Set(FeatureSwitch.allCases))
    try await TestPlatform.run(GeneratedRequest.plugins, settings: GeneratedRequest.settings) { test async throws in
      let user = try await GeneratedRequest.somebody(test)
      let database = try test.database(of: AuthAPI.self)
      func refused() async throws -> [FeatureSwitch] {
        var refused: [FeatureSwitch] = []
        for request in Self.requests {
          let response = try await test.send(request.method, request.path, request.body, by: user)
          let problem = try? WireJSON.decode(Problem.self, from: response.body)
          if problem?.is(.switchedOff) == true { refused.append(request.feature) }
        }
        return refused
      }
      #expect(try await refused() == [])
      for feature in FeatureSwitch.allCases {
        try await database.write { tx in
          try tx.execute("DELETE FROM feature_switches")
          try tx.execute("INSERT INTO feature_switches (name, is_on, version) VALUES (\(feature), 0, 1)")
        }
        try await test.platform.switches.read()
        #expect(try await refused() == [feature])
      }
      // While auth does not answer, what was known holds.
      let resume = test.platform.upstreams.interrupt(AuthAPI.name)
      await #expect(throws: (any Error).self) { try await test.platform.switches.read() }
      resume()
      #expect(!test.platform.switches.isOn(.messages))
    }
  }
}
