import Contracts
import ServiceKit

enum MediaSettings {
  static let all: [any SettingDescription] = ProcessingSettings.all + ScanSettings.all
}
