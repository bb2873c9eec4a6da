extension StudyAPI {
  static let materials: [any Endpoint.Type] = [
    ListMaterials.self, CreateMaterial.self, UpdateMaterial.self, DeleteMaterial.self, OrderMaterials.self,
    DetachSet.self,
  ]

  public struct ListMaterials: PagedEndpoint {
    public typealias Response = Page<CourseMaterial>
    public static let operation = Operation.get(
      "/v1/courses/{course}/materials", "List the materials of a course in their order", problems: [.courseNotFound]
    )
    public var course: CourseID
    public var limit: PageSize?
    public var cursor: String?
    public init(course: CourseID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.course, self.limit, self.cursor) = (course, limit, cursor)
    }
  }

  /// A link, a media item or a study set of the caller; a text without one of these. It is added at the end. A
  /// set's cards reach the devices of all members shortly after.
  public struct CreateMaterial: Endpoint {
    public typealias Response = CourseMaterial
    public static let operation = Operation.post(
      "/v1/courses/{course}/materials", "Add a material to a course", idempotency: .acceptsKey, success: 201,
      problems: [
        .courseNotFound, .courseArchived, .courseLimit, .setNotAttachable, .mediaNotFound, .mediaNotReady,
      ]
    )
    public var course: CourseID
    public var title: ShortText
    public var text: CourseText?
    public var url: WebLink?
    public var media: MediaID?
    public var set: StudySetID?
    public init(
      course: CourseID, title: ShortText, text: CourseText? = nil, url: WebLink? = nil, media: MediaID? = nil,
      set: StudySetID? = nil
    ) {
      (self.course, self.title, self.text) = (course, title, text)
      (self.url, self.media, self.set) = (url, media, set)
    }
  }

  public struct UpdateMaterial: Endpoint {
    public typealias Response = CourseMaterial
    public static let operation = Operation.patch(
      "/v1/courses/{course}/materials/{id}", "Update a material", idempotency: .idempotent,
      problems: [.courseNotFound, .courseArchived]
    )
    public var course: CourseID
    public var id: MaterialID
    public var ifMatch: EntityTag?
    public var title: ShortText?
    public var text: Patch<CourseText>
    public var url: WebLink?
    public init(
      course: CourseID, id: MaterialID, ifMatch: EntityTag? = nil, title: ShortText? = nil,
      text: Patch<CourseText> = .keep, url: WebLink? = nil
    ) {
      (self.course, self.id, self.ifMatch) = (course, id, ifMatch)
      (self.title, self.text, self.url) = (title, text, url)
    }
  }

  /// Members lose a study set unless they have it from elsewhere.
  public struct DeleteMaterial: Endpoint {
    public static let operation = Operation.delete(
      "/v1/courses/{course}/materials/{id}", "Remove a material from a course", success: 204,
      problems: [.courseNotFound, .courseArchived]
    )
    public var course: CourseID
    public var id: MaterialID
    public init(course: CourseID, id: MaterialID) { (self.course, self.id) = (course, id) }
  }

  /// Removes a set, as its owner, who need not be a member of the course.
  public struct DetachSet: Endpoint {
    public static let operation = Operation.delete(
      "/v1/study-sets/{id}/courses/{course}", "Remove a set from a course", success: 204,
      problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public var course: CourseID
    public init(id: StudySetID, course: CourseID) { (self.id, self.course) = (id, course) }
  }

  public struct OrderMaterials: Endpoint {
    public static let operation = Operation.put(
      "/v1/courses/{course}/materials/order", "Reorder the materials of a course", success: 204,
      problems: [.courseNotFound, .courseArchived]
    )
    public var course: CourseID
    /// All materials of the course, each once.
    public var materials: [MaterialID]
    public init(course: CourseID, materials: [MaterialID]) { (self.course, self.materials) = (course, materials) }
  }
}

extension Problem.Kind {
  public static let setNotAttachable = Self(
    "set-not-attachable", status: 409, "The study set is unknown, not the caller's or attached already",
    meaning: "Only a study set of the caller that the course does not have yet can be attached.",
    remedy: "Choose another set, or copy it first.")
}
