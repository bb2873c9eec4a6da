/// The APIs of the platform's services. Add the API of a new service here; the gateway routes to every listed API.
public enum PlatformAPIs {
  public static let all: [any ServiceAPI.Type] = [AuthAPI.self, CatalogAPI.self, OrdersAPI.self]
}
