/// The containers and decoders that ffmpeg may open. The other containers include playlists that name further files,
/// and the other decoders are rarely used and rarely tested.
enum SupportedMedia {
  private static let containers = [
    "aac", "aiff", "amr", "avi", "caf", "flac", "flv", "matroska", "mov", "mp3", "mpeg", "mpegts", "ogg", "w64", "wav",
  ]

  static let videoCodecs: Set<String> = [
    "av1", "flv1", "h263", "h264", "hevc", "mjpeg", "mpeg1video", "mpeg2video", "mpeg4", "msmpeg4v3", "prores",
    "theora", "vp8", "vp9",
  ]

  static let audioCodecs: Set<String> = [
    "aac", "ac3", "adpcm_ima_wav", "adpcm_ms", "alac", "amr_nb", "amr_wb", "eac3", "flac", "mp2", "mp3", "opus",
    "pcm_alaw", "pcm_f32be", "pcm_f32le", "pcm_f64le", "pcm_mulaw", "pcm_s16be", "pcm_s16le", "pcm_s24be",
    "pcm_s24le", "pcm_s32be", "pcm_s32le", "pcm_s8", "pcm_u8", "vorbis",
  ]

  /// Decoders that are not named as their codec.
  private static let decoders = [
    "amrnb", "amrwb", "flv", "libaom-av1", "libdav1d", "libopencore_amrnb", "libopencore_amrwb", "libopus",
    "libvorbis", "libvpx", "libvpx-vp9", "mp2float", "mp3float", "msmpeg4",
  ]

  /// Options before the file of ffprobe: only files, only these containers. It may open all codecs, because it fails
  /// when a stream has another one: covers, subtitles and further streams are ignored afterwards.
  static let probeOptions = [
    "-protocol_whitelist", "file,pipe", "-format_whitelist", containers.joined(separator: ","),
  ]

  /// Options before `-i` of ffmpeg, which opens only these codecs, too.
  static let inputOptions =
    probeOptions + [
      "-codec_whitelist", (videoCodecs.sorted() + audioCodecs.sorted() + decoders).joined(separator: ","),
    ]
}
