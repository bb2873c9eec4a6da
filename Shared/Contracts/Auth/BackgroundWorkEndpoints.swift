extension AuthAPI {
  public struct AdminListDeadLetters: Endpoint {
    public typealias Response = PlatformDeadLetters
    public static let operation = Operation.get(
      "/v1/admin/dead-letters", "List the dead letters of all services",
      access: .roles([.administrator]), cost: .costly
    )
    public init() {}
  }

  /// Delivers dead letters of a service again: one, those of a type, or all.
  public struct AdminRetryDeadLetters: Endpoint {
    public typealias Response = RetriedWork
    public static let operation = Operation.post(
      "/v1/admin/dead-letters/retry", "Retry dead letters", access: .roles([.administrator]),
      problems: [.recentSignInRequired], limits: .init(bodyBytes: 4096)
    )
    public var service: String
    public var type: String?
    public var eventID: String?
    public init(service: String, type: String? = nil, eventID: String? = nil) {
      (self.service, self.type, self.eventID) = (service, type, eventID)
    }
  }

  public struct AdminListJobs: Endpoint {
    public typealias Response = PlatformJobs
    public static let operation = Operation.get(
      "/v1/admin/jobs", "List the background jobs of all services", access: .roles([.administrator]), cost: .costly
    )
    public init() {}
  }

  /// Makes dropped jobs of a service due again: one, those of a kind, or all.
  public struct AdminRetryJobs: Endpoint {
    public typealias Response = RetriedWork
    public static let operation = Operation.post(
      "/v1/admin/jobs/retry", "Retry dropped jobs", access: .roles([.administrator]),
      problems: [.recentSignInRequired], limits: .init(bodyBytes: 4096)
    )
    public var service: String
    public var kind: String?
    public var id: String?
    public init(service: String, kind: String? = nil, id: String? = nil) {
      (self.service, self.kind, self.id) = (service, kind, id)
    }
  }
}

public struct PlatformDeadLetters: Codable, Sendable, Equatable {
  public var services: [ServiceDeadLetters]
  /// Services that did not answer.
  public var unavailable: [String]
  public init(services: [ServiceDeadLetters], unavailable: [String]) {
    (self.services, self.unavailable) = (services, unavailable)
  }
}

public struct PlatformJobs: Codable, Sendable, Equatable {
  public var services: [ServiceJobs]
  /// Services that did not answer.
  public var unavailable: [String]
  public init(services: [ServiceJobs], unavailable: [String]) {
    (self.services, self.unavailable) = (services, unavailable)
  }
}
