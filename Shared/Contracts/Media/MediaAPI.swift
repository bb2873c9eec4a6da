/// Uploads, media, their derived files, search and live workouts. An area's endpoints and problems are in the file named
/// below, the types that they exchange beside it.
public enum MediaAPI: ServiceAPI {
  public static let name = "media-index"
  public static let summary = "Uploads, pictures, audio, video, search and live workouts"
  public static let endpoints: [any Endpoint.Type] = items + content + pictures + scans + search + livestreams
  public static let rawRoutes: [RawRoute] = uploads
}
