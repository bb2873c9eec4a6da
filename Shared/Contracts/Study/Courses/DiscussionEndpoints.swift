extension StudyAPI {
  static let discussions: [any Endpoint.Type] = [
    ListDiscussions.self, StartDiscussion.self, GetDiscussion.self, UpdateDiscussion.self, DeleteDiscussion.self,
    ListDiscussionReplies.self, ReplyToDiscussion.self, UpdateDiscussionReply.self, DeleteDiscussionReply.self,
  ]

  /// Newest first.
  public struct ListDiscussions: PagedEndpoint {
    public typealias Response = Page<Discussion>
    public static let operation = Operation.get(
      "/v1/courses/{course}/discussions", "List the discussions of a course", problems: [.courseNotFound]
    )
    public var course: CourseID
    public var limit: PageSize?
    public var cursor: String?
    public init(course: CourseID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.course, self.limit, self.cursor) = (course, limit, cursor)
    }
  }

  public struct StartDiscussion: Endpoint {
    public typealias Response = Discussion
    public static let operation = Operation.post(
      "/v1/courses/{course}/discussions", "Start a discussion", idempotency: .acceptsKey, success: 201,
      problems: [.courseNotFound, .courseArchived, .courseLimit]
    )
    public var course: CourseID
    public var title: ShortText
    public var text: CourseText
    public init(course: CourseID, title: ShortText, text: CourseText) {
      (self.course, self.title, self.text) = (course, title, text)
    }
  }

  public struct GetDiscussion: Endpoint {
    public typealias Response = Discussion
    public static let operation = Operation.get(
      "/v1/courses/{course}/discussions/{id}", "Get a discussion", problems: [.courseNotFound]
    )
    public var course: CourseID
    public var id: DiscussionID
    public init(course: CourseID, id: DiscussionID) { (self.course, self.id) = (course, id) }
  }

  /// The author edits title and text, unless the discussion is locked; instructors lock and unlock.
  public struct UpdateDiscussion: Endpoint {
    public typealias Response = Discussion
    public static let operation = Operation.patch(
      "/v1/courses/{course}/discussions/{id}", "Update or lock a discussion", idempotency: .idempotent,
      problems: [.courseNotFound, .courseArchived, .discussionLocked]
    )
    public var course: CourseID
    public var id: DiscussionID
    public var ifMatch: EntityTag?
    public var title: ShortText?
    public var text: CourseText?
    public var isLocked: Bool?
    public init(
      course: CourseID, id: DiscussionID, ifMatch: EntityTag? = nil, title: ShortText? = nil,
      text: CourseText? = nil, isLocked: Bool? = nil
    ) {
      (self.course, self.id, self.ifMatch) = (course, id, ifMatch)
      (self.title, self.text, self.isLocked) = (title, text, isLocked)
    }
  }

  /// For the author and instructors. The replies stay.
  public struct DeleteDiscussion: Endpoint {
    public static let operation = Operation.delete(
      "/v1/courses/{course}/discussions/{id}", "Delete the content of a discussion", success: 204,
      problems: [.courseNotFound, .courseArchived]
    )
    public var course: CourseID
    public var id: DiscussionID
    public init(course: CourseID, id: DiscussionID) { (self.course, self.id) = (course, id) }
  }

  /// Oldest first.
  public struct ListDiscussionReplies: PagedEndpoint {
    public typealias Response = Page<DiscussionReply>
    public static let operation = Operation.get(
      "/v1/courses/{course}/discussions/{discussion}/replies", "List the replies of a discussion",
      problems: [.courseNotFound]
    )
    public var course: CourseID
    public var discussion: DiscussionID
    public var limit: PageSize?
    public var cursor: String?
    public init(course: CourseID, discussion: DiscussionID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.course, self.discussion, self.limit, self.cursor) = (course, discussion, limit, cursor)
    }
  }

  public struct ReplyToDiscussion: Endpoint {
    public typealias Response = DiscussionReply
    public static let operation = Operation.post(
      "/v1/courses/{course}/discussions/{discussion}/replies", "Reply to a discussion", idempotency: .acceptsKey,
      success: 201, problems: [.courseNotFound, .courseArchived, .discussionLocked, .courseLimit]
    )
    public var course: CourseID
    public var discussion: DiscussionID
    public var text: CourseText
    public init(course: CourseID, discussion: DiscussionID, text: CourseText) {
      (self.course, self.discussion, self.text) = (course, discussion, text)
    }
  }

  /// For the author.
  public struct UpdateDiscussionReply: Endpoint {
    public typealias Response = DiscussionReply
    public static let operation = Operation.patch(
      "/v1/courses/{course}/discussions/{discussion}/replies/{id}", "Update a reply", idempotency: .idempotent,
      problems: [.courseNotFound, .courseArchived, .discussionLocked]
    )
    public var course: CourseID
    public var discussion: DiscussionID
    public var id: DiscussionReplyID
    public var ifMatch: EntityTag?
    public var text: CourseText
    public init(
      course: CourseID, discussion: DiscussionID, id: DiscussionReplyID, ifMatch: EntityTag? = nil, text: CourseText
    ) {
      (self.course, self.discussion, self.id) = (course, discussion, id)
      (self.ifMatch, self.text) = (ifMatch, text)
    }
  }

  /// For the author and instructors.
  public struct DeleteDiscussionReply: Endpoint {
    public static let operation = Operation.delete(
      "/v1/courses/{course}/discussions/{discussion}/replies/{id}", "Delete a reply", success: 204,
      problems: [.courseNotFound, .courseArchived]
    )
    public var course: CourseID
    public var discussion: DiscussionID
    public var id: DiscussionReplyID
    public init(course: CourseID, discussion: DiscussionID, id: DiscussionReplyID) {
      (self.course, self.discussion, self.id) = (course, discussion, id)
    }
  }
}

extension Problem.Kind {
  public static let discussionLocked = Self(
    "discussion-locked", status: 409, "The discussion is locked",
    meaning: "An instructor has locked the discussion; only those who teach can reply.",
    remedy: "Show the discussion without the field for a reply.")
}
