import Contracts
import ServiceKit

/// The metrics of all services of the last hour, from the memory of their processes: they are shown also while a
/// database is away.
struct ServiceMeasurements: Feature {
  private let environment: ServiceEnvironment

  init(_ environment: ServiceEnvironment) { self.environment = environment }

  func register(in routes: inout Routes) {
    routes.on(GatewayAPI.GetMetrics.self) { _, _ in await metrics() }
  }

  private func metrics() async -> PlatformMetrics {
    let services = environment.fronted.sorted()
    let answers: [String: ServiceMetrics] = await withTaskGroup(of: (service: String, metrics: ServiceMetrics?).self) {
      group in
      for service in services {
        group.addTask { [environment] in
          (service, try? await environment.client(of: service).send(MetricsAPI.Get()))
        }
      }
      return await group.reduce(into: [:]) { $0[$1.service] = $1.metrics }
    }
    return PlatformMetrics(
      services: [environment.measurements] + services.compactMap { answers[$0] },
      unavailable: services.filter { answers[$0] == nil })
  }
}
