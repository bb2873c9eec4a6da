import Contracts
import Observability

extension Routes {
  /// Lets the gateway show what the service has measured.
  mutating func addMetrics(_ history: MetricsHistory) {
    on(MetricsAPI.Get.self) { [name = manifest.name] _, _ in history.measurements(of: name) }
  }
}
