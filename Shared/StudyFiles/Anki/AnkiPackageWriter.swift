/// Writes an Anki package (`.apkg`) in the format that every version of Anki imports: a collection of schema 11 and the
/// media files. Each card becomes a note of a note type with the fields Front and Back, with its scheduling and
/// reviews. White space in tags becomes `_`, because Anki separates tags by spaces.
public final class AnkiPackageWriter {
  private let archive: ZipWriter
  private let collection: AnkiCollectionWriter
  private let collectionPath: String
  private let listPath: String
  private let media: OutputFile
  private var names: Set<String> = []

  /// - Parameters:
  ///   - path: A file that is created or overwritten.
  ///   - title: The deck of cards that have none.
  ///   - createdAt: When the set is exported, in milliseconds since 1970; ids of notes count from here.
  ///   - folder: An existing folder for files that are removed with the writer. Two writers must not share it.
  public init(_ path: String, title: String, createdAt: Int64, folder: String) throws(StudyFileError) {
    archive = try ZipWriter(path)
    collectionPath = folder + "/export.sqlite"
    listPath = folder + "/export.media"
    removeFile(collectionPath)
    collection = try AnkiCollectionWriter(collectionPath, title: title, createdAt: createdAt)
    media = try OutputFile(listPath)
    try media.write("{")
  }

  deinit {
    removeFile(collectionPath)
    removeFile(listPath)
  }

  /// Writes a card.
  /// - Returns: Why the card was left out, when its front or back has neither text nor media.
  @discardableResult
  public func write(_ card: StudyFileCard) throws(StudyFileError) -> StudyFileSkipReason? {
    if card.hasEmptyFront { return .emptyFront }
    if card.hasEmptyBack { return .emptyBack }
    try collection.write(card)
    return nil
  }

  /// Adds a media file to which cards refer.
  /// - Parameter path: A file that must stay until ``finish()`` has returned.
  /// - Returns: `false` when the package has a file of this name, which stays.
  /// - Throws: ``StudyFileError/unrepresentable`` for a name that is a path or reserved.
  @discardableResult
  public func addMedia(_ name: String, path: String) throws(StudyFileError) -> Bool {
    guard AnkiMediaList.isSafe(name) else { throw .unrepresentable }
    guard names.insert(name).inserted else { return false }
    let number = names.count - 1
    try archive.add(String(number), file: path, isCompressed: false)
    try media.write((number == 0 ? "" : ",") + "\"\(number)\":\(try JSONText.encode(name))")
    return true
  }

  /// Completes the package.
  public func finish() throws(StudyFileError) {
    try collection.finish()
    try media.write("}")
    try media.flush()
    try archive.add("collection.anki2", file: collectionPath, isCompressed: true)
    try archive.add("media", file: listPath, isCompressed: true)
    try archive.finish()
  }
}
