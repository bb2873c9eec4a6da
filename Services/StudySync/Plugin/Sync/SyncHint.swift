import Contracts
import ServiceKit

/// Notifies the devices of a user that there is something to synchronize.
struct SyncHint: Feature {
  static let kind = "sync"
  static let event = "changed"

  /// - Parameter device: The user's device that knows the changes, which ignores the event.
  static func changed(for user: UserID, by device: StudyDeviceID?) -> TopicEvent {
    TopicEvent(topic(of: user), event, .object([("device", device.map { .string($0.rawValue) })]))
  }

  static func topic(of user: UserID) -> Topic { Topic(kind, user.rawValue) }

  func register(in routes: inout Routes) {
    routes.topics(Self.kind) { reader, topics in topics.filter { $0 == Self.topic(of: reader.id) } }
  }
}
