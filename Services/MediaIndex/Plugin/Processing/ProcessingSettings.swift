import MediaFiles
import ServiceKit

enum ProcessingSettings {
  static let conversions = Setting<Int>(
    "media.conversions", default: 1, in: 1...64,
    "The number of pictures, of recordings and of videos that one instance converts at once")

  static let tools = Setting<String>(
    "media.tools", default: "/usr/local/bin:/usr/bin:/bin",
    "The folders, separated by colons, in which ffmpeg, vips and the other programs are looked for")

  static let maxSeconds = Setting<Double>(
    seconds: "media.longest", default: 4 * 3600, in: 1...86_400, "The longest recording or video that is accepted")

  static let stall = Setting<Double>(
    seconds: "media.conversionStall", default: 60, in: 0.1...3600,
    "How long a conversion may stand still before it is ended")

  static let previewTag = Setting<String?>(
    optional: "media.previewTag", expects: "the path of a recording",
    "What is heard again and again in the previews of recordings; two tones by default")

  static let all: [any SettingDescription] = [conversions, tools, maxSeconds, stall, previewTag]
}

extension MediaConverter {
  init(_ settings: Settings, _ tools: ToolRunner) throws {
    let seconds = Int(try settings[ProcessingSettings.maxSeconds])
    self.init(
      tools, limits: MediaLimits(audioSeconds: seconds, videoSeconds: seconds),
      stall: .seconds(try settings[ProcessingSettings.stall]))
  }
}
