import Contracts
import Synchronization
import TestKit
import Testing

@testable import ServiceKit

/// Features that an administrator has switched off are refused by their services, and nothing else is.
@Suite(.serialized)
struct SwitchedOffTests {
  private static let id = "01890a5d-ac96-774b-bcce-b302099a8001"
  private static let auction = """
    {"listingID":"\(id)","startPrice":{"amount":1000,"currency":"USD"},"closesAt":"2100-01-01T00:00:00Z"}
    """
  /// A request of each feature.
  private static let requests:
    [(feature: FeatureSwitch, method: Contracts.Operation.Method, path: String, body: String?)] = [
      (.signUp, .post, "/v1/auth/signup", #"{"username":"newcomer","password":"correct horse newcomer"}"#),
      (.uploads, .post, "/v1/uploads", nil),
      (.auctions, .post, "/v1/auctions", auction),
      (.messages, .patch, "/v1/conversations/\(id)/messages/\(id)", #"{"text":"Hello"}"#),
    ]
  private static let upload = [(name: "tus-resumable", value: "1.0.0"), (name: "upload-length", value: "5")]

  @Test func eachFeatureIsRefusedWhileItIsOff() async throws {
    #expect(Set(Self.requests.map(\.feature)) == Set(FeatureSwitch.allCases))
    try await TestPlatform.run(GeneratedRequest.plugins, settings: GeneratedRequest.settings) { test async throws in
      let user = try await GeneratedRequest.somebody(test)
      func refused() async throws -> [FeatureSwitch] {
        var refused: [FeatureSwitch] = []
        for request in Self.requests {
          let headers = request.feature == .uploads ? Self.upload : []
          let response = try await test.send(request.method, request.path, request.body, headers: headers, by: user)
          let problem = try? WireJSON.decode(Problem.self, from: response.body)
          if problem?.is(.switchedOff) == true { refused.append(request.feature) }
        }
        return refused
      }
      #expect(try await refused() == [])
      for feature in FeatureSwitch.allCases {
        try await test.switchFeature(feature, isOn: false)
        #expect(try await refused() == [feature])
        try await test.switchFeature(feature, isOn: true)
      }
      // While auth does not answer, what was known holds.
      try await test.switchFeature(.messages, isOn: false)
      let resume = test.platform.upstreams.interrupt(AuthAPI.name)
      await #expect(throws: (any Error).self) { try await test.platform.switches.read() }
      resume()
      #expect(!test.platform.switches.isOn(.messages))
    }
  }

  /// A process that begins while auth is away does not know what is off.
  @Test func nothingIsTakenForOnBeforeAuthHasAnswered() async throws {
    let isAway = Mutex(true)
    let switches = FeatureSwitches {
      if isAway.withLock({ $0 }) { throw Problem(.unavailable) }
      return Page(items: [FeatureState(name: "messages", isOn: false, version: 1)])
    }
    await #expect(throws: Problem(.unavailable, retryAfter: 1)) { try await switches.requireKnown() }
    isAway.withLock { $0 = false }
    try await switches.requireKnown()
    #expect(!switches.isOn(.messages))
    #expect(switches.isOn(.uploads))
    isAway.withLock { $0 = true }
    try await switches.requireKnown()
  }

  /// The decision of an administrator holds from the first request on.
  @Test func authKnowsItsSwitchesWhenItBegins() async throws {
    try await TestPlatform.run(GeneratedRequest.plugins, settings: GeneratedRequest.settings) { test async throws in
      let resume = test.platform.upstreams.interrupt(AuthAPI.name)
      await #expect(throws: Never.self) { try await test.platform.switches.requireKnown() }
      resume()
    }
  }
}
