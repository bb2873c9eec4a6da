import Foundation
import NIOCore
import NIOPosix

/// Finds out whether the ports are free before anything else is touched: a second process on the same data would migrate
/// it first and fail afterward.
enum PortCheck {
  static func requireFree(_ settings: Settings) async throws(SettingError) {
    let port = try settings[PlatformSettings.port]
    try await requireFree(try settings[PlatformSettings.host], port, PlatformSettings.port)
    let metricsPort = try settings[PlatformSettings.metricsPort] ?? PlatformSettings.defaultMetricsPort(for: port)
    try await requireFree(try settings[PlatformSettings.metricsHost], metricsPort, PlatformSettings.metricsPort)
    if let redirect = try settings[PlatformSettings.redirectPort] {
      try await requireFree(try settings[PlatformSettings.host], redirect, PlatformSettings.redirectPort)
    }
  }

  private static func requireFree(_ host: String, _ port: Int, _ setting: some SettingDescription)
    async throws(SettingError)
  {
    guard port != 0 else { return }
    do {
      let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: host, port: port)
        .get()
      try await channel.close()
    } catch {
      let flag = "--\(Settings.flag(setting.key))"
      throw SettingError(
        message: "\(host):\(port) cannot be listened on: \(reason(error)). Stop the process that uses it"
          + " (`ss -ltnp 'sport = :\(port)'` shows it), or choose another port with \(flag)."
      )
    }
  }

  private static func reason(_ error: any Error) -> String {
    guard let error = error as? IOError else { return "\(error)" }
    return error.errnoCode == EADDRINUSE ? "the port is in use" : error.description
  }
}
