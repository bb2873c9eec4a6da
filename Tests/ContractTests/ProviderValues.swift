import Contracts
import TestKit

/// The values that the requests of a consumer need besides the provider's data.
enum ProviderValues {
  typealias Make = @Sendable () throws -> [String: String]

  /// A token is valid for a minute, so that each interaction has another one.
  static func of(_ consumer: String, calling provider: String) -> Make {
    { ["serviceToken": try TestServiceKeys.token(caller: consumer, audience: provider)] }
  }

  /// Serves them to the verifier, which is a process of its own.
  static func serve(_ values: @escaping Make) throws -> ScriptedServer {
    try ScriptedServer { connection in
      while !connection.readHead().isEmpty {
        let json = try? WireJSON.encode(values())
        connection.answer(String(decoding: json ?? [], as: UTF8.self))
      }
    }
  }
}
