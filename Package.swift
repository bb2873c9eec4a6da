// swift-tools-version: 6.2
import PackageDescription

// MARK: - what the targets have in common

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func shared(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Shared/\(name)", swiftSettings: settings)
}

/// A service: a library with its plugin and an executable that runs it alone.
func service(
  _ folder: String,
  executable: String,
  _ dependencies: [Target.Dependency] = [],
  resources: [Resource] = []
) -> [Target] {
  [
    .target(
      name: "\(folder)Service",
      dependencies: ["Contracts", "ServiceKit"] + dependencies,
      path: "Services/\(folder)/Plugin",
      resources: resources,
      swiftSettings: settings
    ),
    .executableTarget(
      name: executable,
      dependencies: ["ServiceKit", .byName(name: "\(folder)Service"), argumentParser],
      path: "Services/\(folder)/Main",
      swiftSettings: settings
    ),
  ]
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, path: "Tests/\(name)", exclude: exclude, swiftSettings: settings)
}

// MARK: - libraries of others

let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let jwtKit = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHPACK = Target.Dependency.product(name: "NIOHPACK", package: "swift-nio-http2")
let nioHTTP2 = Target.Dependency.product(name: "NIOHTTP2", package: "swift-nio-http2")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let swiftCSV = Target.Dependency.product(name: "SwiftCSV", package: "SwiftCSV")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")

