import Contracts
import Foundation
import MediaFiles
import ServiceKit

/// KeepFit: short videos of exercises, and live workouts that are about to begin. ffmpeg joins picture and sound; without
/// it there are no videos.
struct DemoVideos: DemoPart {
  let world: DemoWorld
  private let trainers: [DemoPerson]
  private let videos = VideoMaker()

  init(_ world: DemoWorld) {
    self.world = world
    trainers = Array(world.people(of: .keepfit).prefix(WorkoutFigure.Exercise.allCases.count))
  }

  func fill() async throws {
    try await world.each("live workouts", Array(trainers.enumerated())) { number, trainer in
      try await world.once("livestream.\(number)") { key in
        let exercise = WorkoutFigure.Exercise.allCases[number]
        let start = world.begun.advanced(bySeconds: 3600 * Double(2 + number * 20))
        // A run that is continued later is too late for some.
        guard start > TimeSource.system.now() else { return }
        let live = MediaAPI.CreateLivestream(
          title: try ShortText(validating: "\(exercise.rawValue) with \(trainer.firstName)"),
          workoutType: try WorkoutTypeID(validating: exercise.workoutType),
          startsAt: start, minutes: LivestreamMinutes(checked: 30),
          joinURL: WebLink(checked: "https://example.com/live"))
        try await trainer.account.attempt(live, key: key)
      }
    }
    guard videos.isThere else {
      return world.progress.say("Without ffmpeg there are no workout videos.")
    }
    try await world.each("videos", Array(trainers.enumerated()), atOnce: 1) { number, trainer in
      do {
        try await world.once("video.\(number).shown") { _ in try await publish(number, by: trainer) }
      } catch let error as MediaFileError {
        // The world is complete enough without it; the next run tries again.
        world.progress.say("A video could not be made: \(error)")
      }
    }
  }

  private func publish(_ number: Int, by trainer: DemoPerson) async throws {
    let exercise = WorkoutFigure.Exercise.allCases[number]
    let video = try await world.uploads.ready("video.\(number)", as: trainer.account, title: exercise.rawValue) {
      let figure = WorkoutFigure(exercise, seed: world.seed, number: number)
      return try await videos.join(figure, BeatSynthesizer.play(Beat(2 + number, seed: world.seed), seed: world.seed))
    }
    try await trainer.account.send(
      MediaAPI.UpdateMedia(
        id: video, description: .set(LongText(checked: "Follow along for as long as it feels good. No equipment.")),
        tags: [Tag(checked: "home"), Tag(checked: "warm-up")],
        workoutType: .set(try WorkoutTypeID(validating: exercise.workoutType)), visibility: .everyone))
  }
}

/// Joins the frames of a figure and music into an MP4 file.
struct VideoMaker: Sendable {
  private let tools = ToolRunner()

  /// Whether ffmpeg is installed.
  var isThere: Bool { !tools.missing.contains(.ffmpeg) }

  func join(_ figure: WorkoutFigure, _ music: [UInt8]) async throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("quintet-demo-\(UUID().uuidString)")
    try PrivateFiles.makeFolder(folder.path)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(figure.pixels()).write(to: folder.appendingPathComponent("frames.rgb"))
    try Data(music).write(to: folder.appendingPathComponent("music.wav"))
    let size = "\(WorkoutFigure.side)x\(WorkoutFigure.side)"
    // The motion five times.
    try await tools.run(
      .ffmpeg,
      [
        "-v", "error", "-stream_loop", "4", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size,
        "-r", "\(WorkoutFigure.framesPerSecond)", "-i", "./frames.rgb", "-i", "./music.wav", "-shortest",
        "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-movflags", "+faststart",
        "./video.mp4",
      ], in: folder.path)
    return Array(try Data(contentsOf: folder.appendingPathComponent("video.mp4")))
  }
}
