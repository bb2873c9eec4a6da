public import HTTPTypes

/// The header fields that are the same in all responses of the edge, by OWASP's "HTTP Headers Cheat Sheet" for an API.
public enum ConstantFields {
  public static let always = [
    HTTPField(name: .xContentTypeOptions, value: "nosniff"),
    HTTPField(name: HTTPField.Name(known: "Referrer-Policy"), value: "no-referrer"),
    HTTPField(name: HTTPField.Name(known: "X-Frame-Options"), value: "DENY"),
  ]

  /// The policy of data; an HTML page sets its own.
  public static let policyOfData = HTTPField(
    name: .contentSecurityPolicy, value: "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")

  /// The fields of a problem that is answered by the connection itself, because there is no valid request.
  static let ofRefusals =
    always + [policyOfData, HTTPField(name: .cacheControl, value: "no-store")]
}
