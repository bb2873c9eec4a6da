import BlobStorage
import Testing

struct S3ConfigurationTests {
  private func configuration(
    endpoint: String = "https://s3.example.com",
    region: String = "us-east-1",
    bucket: String = "blobs",
    prefix: String = "",
    accessKey: String = "id",
    secretKey: String = "secret",
    token: String? = nil
  ) throws(S3ConfigurationError) -> S3Configuration {
    try S3Configuration(
      endpoint: endpoint, region: region, bucket: bucket, prefix: prefix,
      credentials: S3Credentials(accessKey: accessKey, secretKey: secretKey, sessionToken: token))
  }

  @Test(arguments: [
    ("https://s3.example.com", "https://s3.example.com"), ("HTTPS://S3.Example.com/", "https://s3.example.com"),
    ("https://s3.example.com:443", "https://s3.example.com"), ("http://[::1]:9000", "http://[::1]:9000"),
    ("http://minio:80", "http://minio"), ("https://minio:80", "https://minio:80"),
  ])
  func anEndpointIsWrittenAsItIsSigned(given: String, used: String) throws {
    #expect(try configuration(endpoint: given).endpoint == used)
  }

  @Test(arguments: [
    "", "s3.example.com", "ftp://s3.example.com", "https://s3.example.com/path", "https://user:password@s3.example.com",
    "https://s3.example.com:0", "https://s3.example.com:65536", "https://s3.example.com?x", "https://a b",
  ])
  func endpointsThatAreNoOriginsAreRefused(_ endpoint: String) {
    #expect(throws: S3ConfigurationError.self) { try configuration(endpoint: endpoint) }
  }

  @Test(arguments: ["", "ab", "-abc", "abc-", "a..b", "Blobs", "a/b", "a b", String(repeating: "a", count: 64)])
  func namesThatAreNoBucketsAreRefused(_ bucket: String) {
    #expect(throws: S3ConfigurationError.self) { try configuration(bucket: bucket) }
  }

  @Test(arguments: ["/media", "media//", "../media/", "a/./b/", "a\nb", "ü"])
  func prefixesThatStoresConfuseAreRefused(_ prefix: String) {
    #expect(throws: S3ConfigurationError.self) { try configuration(prefix: prefix) }
  }

  /// A line break in them would add a field to the request.
  @Test func credentialsWithLineBreaksAreRefused() {
    #expect(throws: S3ConfigurationError.self) { try configuration(accessKey: "id\r\nx: y") }
    #expect(throws: S3ConfigurationError.self) { try configuration(secretKey: "a\n") }
    #expect(throws: S3ConfigurationError.self) { try configuration(token: "a\r\n") }
  }

  @Test func secretsAreNoPartOfTexts() throws {
    let configuration = try configuration(accessKey: "visibleID", secretKey: "hiddenSecret", token: "hiddenToken")
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in ["\(configuration)", String(reflecting: configuration), dumped] {
      #expect(!text.contains("hiddenSecret"))
      #expect(!text.contains("hiddenToken"))
      #expect(!text.contains("visibleID"))
    }
  }
}