let package = Package(
  name: "quintet",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Contracts", targets: ["Contracts"]),
    .library(name: "CurlClient", targets: ["CurlClient"]),
    .library(name: "Events", targets: ["Events"]),
    .library(name: "HTTPServing", targets: ["HTTPServing"]),
    .library(name: "Observability", targets: ["Observability"]),
    .library(name: "Persistence", targets: ["Persistence"]),
    .library(name: "PlatformRules", targets: ["PlatformRules"]),
    .library(name: "ServiceKit", targets: ["ServiceKit"]),
    .library(name: "StudyClient", targets: ["StudyClient"]),
    .library(name: "StudySyncService", targets: ["StudySyncService"]),
    .library(name: "SyncMerge", targets: ["SyncMerge"]),
    .library(name: "Threads", targets: ["Threads"]),
    .library(name: "AuthService", targets: ["AuthService"]),
    .library(name: "CatalogService", targets: ["CatalogService"]),
    .library(name: "GatewayService", targets: ["GatewayService"]),
    .library(name: "MatchingService", targets: ["MatchingService"]),
    .library(name: "MediaIndexService", targets: ["MediaIndexService"]),
    .library(name: "OrdersService", targets: ["OrdersService"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-asn1", exact: "1.7.4"),
    .package(url: "https://github.com/apple/swift-certificates", exact: "1.21.1"),
    .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0", traits: ["CommandLineArguments"]),
    .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-http2", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-extras", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/swiftcsv/SwiftCSV", exact: "0.10.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2"),
    .package(url: "https://github.com/vapor/jwt-kit", exact: "5.7.1"),
  ],
  targets: [
    // MARK: - Shared, from the bottom up
    .systemLibrary(name: "CCurl", path: "Shared/CCurl", pkgConfig: "libcurl"),
    .systemLibrary(name: "CPostgres", path: "Shared/CPostgres", pkgConfig: "libpq"),
    .systemLibrary(name: "CArgon2", path: "Shared/CArgon2", pkgConfig: "libargon2"),
    .systemLibrary(name: "CHiredis", path: "Shared/CHiredis"),
    .systemLibrary(name: "CNATS", path: "Shared/CNATS", pkgConfig: "libnats"),
    .systemLibrary(name: "CSQLite", path: "Shared/CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CZip", path: "Shared/CZip", pkgConfig: "libzip"),
    .systemLibrary(name: "CZlib", path: "Shared/CZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CZstd", path: "Shared/CZstd", pkgConfig: "libzstd"),
    shared("Timing"),
    shared("Threads", [lifecycle]),
    shared("SyncMerge"),
    shared("StudyModel"),
    shared("Contracts", ["SyncMerge"]),
    shared("CurlClient", ["CCurl", "Timing", nioCore, httpTypes, logging]),
    shared("NATSClient", ["CNATS", "Threads", "Timing"]),
    shared(
      "Persistence", ["Contracts", "CPostgres", "CSQLite", "Threads", "Timing", grdb, grdbSQLite, crypto, logging]),
    shared("Observability", ["Contracts", "CurlClient", httpTypes, logging]),
    shared(
      "HTTPServing",
      [
        "Contracts", "Observability", "Persistence", "Threads", "Timing", crypto, httpTypes, hummingbirdCore, lifecycle,
        logging, nioCore, nioHPACK, nioHTTP1, nioHTTP2, nioHTTPTypes, nioPosix, nioSSL, nioTLS, system,
      ]
    ),
    shared(
      "Events",
      ["Contracts", "NATSClient", "Observability", "Persistence", "Threads", "Timing", lifecycle, logging]
    ),
    shared(
      "ServiceKit",
      [
        "Contracts", "CurlClient", "Events", "HTTPServing", "NATSClient", "Observability", "Persistence", "Threads",
        "Timing", argumentParser, configuration, crypto, httpTypes, hummingbird, hummingbirdCore, jwtKit, lifecycle,
        logging, nioCore, nioPosix, nioSSL, system, unixSignals,
      ]
    ),
    shared("PlatformRules", ["Contracts", "Persistence", "ServiceKit", logging]),
    shared("RedisClient", ["CHiredis", crypto, nioCore, nioPosix, nioSSL]),
    shared("BlobStorage", ["CurlClient", "Threads", "Timing", crypto, httpTypes, logging, nioCore, system]),
    .target(name: "CToolSandbox", path: "Shared/CToolSandbox"),
    shared("MediaFiles", ["CToolSandbox", "Threads", logging, subprocess, system]),
    shared("StudyFiles", ["CSQLite", "CZip", "CZstd"]),
    shared("StudyClient", ["Contracts", "StudyModel", "SyncMerge", "Timing", grdb, grdbSQLite]),
    shared(
      "TestKit",
      ["HTTPServing", "Contracts", "CurlClient", "Persistence", "ServiceKit", crypto, logging, httpTypes, nioCore]
    ),
  ]
    // MARK: - Services
    + [
      .target(
        name: "WebClient",
        dependencies: ["Contracts", "CZlib", crypto, httpTypes, nioCore],
        path: "Services/Web",
        sources: ["Plugin"],
        resources: [.copy("Client")],
        swiftSettings: settings
      )
    ]
    + service(
      "Auth",
      executable: "auth",
      [
        "Events", "HTTPServing", "Observability", "PlatformRules", "Threads", "CArgon2", "CurlClient", "Persistence",
        argumentParser, crypto, httpTypes, jwtKit, lifecycle, logging, swiftCSV,
      ],
      resources: [.embedInCode("Resources/common-passwords.txt")]
    )
    + service(
      "Gateway",
      executable: "gateway",
      [
        "Events", "HTTPServing", "Observability", "PlatformRules", "CurlClient", "CZlib", "Persistence", "RedisClient",
        "Timing", "WebClient", crypto, httpTypes, hummingbirdCore, lifecycle,
        logging, nioCore, nioHTTP1, nioPosix,
      ]
    )
    + service(
      "Catalog",
      executable: "catalog",
      ["PlatformRules", "Persistence", "StudyModel", crypto, httpTypes, lifecycle, logging, swiftCSV],
      resources: [
        .embedInCode("Resources/exercises.json"), .embedInCode("Resources/words-de.json"),
        .embedInCode("Resources/words-en.json"),
      ]
    )
    + service(
      "Orders",
      executable: "orders",
      [
        "HTTPServing", "Observability", "PlatformRules", "CurlClient", "Persistence", argumentParser, asn1, crypto,
        httpTypes, lifecycle, logging, x509,
      ]
    )
    + service(
      "Matching", executable: "matching",
      ["Observability", "PlatformRules", "Threads", "Persistence", crypto, httpTypes, lifecycle, logging])
    + service(
      "MediaIndex",
      executable: "media-index",
      [
        "HTTPServing", "Observability", "PlatformRules", "Threads", "BlobStorage", "CurlClient", "MediaFiles",
        "Persistence", "RedisClient", "Timing", crypto, httpTypes, lifecycle,
        logging, system,
      ]
    )
    + service(
      "StudySync",
      executable: "study-sync",
      [
        "HTTPServing", "PlatformRules", "Threads", "Persistence", "StudyFiles", "StudyModel", "SyncMerge", crypto,
        httpTypes, lifecycle, logging,
      ]
    )
    + [
      .executableTarget(
        name: "quintet",
        dependencies: [
          "AuthService", "BlobStorage", "CatalogService", "Contracts", "CurlClient", "GatewayService",
          "MatchingService",
          "MediaIndexService", "OrdersService", "Persistence", "ServiceKit", "StudySyncService", argumentParser,
        ],
        path: "Services/Quintet/Main",
        swiftSettings: settings
      ),
      .executableTarget(
        name: "quintet-demo",
        dependencies: [
          "CZlib", "Contracts", "CurlClient", "MediaFiles", "ServiceKit", "SyncMerge", argumentParser, crypto,
          httpTypes,
        ],
        path: "Services/Demo",
        swiftSettings: settings
      ),

      // MARK: - Tests
      .executableTarget(
        name: "Benchmarks",
        dependencies: [
          "AuthService", "CatalogService", "Contracts", "CurlClient", "GatewayService", "MatchingService",
          "MediaIndexService", "OrdersService", "Persistence", "RedisClient", "ServiceKit", "StudyClient",
          "StudyModel", "StudySyncService", "SyncMerge",
          asyncHTTPClient, httpTypes, hummingbirdCore, lifecycle, logging,
          nioCore, nioHTTP1, nioPosix,
        ],
        path: "Tests/Benchmarks",
        exclude: [
          "chat.py", "checkout.lua", "crowd.py", "events.py", "flood.py", "peers", "ranges.py", "run.py",
          "screen.py", "study.py",
        ],
        swiftSettings: settings
      ),
      .executableTarget(
        name: "CrashWriter",
        dependencies: ["Persistence"],
        path: "Tests/Fixtures/CrashWriter",
        swiftSettings: settings
      ),
      tests("ContractsTests", ["Contracts", "TestKit"]),
      tests("CurlClientTests", ["CurlClient", "TestKit", httpTypes, nioCore]),
      tests("NATSClientTests", ["NATSClient", "TestKit"]),
      tests("PersistenceTests", ["Threads", "Contracts", "Persistence", "TestKit", "CrashWriter", logging]),
      tests(
        "ServiceKitTests",
        [
          "Events", "HTTPServing", "Observability", "Contracts", "CurlClient", "NATSClient", "Persistence",
          "ServiceKit", "TestKit", crypto, httpTypes,
          hummingbirdCore, lifecycle, logging, nioCore, nioEmbedded, nioHTTP1, nioHTTPTypes, nioPosix,
        ],
        exclude: ["Downloads/multipart_ranges.py"]
      ),
      tests(
        "AuthTests",
        [
          "HTTPServing", "Observability", "AuthService", "Contracts", "CurlClient", "GatewayService", "Persistence",
          "ServiceKit", "TestKit", "auth",
          "gateway", "quintet", jwtKit, crypto, cryptoExtras, httpTypes, nioCore,
        ],
        exclude: ["Resources", "apns.py", "authenticator.py", "browser_passkeys.py", "smtp.py"]
      ),
      tests(
        "CatalogTests",
        [
          "AuthService", "CatalogService", "Contracts", "CurlClient", "GatewayService", "MatchingService",
          "Persistence", "ServiceKit", "TestKit", "auth", "catalog", "gateway", "orders", httpTypes,
        ]
      ),
      tests(
        "OrdersTests",
        [
          "Observability", "AuthService", "CatalogService", "Contracts", "CurlClient", "GatewayService",
          "OrdersService", "Persistence",
          "ServiceKit", "TestKit", "auth", "catalog", "gateway", "orders", "quintet", asn1, crypto, httpTypes, x509,
        ]
      ),
      tests(
        "MatchingTests",
        [
          "Observability", "AuthService", "CatalogService", "Contracts", "CurlClient", "GatewayService",
          "MatchingService",
          "MediaIndexService", "OrdersService", "Persistence", "ServiceKit", "TestKit", "auth", "catalog", "gateway",
          "matching", "orders", httpTypes, logging,
        ],
        exclude: ["stable_roommates.py"]
      ),
      tests(
        "BlobStorageTests", ["BlobStorage", "CurlClient", "TestKit", crypto, httpTypes, logging, nioCore, system],
        exclude: ["s3_peer.py", "s3_signatures.py"]
      ),
      tests(
        "MediaFilesTests", ["MediaFiles", "TestKit", logging, system], exclude: ["media_files.py", "thumb_hashes.py"]),
      tests(
        "MediaIndexTests",
        [
          "Observability", "AuthService", "BlobStorage", "CatalogService", "Contracts", "CurlClient", "GatewayService",
          "MatchingService", "MediaFiles", "MediaIndexService", "OrdersService", "Persistence", "ServiceKit",
          "StudySyncService", "TestKit", "auth", "gateway", "media-index", "quintet", crypto, httpTypes, logging,
          nioCore, system,
        ],
        exclude: ["browser.py", "link_page.py", "uploads.py", "zoom.py", "zoom_client.py"]
      ),
      tests("SyncMergeTests", ["SyncMerge", "TestKit"]),
      tests("StudyModelTests", ["StudyModel", "TestKit"], exclude: ["schedules.py"]),
      tests("StudyFilesTests", ["StudyFiles", "TestKit"], exclude: ["anki_packages.py"]),
      tests(
        "StudyClientTests",
        [
          "AuthService", "Contracts", "CurlClient", "GatewayService", "Persistence", "ServiceKit", "StudyClient",
          "StudyModel", "StudySyncService", "SyncMerge", "TestKit", "auth", "gateway", "study-sync", httpTypes,
        ]
      ),
      tests(
        "StudySyncTests",
        [
          "HTTPServing", "AuthService", "CatalogService", "Contracts", "CurlClient", "GatewayService",
          "MatchingService",
          "MediaIndexService", "Persistence", "ServiceKit", "StudyFiles", "StudyModel", "StudySyncService", "SyncMerge",
          "TestKit", "auth", "gateway", "matching", "study-sync", httpTypes, logging,
        ]
      ),
      tests(
        "GatewayTests",
        [
          "HTTPServing", "Observability", "AuthService", "Contracts", "CurlClient", "GatewayService", "Persistence",
          "RedisClient", "ServiceKit",
          "TestKit", "WebClient", "auth", "gateway", "quintet", crypto, httpTypes, logging, nioCore, nioEmbedded,
          nioHTTPTypes,
        ]
      ),
      tests(
        "ContractTests",
        [
          "Observability", "AuthService", "BlobStorage", "CatalogService", "Contracts", "CurlClient", "GatewayService",
          "MatchingService",
          "MediaIndexService", "OrdersService", "Persistence", "ServiceKit", "StudySyncService", "TestKit", "auth",
          "catalog", "gateway", "matching", "media-index", "orders", "study-sync",
        ],
        exclude: ["Goldens", "generate.py", "verify.py"]
      ),
      tests(
        "AuthorizationTests",
        [
          "AuthService", "CatalogService", "Contracts", "CurlClient", "GatewayService", "MatchingService",
          "MediaIndexService", "OrdersService", "Persistence", "ServiceKit", "StudySyncService", "SyncMerge", "TestKit",
        ]
      ),
      tests(
        "EndToEndTests",
        [
          "AuthService", "Contracts", "CurlClient", "GatewayService", "OrdersService", "Persistence", "ServiceKit",
          "SyncMerge", "TestKit", "auth", "catalog", "gateway", "matching", "media-index", "orders", "quintet",
          "quintet-demo", "study-sync", httpTypes, logging,
        ],
        exclude: ["tour.py"]
      ),
    ]
)
