public import Contracts
import Persistence
public import ServiceKit
public import ServiceLifecycle

public struct CatalogPlugin: ServicePlugin {
  public static let manifest = Manifest(name: CatalogAPI.name, api: CatalogAPI.self)

  public init(environment: ServiceEnvironment) async throws {}

  public func register(in routes: inout Routes) {}
}
