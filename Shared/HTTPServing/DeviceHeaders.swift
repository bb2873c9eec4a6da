import Contracts
import HTTPTypes

extension DeviceFacts {
  init?(_ headers: HTTPFields) {
    self.init { text in
      guard let name = Self.names[text] else { return nil }
      let values = headers[values: name]
      return values.count == 1 ? values[0] : nil
    }
  }

  private static let names: [String: HTTPField.Name] = Dictionary(
    uniqueKeysWithValues: ["X-App-Version", "X-Device", "X-Network", "X-Battery"].map {
      ($0, HTTPField.Name(known: $0))
    })
}
