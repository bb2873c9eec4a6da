/// The services that may call an operation.
public enum ServiceCallers: Sendable, Equatable {
  /// Every service of the platform, for what all of them need; the handler decides by the caller's name where it matters.
  case all
  /// Only the services of these names.
  case only(Set<String>)

  /// Whether a service is among them.
  public func contains(_ service: String) -> Bool {
    switch self {
    case .all: true
    case .only(let names): names.contains(service)
    }
  }
}

extension Operation {
  /// Whether it is available to other services only, not on a public port.
  public var isInternal: Bool { access.isForServices || path.description.hasPrefix("/internal/") }
}

extension Operation.Access {
  /// Any service of the platform.
  public static let anyService = Self.service(.all)

  /// Only these services of the platform.
  public static func services(_ callers: any ServiceAPI.Type...) -> Self {
    .service(.only(Set(callers.map { $0.name })))
  }

  /// Whether only services may call, so that the operation is not available on a public port.
  public var isForServices: Bool { if case .service = self { true } else { false } }
}
