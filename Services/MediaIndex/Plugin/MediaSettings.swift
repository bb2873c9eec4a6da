import Contracts
import ServiceKit

enum MediaSettings {
  static let all: [any SettingDescription] = PictureSettings.all + ProcessingSettings.all + ScanSettings.all
}
