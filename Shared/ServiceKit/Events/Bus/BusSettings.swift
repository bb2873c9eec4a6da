import NATSClient

/// Settings of the broker between the services of a platform.
enum BusSettings {
  static let url = Setting<NATSAddress?>(
    "bus.url",
    default: .some(nil),
    expects: "a URL such as nats://user:password@host1,host2 or tls://host?creds=/run/nats.creds&cacert=/run/ca.pem",
    isSecret: true,
    "NATS with JetStream, by which services send events to each other; if unset, they send them directly"
  ) { NATSAddress($0).map { .some($0) } }

  static let replicas = Setting<Int>(
    "bus.replicas", default: 1, in: 1...5,
    "On how many servers of the NATS cluster an event is stored before it is accepted")

  static let all: [any SettingDescription] = [url, replicas]
}
