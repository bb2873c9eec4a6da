import Contracts
import Persistence
import PlatformRules
import ServiceKit

extension ProductID {
  var topic: Topic { Topic("product", rawValue) }
}

/// The pictures of products, which everyone may load.
enum ProductMedia {
  static func wanted(_ images: [MediaID]?, besides known: [MediaID] = []) -> [MediaUses.Wanted] {
    MediaUses.Wanted.items(images, besides: known, [.image], at: "body.images")
  }

  static func report(_ product: StoredProduct, in tx: Transaction) throws {
    try MediaUses.report(
      product.images.map { MediaUse($0, .public) }, of: product.id.topic, sequence: Int64(product.version), in: tx)
  }

  static func reportDeleted(_ product: StoredProduct, in tx: Transaction) throws {
    try MediaUses.report([], of: product.id.topic, sequence: Int64(product.version) + 1, in: tx)
  }
}
