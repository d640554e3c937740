internal import LatchkeyThreading

@_implementationOnly import CLatchkeyCurl

/// An answer that comes line by line, for as long as both sides like.
enum CurlStream {
    /// The reason why the reader of a stream is asked.
    enum Event {
        case line([UInt8])
        /// Nothing has come for so long.
        case silence
    }

    enum Ending: Equatable {
        /// The reader has what it wanted.
        case done
        /// The wait was over.
        case over
        /// The server ended the answer.
        case closed(status: Int)
    }

    /// - Parameters:
    ///   - ageSeconds: the time after which the stream is over in any case.
    ///   - silenceSeconds: the time without a line after which the reader is asked, again and again.
    ///   - read: returns false when it has what it wanted.
    static func run(
        _ request: HTTPRequest, on handle: CurlHandle, _ times: HTTPTimes, until end: Cancellation,
        ageSeconds: Double, silenceSeconds: Double, _ read: (Event) -> Bool
    ) throws(HTTPFailure) -> Ending {
        let receiver = CurlHandle.Receiver(limit: request.answerLimit)
        let outcome = unsafe handle.withTransfer(request, times, isStream: true, receiver) { easy in
            unsafe transfer(
                easy, receiver, until: end,
                Patience(
                    first: .seconds(times.stallSeconds), later: .seconds(silenceSeconds), whole: .seconds(ageSeconds)),
                read)
        }
        switch outcome {
        case .nothing: throw handle.hasSent ? .silent("no answer") : .absent("no answer")
        case .reader: return .done
        case .end: return .over
        case .transfer(CURLE_OK): return .closed(status: handle.status)
        case .transfer(let code):
            if receiver.isTooLong { throw .tooLong }
            throw handle.failure(code)
        }
    }

    private struct Patience {
        /// Until the first line.
        let first: Duration
        let later: Duration
        let whole: Duration
    }

    private enum Outcome {
        case reader
        case end
        /// The server said nothing.
        case nothing
        case transfer(CURLcode)
    }

    private static func transfer(
        _ easy: UnsafeMutableRawPointer, _ receiver: CurlHandle.Receiver, until end: Cancellation,
        _ patience: Patience, _ read: (Event) -> Bool
    ) -> Outcome {
        guard let multi = unsafe lk_curl_multi_make() else { return .transfer(CURLE_OUT_OF_MEMORY) }
        defer { unsafe lk_curl_multi_free(multi) }
        guard unsafe lk_curl_multi_add(multi, easy) == CURLM_OK else { return .transfer(CURLE_OUT_OF_MEMORY) }
        defer { unsafe lk_curl_multi_remove(multi, easy) }
        let clock = ContinuousClock()
        let last = clock.now + patience.whole
        var isAnswered = false
        var next = clock.now + patience.first
        while true {
            var running: Int32 = 0
            guard unsafe lk_curl_multi_perform(multi, &running) == CURLM_OK else { return .transfer(CURLE_RECV_ERROR) }
            while let line = receiver.takeLine() {
                isAnswered = true
                next = clock.now + patience.later
                guard read(.line(line)) else { return .reader }
            }
            var code = CURLE_OK
            if unsafe lk_curl_has_ended(multi, &code) != 0 {
                // An error that comes in place of the stream has no line end.
                if let rest = receiver.takeRest(), !read(.line(rest)) { return .reader }
                return .transfer(code)
            }
            guard !end.isOver, clock.now < last else { return .end }
            if clock.now >= next {
                guard isAnswered else { return .nothing }
                next = clock.now + patience.later
                guard read(.silence) else { return .reader }
            }
            let milliseconds = Int32(clamping: Int(((min(next, last) - clock.now) / .milliseconds(1)).rounded(.up)))
            let own = end.pollMilliseconds
            _ = unsafe lk_curl_poll(multi, end.descriptor, own < 0 ? milliseconds : min(own, milliseconds))
        }
    }
}
