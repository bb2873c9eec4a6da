import Contracts
import Persistence

/// The realtime events of courses. They name what has changed, not its content, which apps fetch.
enum CourseEvents {
  static let topicKind = "course"

  static func topic(_ id: CourseID) -> Topic { Topic(topicKind, id.rawValue) }

  /// Something that every member may see has changed.
  ///
  /// - Parameter id: Of what has changed, unless it is the course or all of its kind.
  static func changed(_ name: String, _ id: String? = nil, in course: CourseID, _ tx: Transaction) throws {
    let data: [(String, JSONValue?)] = [("course", .string(course.rawValue)), ("id", id.map { .string($0) })]
    try tx.record(TopicEvent(topic(course), name, .object(data)))
  }

  /// For one student, also when the app is closed.
  static func notify(
    _ student: UserID, _ name: String, _ course: CourseID, _ assignment: AssignmentID, title: String, text: String,
    in tx: Transaction
  ) throws {
    let data: JSONValue = ["course": .string(course.rawValue), "assignment": .string(assignment.rawValue)]
    try tx.record(RealtimeEvent(to: student, name, data))
    try tx.record(PushRequested(to: student, title: title, text: text, kind: .courses))
  }
}
