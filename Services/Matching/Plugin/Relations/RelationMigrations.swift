import Persistence
import ServiceKit

enum RelationMigrations {
  static let all: [Migration] = []
  static let sealedColumns: [SealedColumn] = []
}
