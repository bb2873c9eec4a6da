extension StudyAPI {
  static let files: [any Endpoint.Type] = [ImportCards.self, ExportSet.self]

  /// The file is the body, or the first file of a form (`multipart/form-data`): TXT, CSV, JSON or an Anki package of up
  /// to 50 MB, recognized by its content. Everything that can be read is imported and the rest is reported. Cards of an
  /// existing set, for editors, are added in steps; a new set appears with all its cards or not at all. An unreadable
  /// file changes nothing. Repeated with its `Idempotency-Key`, also after an interruption, no card is added twice.
  public struct ImportCards: Endpoint {
    public typealias Response = StudyImport
    public static let operation = Operation.post(
      "/v1/study-sets/import{?set,title,schedule}", "Import cards from a file", idempotency: .acceptsKey,
      problems: [.studySetNotFound, .tooManyStudySets, .tooManyCards, .unreadableFile],
      limits: .init(bodyBytes: 50 << 20, seconds: 600), accepts: .file, cost: .costly
    )
    /// A new one by default.
    public var set: StudySetID?
    /// The title of a new set; the file's title by default.
    public var title: SetTitle?
    /// Whether the reviews in the file become the caller's, so that the cards keep their schedules.
    public var schedule: Bool?
    public var body: RawBody
    public init(body: RawBody, set: StudySetID? = nil, title: SetTitle? = nil, schedule: Bool? = nil) {
      (self.body, self.set, self.title, self.schedule) = (body, set, title, schedule)
    }
  }

  /// TXT and CSV have only cards with texts on both sides.
  public struct ExportSet: Endpoint {
    public typealias Response = Content
    public static let operation = Operation.get(
      "/v1/study-sets/{id}/export", "Export a set to a file", problems: [.studySetNotFound],
      limits: .init(seconds: 300), cost: .costly
    )
    public var id: StudySetID
    public var format: StudyFormat
    /// Whether the caller's schedules and reviews are included, in `apkg` and `json`.
    public var schedule: Bool?
    public init(id: StudySetID, format: StudyFormat, schedule: Bool? = nil) {
      (self.id, self.format, self.schedule) = (id, format, schedule)
    }
  }
}

extension Problem.Kind {
  public static let unreadableFile = Self(
    "unreadable-file", status: 422, "The file cannot be read",
    meaning: "The file is not of the declared format, is damaged, or has content that cannot be imported.",
    remedy: "Show `errors`, which says where the file is wrong, and let the user choose another file.")
}
