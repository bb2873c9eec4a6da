import Persistence
import ServiceKit

enum RoommateMigrations {
  static let all: [Migration] = []
  static let sealedColumns: [SealedColumn] = []
}
