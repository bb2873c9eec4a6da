import Contracts
import ServiceKit

enum MediaSettings {
  static let all: [any SettingDescription] =
    StorageSettings.all + UploadSettings.all + PictureSettings.all + ProcessingSettings.all + ScanSettings.all
    + LivestreamSettings.all
}
