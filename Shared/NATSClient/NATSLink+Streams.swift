import CNATS

/// Setting up streams and consumers. What exists is changed only where it differs, so that what an operator has added to
/// it, such as its placement, remains.
extension NATSLink {
  func ensure(_ stream: StreamConfiguration) throws(NATSError) -> StreamState {
    try withContext { context throws(NATSError) in
      do throws(NATSError) {
        return try change(stream, context)
      } catch  where error.kind == .notFound {}
      do throws(NATSError) {
        return try add(stream, context)
      } catch  where error.kind == .refusedByStream(code: Int(JSStreamNameExistErr.rawValue)) {
        // Another process was faster.
        return try change(stream, context)
      }
    }
  }

  private func add(_ stream: StreamConfiguration, _ context: OpaquePointer) throws(NATSError) -> StreamState {
    var configuration = jsStreamConfig()
    try NATSError.check(jsStreamConfig_Init(&configuration))
    let texts = CTexts()
    configuration.Name = texts.text(stream.name)
    stream.write(to: &configuration, texts)
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    let status = withExtendedLifetime(texts) { js_AddStream(&info, context, &configuration, nil, &code) }
    try NATSError.check(status, code)
    return try StreamState(taking: info)
  }

  private func change(_ stream: StreamConfiguration, _ context: OpaquePointer) throws(NATSError) -> StreamState {
    let found = try info(of: stream.name, context)
    defer { jsStreamInfo_Destroy(found) }
    guard let old = found.pointee.Config, stream.differs(from: old.pointee) else {
      return StreamState(found.pointee.State)
    }
    var configuration = old.pointee
    let texts = CTexts()
    stream.write(to: &configuration, texts)
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    let status = withExtendedLifetime(texts) { js_UpdateStream(&info, context, &configuration, nil, &code) }
    try NATSError.check(status, code)
    return try StreamState(taking: info)
  }

  func state(of stream: String) throws(NATSError) -> StreamState {
    try withContext { context throws(NATSError) in try StreamState(taking: info(of: stream, context)) }
  }

  private func info(
    of stream: String, _ context: OpaquePointer
  ) throws(NATSError) -> UnsafeMutablePointer<jsStreamInfo> {
    var info: UnsafeMutablePointer<jsStreamInfo>?
    var code = jsErrCode(0)
    try NATSError.check(js_GetStreamInfo(&info, context, stream, nil, &code), code)
    guard let info else { throw NATSError(.other, "the library has returned no information") }
    return info
  }

  func ensure(_ consumer: ConsumerConfiguration, of stream: String) throws(NATSError) {
    try withContext { context throws(NATSError) in
      if try exists(consumer, of: stream, context) { return }
      var configuration = jsConsumerConfig()
      try NATSError.check(jsConsumerConfig_Init(&configuration))
      let texts = CTexts()
      configuration.Durable = texts.text(consumer.name)
      configuration.FilterSubject = texts.text(consumer.filter)
      configuration.DeliverPolicy = js_DeliverAll
      configuration.AckPolicy = js_AckExplicit
      configuration.AckWait = nanoseconds(consumer.acknowledgeSeconds)
      configuration.MaxAckPending = Int64(consumer.maxUnsettled)
      configuration.MaxDeliver = -1
      var code = jsErrCode(0)
      // Adding one that exists otherwise changes it.
      let status = withExtendedLifetime(texts) { js_AddConsumer(nil, context, stream, &configuration, nil, &code) }
      try NATSError.check(status, code)
    }
  }

  /// Whether a consumer exists as it is wanted, which only reads: it is asked for often.
  private func exists(
    _ consumer: ConsumerConfiguration, of stream: String, _ context: OpaquePointer
  ) throws(NATSError) -> Bool {
    var info: UnsafeMutablePointer<jsConsumerInfo>?
    var code = jsErrCode(0)
    do throws(NATSError) {
      try NATSError.check(js_GetConsumerInfo(&info, context, stream, consumer.name, nil, &code), code)
    } catch  where error.kind == .notFound {
      return false
    }
    defer { jsConsumerInfo_Destroy(info) }
    guard let old = info?.pointee.Config?.pointee else { return false }
    return old.FilterSubject.map { String(cString: $0) } == consumer.filter
      && old.AckWait == nanoseconds(consumer.acknowledgeSeconds) && old.MaxAckPending == Int64(consumer.maxUnsettled)
  }
}

extension StreamConfiguration {
  fileprivate func write(to configuration: inout jsStreamConfig, _ texts: CTexts) {
    configuration.Subjects = texts.list(subjects)
    configuration.SubjectsLen = Int32(clamping: subjects.count)
    configuration.MaxAge = nanoseconds(maxAgeSeconds)
    configuration.MaxBytes = maxBytes ?? -1
    configuration.Replicas = Int64(replicas)
    configuration.Duplicates = nanoseconds(duplicateSeconds)
  }

  fileprivate func differs(from old: jsStreamConfig) -> Bool {
    let subjects = UnsafeBufferPointer(start: old.Subjects, count: Int(old.SubjectsLen))
      .compactMap { $0.map { String(cString: $0) } }
    return subjects != self.subjects || old.MaxAge != nanoseconds(maxAgeSeconds) || old.MaxBytes != maxBytes ?? -1
      || old.Replicas != Int64(replicas) || old.Duplicates != nanoseconds(duplicateSeconds)
  }
}

extension StreamState {
  fileprivate init(_ state: jsStreamState) {
    self.init(messages: state.Msgs, firstSequence: state.FirstSeq, lastSequence: state.LastSeq)
  }

  /// Frees what the library has returned.
  fileprivate init(taking info: UnsafeMutablePointer<jsStreamInfo>?) throws(NATSError) {
    guard let info else { throw NATSError(.other, "the library has returned no information") }
    self.init(info.pointee.State)
    jsStreamInfo_Destroy(info)
  }
}

private func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1_000_000_000) }
