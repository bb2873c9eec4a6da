public import Contracts
import Persistence
public import ServiceKit
public import ServiceLifecycle

public struct OrdersPlugin: ServicePlugin {
  public static let manifest = Manifest(name: OrdersAPI.name, api: OrdersAPI.self)

  public init(environment: ServiceEnvironment) async throws {}

  public func register(in routes: inout Routes) {}
}
