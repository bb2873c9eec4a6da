import Persistence

enum PictureMigrations {
  static let all = [pictures]

  private static let pictures = Migration(
    "media-index-pictures-001",
    why: "how owners have turned and cropped their pictures, and the sizes within which they may",
    [
      """
      CREATE TABLE pictures
        (media_id TEXT PRIMARY KEY, width BIGINT NOT NULL, height BIGINT NOT NULL, crop TEXT NOT NULL)
      """
    ]
  )
}
