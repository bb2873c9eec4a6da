extension AuthAPI {
  /// Apps hide what is switched off. A change takes effect within seconds.
  public struct ListFeatures: Endpoint {
    public typealias Response = Page<FeatureState>
    public static let operation = Operation.get(
      "/v1/features", "List the feature switches", access: .anyone, caching: .shared
    )
    public init() {}
  }

  /// Internal, by which services learn what is switched off.
  public struct ReadFeatures: Endpoint {
    public typealias Response = Page<FeatureState>
    public static let operation = Operation.get(
      "/internal/v1/features", "List the feature switches for services", access: .anyService
    )
    public init() {}
  }

  public struct SwitchFeature: Endpoint {
    public typealias Response = FeatureState
    public static let operation = Operation.put(
      "/v1/admin/features/{name}", "Switch a feature on or off for everyone", access: .roles([.administrator]),
      problems: [.recentSignInRequired], limits: .init(bodyBytes: 4096)
    )
    public var name: FeatureSwitch
    public var ifMatch: EntityTag?
    public var isOn: Bool
    public init(name: FeatureSwitch, ifMatch: EntityTag? = nil, isOn: Bool) {
      (self.name, self.ifMatch, self.isOn) = (name, ifMatch, isOn)
    }
  }
}

extension Problem.Kind {
  /// Not 503, which clients and the gateway would repeat, and alerts would take for an outage.
  public static let switchedOff = Self(
    "switched-off", status: 403, "This is switched off at the moment",
    meaning: "An administrator has switched off what the operation belongs to, for everyone. `errors` names it.",
    remedy: "Tell the user, and offer it again when `GET /v1/features` says that it is on. Do not repeat the request.")
}
