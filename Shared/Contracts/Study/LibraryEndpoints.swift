extension StudyAPI {
  static let library: [any Endpoint.Type] = [
    PublishSet.self, UnpublishSet.self, SearchLibrary.self, GetLibrarySet.self, ListLibraryCards.self,
    CopyLibrarySet.self, ReportLibrarySet.self, ListLibraryReports.self, RemoveLibrarySet.self,
    ReinstateLibrarySet.self,
  ]

  /// For the owner, who must not be a guest. What is published follows later edits.
  public struct PublishSet: Endpoint {
    public typealias Response = LibrarySet
    public static let operation = Operation.put(
      "/v1/study-sets/{id}/publication", "Publish a set in the library", publishes: true,
      problems: [.studySetNotFound, .publicationRemoved, .tooManyPublications]
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  /// For the owner. Copies remain.
  public struct UnpublishSet: Endpoint {
    public static let operation = Operation.delete(
      "/v1/study-sets/{id}/publication", "Remove a set from the library", success: 204,
      problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  /// The best matches of a query by title, description and tags, on one page; without a query, all sets.
  public struct SearchLibrary: PagedEndpoint {
    public typealias Response = Page<LibrarySet>
    public static let operation = Operation.get(
      "/v1/library", "Search the library", access: .anyone, caching: .shared
    )
    public var query: String?
    /// Without a query; `newest` by default.
    public var order: LibraryOrder?
    public var limit: PageSize?
    public var cursor: String?
    public init(
      query: String? = nil, order: LibraryOrder? = nil, limit: PageSize? = nil, cursor: String? = nil
    ) {
      (self.query, self.order, self.limit, self.cursor) = (query, order, limit, cursor)
    }
  }

  public struct GetLibrarySet: Endpoint {
    public typealias Response = LibrarySet
    public static let operation = Operation.get(
      "/v1/library/{id}", "Get a published set", access: .anyone, problems: [.studySetNotFound], caching: .shared
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  /// In the order of the set.
  public struct ListLibraryCards: PagedEndpoint {
    public typealias Response = Page<LibraryCard>
    public static let operation = Operation.get(
      "/v1/library/{id}/cards", "List the cards of a published set", access: .anyone,
      problems: [.studySetNotFound], caching: .shared
    )
    public var id: StudySetID
    public var limit: PageSize?
    public var cursor: String?
    public init(id: StudySetID, limit: PageSize? = nil, cursor: String? = nil) {
      (self.id, self.limit, self.cursor) = (id, limit, cursor)
    }
  }

  /// The copy belongs to the caller and names its origin. It appears with all its cards or not at all.
  public struct CopyLibrarySet: Endpoint {
    public typealias Response = StudySet
    public static let operation = Operation.post(
      "/v1/library/{id}/copy", "Copy a published set", idempotency: .acceptsKey, success: 201,
      problems: [.studySetNotFound, .tooManyStudySets], limits: .init(seconds: 60)
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  public struct ReportLibrarySet: Endpoint {
    public static let operation = Operation.post(
      "/v1/library/{id}/reports", "Report a published set to support", idempotency: .idempotent, success: 204,
      problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public var reason: LibraryReport.Reason
    public init(id: StudySetID, reason: LibraryReport.Reason) { (self.id, self.reason) = (id, reason) }
  }

  // MARK: - support

  /// Newest first.
  public struct ListLibraryReports: PagedEndpoint {
    public typealias Response = Page<LibraryReport>
    public static let operation = Operation.get(
      "/v1/admin/library-reports", "List reports of published sets", access: .roles([.support, .administrator])
    )
    public var limit: PageSize?
    public var cursor: String?
    public init(limit: PageSize? = nil, cursor: String? = nil) { (self.limit, self.cursor) = (limit, cursor) }
  }

  /// Audited. The owner keeps the set and cannot publish it again; its reports are settled.
  public struct RemoveLibrarySet: Endpoint {
    public static let operation = Operation.delete(
      "/v1/admin/library/{id}", "Remove another user's set from the library",
      access: .roles([.support, .administrator]),
      success: 204, problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }

  /// Audited. The owner may publish the set again.
  public struct ReinstateLibrarySet: Endpoint {
    public static let operation = Operation.put(
      "/v1/admin/library/{id}", "Allow a removed set back into the library",
      access: .roles([.support, .administrator]),
      success: 204, problems: [.studySetNotFound]
    )
    public var id: StudySetID
    public init(id: StudySetID) { self.id = id }
  }
}

extension Problem.Kind {
  public static let publicationRemoved = Self(
    "publication-removed", status: 409, "Support has removed the set from the library",
    meaning: "Support has taken the set out of the library, and it cannot be published again.",
    remedy: "Tell the user why publishing is not offered, and leave the rest of the set as it is.")
  public static let tooManyPublications = Self(
    "too-many-publications", status: 409, "The user has published too many sets",
    meaning: "The user has reached the limit of published sets.",
    remedy: "Let the user withdraw a set from the library first.")
}
