/// What a licence allows its holder to do with a beat or an open.
public enum LicenceKind: String, WireEnum {
  /// Use within limits, beside any number of others.
  case lease
  /// Use without limits, beside any number of others.
  case unlimited
  /// Sole use from now on; earlier licences stay valid.
  case exclusive
  /// Use without payment, for what earns nothing.
  case free
}

/// A file that comes with a licence.
public enum LicensedFile: String, WireEnum {
  case taggedMP3, mp3, wav, stems
}

/// The terms under which a listing's owner sells a licence of one kind.
public struct LicenceOption: Codable, Sendable, Equatable {
  public var kind: LicenceKind
  public var price: Price
  public var files: [LicensedFile]
  /// The most the holder may have of each; absent means without limit.
  public var streams: Int?
  public var copies: Int?
  public var musicVideos: Int?
  /// How long the licence lasts, in days; absent means for good.
  public var days: Int?
  /// Where it holds, such as `worldwide`.
  public var territory: ShortText
  /// The owner's share of the royalties, in basis points: 5000 is half.
  public var ownerShare: BasisPoints

  public init(
    kind: LicenceKind,
    price: Price,
    files: [LicensedFile],
    streams: Int? = nil,
    copies: Int? = nil,
    musicVideos: Int? = nil,
    days: Int? = nil,
    territory: ShortText = ShortText(checked: "worldwide"),
    ownerShare: BasisPoints = BasisPoints(checked: 5000)
  ) {
    self.kind = kind
    self.price = price
    self.files = files
    self.streams = streams
    self.copies = copies
    self.musicVideos = musicVideos
    self.days = days
    self.territory = territory
    self.ownerShare = ownerShare
  }
}

/// Hundredths of a percent, 0 to 10,000.
public struct BasisPoints: BoundedInteger {
  public static let range = 0...10_000
  public let value: Int
  public init(checked: Int) { value = checked }
  public static var example: Self { Self(checked: 5000) }
}
