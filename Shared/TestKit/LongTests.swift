import Foundation
public import Testing

extension Trait where Self == ConditionTrait {
  /// A test that takes long: `scripts/test --all` runs it, and `scripts/test --filter` with its name.
  public static var long: Self {
    .enabled(if: ProcessInfo.processInfo.environment["QUINTET_LONG"] != nil, "takes long; run by scripts/test --all")
  }
}
