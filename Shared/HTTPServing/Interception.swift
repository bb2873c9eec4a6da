public import Contracts
public import HummingbirdCore

/// The outcome of the edge's interceptor for a request.
public enum Interception: Sendable {
  /// Changes a response that is otherwise complete.
  public typealias Completion = @Sendable (Response) async -> Response

  /// This response is complete. It is measured, but neither logged nor limited, because it costs less than that.
  case file(Response)
  /// The answer, which counts and is completed like that of a route.
  case answered(Result<Response, Problem>)
  /// Another request is served instead.
  case replaced(Request, complete: Completion)
}
