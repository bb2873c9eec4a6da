/// The rights of a license's holder in a beat or an open verse.
public enum LicenseKind: String, WireEnum {
  /// Non-exclusive use within limits.
  case lease
  /// Non-exclusive use without limits.
  case unlimited
  /// Exclusive use from the time of sale; earlier licenses remain valid.
  case exclusive
  /// Free use for non-commercial purposes.
  case free
}

/// A file that is included in a license.
public enum LicensedFile: String, WireEnum {
  case taggedMP3, mp3, wav, stems
}

/// The terms under which a listing's owner sells a license of one kind.
public struct LicenseOption: Codable, Sendable, Equatable {
  public var kind: LicenseKind
  public var price: Price
  public var files: [LicensedFile]
  /// The holder's limits on streams, copies and music videos; an absent limit means unlimited.
  public var streams: Int?
  public var copies: Int?
  public var musicVideos: Int?
  /// The duration of the license in days; absent means perpetual.
  public var days: Int?
  /// The territory of the license, such as `worldwide`.
  public var territory: ShortText
  /// The owner's share of the royalties, in basis points: 5000 is half.
  public var ownerShare: BasisPoints
  public init(
    kind: LicenseKind, price: Price, files: [LicensedFile], streams: Int? = nil, copies: Int? = nil,
    musicVideos: Int? = nil, days: Int? = nil, territory: ShortText = ShortText(checked: "worldwide"),
    ownerShare: BasisPoints = BasisPoints(checked: 5000)
  ) {
    (self.kind, self.price, self.files, self.streams, self.copies) = (kind, price, files, streams, copies)
    (self.musicVideos, self.days, self.territory, self.ownerShare) = (musicVideos, days, territory, ownerShare)
  }
}

/// Hundredths of a percent, 0 to 10,000.
public struct BasisPoints: BoundedInteger {
  public static let range = 0...10_000
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 5000) }
}
