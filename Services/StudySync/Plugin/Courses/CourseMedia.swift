import Contracts
import Persistence
import PlatformRules
import ServiceKit

/// The media of courses: members load those of materials and published assignments, instructors also those of drafts,
/// and a submission's only they and its student.
struct CourseMedia: Sendable {
  static let submissionKind = "submission"
  private static let teachersPart = "teachers"

  private let media: MediaUses

  init(_ environment: ServiceEnvironment) { media = MediaUses(environment) }

  func require(_ wanted: [MediaID]?, besides known: [MediaID] = [], of user: UserID, for object: Topic) async throws {
    let items = MediaUses.Wanted.items(wanted, besides: known, MediaKind.allCases, at: "body.media")
    try await media.require(items, of: user, for: object)
  }

  func require(_ medium: MediaID?, of user: UserID, for object: Topic) async throws {
    guard let medium else { return }
    let wanted = MediaUses.Wanted(medium, .image, .audio, .video, .document, at: "body.media")
    try await media.require([wanted], of: user, for: object)
  }

  // MARK: reports

  static func report(_ medium: MediaID?, in material: StoredMaterial, _ tx: Transaction) throws {
    guard let medium else { return }
    let uses = [MediaUse(medium, .readers, of: CourseEvents.topic(material.course))]
    try MediaUses.report(uses, of: material.id.topic, sequence: Int64(material.version), in: tx)
  }

  static func reportDeleted(_ material: StoredMaterial, in tx: Transaction) throws {
    guard material.kind == .media else { return }
    try MediaUses.report([], of: material.id.topic, sequence: Int64(material.version) + 1, in: tx)
  }

  static func report(_ assignment: StoredAssignment, in tx: Transaction) throws {
    let course = Topic(
      CourseEvents.topicKind, assignment.course.rawValue, assignment.state == .published ? nil : teachersPart)
    let uses = assignment.media.map { MediaUse($0, .readers, of: course) }
    try MediaUses.report(uses, of: assignment.id.topic, sequence: Int64(assignment.version), in: tx)
  }

  static func reportDeleted(_ assignment: StoredAssignment, in tx: Transaction) throws {
    guard !assignment.media.isEmpty else { return }
    try MediaUses.report([], of: assignment.id.topic, sequence: Int64(assignment.version) + 1, in: tx)
  }

  /// - Parameter media: Those of the current version, and of those that it has replaced.
  static func report(_ media: Set<MediaID>, in submission: StoredSubmission, _ tx: Transaction) throws {
    let uses = media.sorted { $0.rawValue < $1.rawValue }.map { MediaUse($0, .readers) }
    try MediaUses.report(uses, of: submission.id.topic, sequence: Int64(submission.version), in: tx)
  }

  static func reportDeleted(_ submission: StoredSubmission, in tx: Transaction) throws {
    try MediaUses.report([], of: submission.id.topic, sequence: Int64(submission.version) + 1, in: tx)
  }

  // MARK: readers

  static func readableCourses(_ topics: [Topic], by reader: ObjectReader, in db: any Connection) throws -> [Topic] {
    guard let user = reader.id else { return [] }
    return try topics.filter { topic in
      guard let course = CourseID(String(topic.id)),
        let access = try CourseAccess.find(course, of: user, in: db)
      else { return false }
      return topic.part == nil || access.role.teaches && topic.part.map { String($0) } == teachersPart
    }
  }

  static func readableSubmissions(_ topics: [Topic], by reader: ObjectReader, in db: any Connection) throws -> [Topic] {
    guard let user = reader.id else { return [] }
    return try topics.filter { topic in
      guard topic.part == nil, let id = SubmissionID(String(topic.id)),
        let submission = try SubmissionStore.find(id, in: db),
        let access = try CourseAccess.find(submission.course, of: user, in: db)
      else { return false }
      return access.role.teaches || submission.student == user
    }
  }
}

extension MaterialID {
  var topic: Topic { Topic("material", rawValue) }
}

extension AssignmentID {
  var topic: Topic { Topic("assignment", rawValue) }
}

extension SubmissionID {
  var topic: Topic { Topic(CourseMedia.submissionKind, rawValue) }
}
