extension CatalogAPI {
  /// The file is CSV (`text/csv`) with a header row, or a JSON array, with `sourceID`, `date`, `title`, `text` and
  /// `mediaLink`; the first three are required. Valid rows are imported, invalid ones are reported. A row that is the
  /// same as in an earlier import changes nothing; of a changed row, the fields that it gives are applied.
  public struct ImportPosts: Endpoint {
    public typealias Response = ImportReport
    public static let operation = Operation.post(
      "/v1/posts/import", "Import posts from a file", access: .owners,
      limits: .init(bodyBytes: 16 << 20, seconds: 60), accepts: [.json, .text], cost: .costly
    )
    public var body: ImportFile
    public init(body: ImportFile) { self.body = body }
  }
}
