import Foundation

/// What the page of an app, or of a folder in it, has of its own: its `page.json`, whose texts are HTML. The rest is
/// `page.html`, which all pages share.
///
/// Files are named by their paths in the client. By default, they are `icon.svg`, `style.css` and `main.js` of the
/// folder.
struct WebPage: Decodable {
  private let title: String
  private let description: String
  private let icon: String?
  private let styles: [String]?
  private let script: String?

  /// The page with its placeholders filled, except those of addresses.
  ///
  /// - Parameters:
  ///   - template: `page.html`.
  ///   - manifest: `page.json`.
  ///   - folder: Of the manifest, without a slash at its end.
  ///   - paths: All files of the client.
  /// - Throws: ``WebClient/Unusable`` when the manifest cannot be read, or names a file that is not there.
  static func html(
    _ template: [UInt8], _ manifest: [UInt8], of app: WebApp, folder: String, among paths: Set<String>
  ) throws -> [UInt8] {
    do {
      let page = try JSONDecoder().decode(WebPage.self, from: Data(manifest))
      return Array(try page.html(String(decoding: template, as: UTF8.self), of: app, folder: folder, among: paths).utf8)
    } catch let error as DecodingError {
      throw WebClient.Unusable(description: "\(folder)/page.json cannot be read: \(error)")
    }
  }

  private func html(_ template: String, of app: WebApp, folder: String, among paths: Set<String>) throws -> String {
    let icon = icon ?? "\(folder)/icon.svg"
    let styles = styles ?? ["\(folder)/style.css"]
    let script = script ?? "\(folder)/main.js"
    for path in styles + [icon, script] where !paths.contains(path) {
      throw WebClient.Unusable(description: "\(folder)/page.json names \(path), which is not there")
    }
    var links = styles.map { "<link rel=\"stylesheet\" href=\"{{assets}}/\($0)\" />" }
    if paths.contains("\(folder)/manifest.webmanifest") {
      links.append("<link rel=\"manifest\" href=\"{{base}}/manifest.webmanifest\" />")
    }
    let values = [
      "app": app.rawValue, "title": title, "description": description, "icon": icon, "script": script,
      "links": links.joined(separator: "\n    "),
    ]
    return values.reduce(into: template) { html, value in html.replace("{{\(value.key)}}", with: value.value) }
  }
}
