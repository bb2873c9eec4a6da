extension String {
  /// The text for HTML, also within quoted attributes. By scalars: for Swift, `<` with a combining mark is another
  /// character, for a browser it is `<`.
  package var htmlEscaped: String {
    unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
