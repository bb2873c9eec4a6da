// swift-tools-version: 6.2
import PackageDescription

// A service of another team: it depends on Quintet's library products only.
let package = Package(
  name: "guestbook",
  platforms: [.macOS(.v15)],
  dependencies: [
    // In a repository of its own: .package(url: "https://…/quintet", from: "1.0.0").
    .package(name: "quintet", path: "../../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .target(
      name: "Guestbook",
      dependencies: [
        .product(name: "Contracts", package: "quintet"), .product(name: "Persistence", package: "quintet"),
        .product(name: "ServiceKit", package: "quintet"),
      ],
      path: "Guestbook"
    ),
    .executableTarget(
      name: "guestbook",
      dependencies: [
        "Guestbook", .product(name: "ServiceKit", package: "quintet"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Service"
    ),
    .executableTarget(
      name: "platform",
      dependencies: [
        "Guestbook", .product(name: "ServiceKit", package: "quintet"),
        .product(name: "GatewayService", package: "quintet"), .product(name: "AuthService", package: "quintet"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Platform"
    ),
  ]
)
