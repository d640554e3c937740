package import LatchkeyEnclaveContract
package import LatchkeyEnclaveCore
package import LatchkeyThreading
import Synchronization

/// The fingerprint reader of this machine, for the fingers of one of its users, through root's fprintd.
///
/// Each operation has its own connection to the bus: a connection belongs to one thread, and when it ends for any
/// reason, fprintd releases the reader.
package final class FprintSensor: BiometricSensor {
    private struct Memory {
        /// The last survey that found no reader. It is reused for a moment, because each search for a reader may start
        /// a service.
        var absence = SensorSurvey.noSensor
        var absentUntil = 0.0
        /// The end of a match whose reader is still being released.
        var release: Cancellation?
        /// The number of enrolments and removals by this sensor so far.
        var changes: UInt64 = 0
    }

    private let place: BusPlace
    private let user: String
    private let templates: TemplateSource?
    private let memory = Mutex(Memory())

    private static let absenceSeconds = 1.0
    private static let surveysPerSecond = 4.0
    private static let releaseSeconds = 1.0
    /// The limit of operations that need no touch.
    private static let removalSeconds = 10.0

    /// - Parameters:
    ///   - user: the user whose fingers are accepted; empty for the user of this process.
    ///   - templates: the source of the enrolment's digest, besides the names of the fingers.
    package init(user: String, templates: TemplateSource? = nil, place: BusPlace = BusPlace()) {
        self.user = user
        self.templates = templates
        self.place = place
    }

    /// A survey takes some messages and reads files, which is too slow for every read of an item. Changes by another
    /// program are noticed within a quarter of a second, those of this sensor at once.
    package var surveyGeneration: UInt64? {
        UInt64(BusWait.now * Self.surveysPerSecond) << 20 | memory.withLock { $0.changes } & 0xFFFFF
    }

    package func survey() -> SensorSurvey {
        if let absence = memory.withLock({ BusWait.now < $0.absentUntil ? $0.absence : nil }) { return absence }
        do throws(BusFailure) {
            let wait = BusWait(nil, seconds: FprintReader.callSeconds)
            let reader = try FprintReader(place, until: nil)
            let name = try reader.name(wait)
            do throws(BusFailure) {
                return survey(name: name, fingers: try reader.fingers(of: user, wait))
            } catch {
                return SensorSurvey(name: name, obstacle: error.obstacle ?? .failed)
            }
        } catch {
            let obstacle = error.obstacle ?? .failed
            let absence = SensorSurvey(name: "", obstacle: obstacle)
            if obstacle != .disconnected {
                memory.withLock { memory in
                    memory.absence = absence
                    memory.absentUntil = BusWait.now + Self.absenceSeconds
                }
            }
            return absence
        }
    }

    package func match(until cancellation: Cancellation) -> SensorEvent {
        awaitRelease(cancellation)
        let wait = BusWait(cancellation)
        var reader: FprintReader?
        do throws(BusFailure) {
            let found = try FprintReader(place, until: cancellation)
            reader = found
            try found.claim(for: user, within: wait)
            do throws(BusFailure) {
                try found.startVerifying(wait)
                return try outcome(found, wait)
            } catch {
                release(found)
                throw error
            }
        } catch {
            return error.obstacle(hadReader: reader != nil).map(SensorEvent.unavailable) ?? .ended
        }
    }

    package func enrol(
        _ finger: Finger, until cancellation: Cancellation, report: (EnrolmentEvent) -> Void
    ) -> EnrolmentEvent {
        defer { memory.withLock { $0.changes += 1 } }
        awaitRelease(cancellation)
        let wait = BusWait(cancellation)
        var reader: FprintReader?
        do throws(BusFailure) {
            let found = try FprintReader(place, until: cancellation)
            reader = found
            try found.claim(for: user, asksPerson: true, within: wait)
            defer { try? found.release(tidyingWait) }
            let total = try found.stages(BusWait(cancellation, seconds: FprintReader.callSeconds))
            try found.startEnrolling(finger, wait)
            defer { try? found.stopEnrolling(tidyingWait) }
            return try course(found, stages: total, wait, report)
        } catch {
            return error.obstacle(hadReader: reader != nil).map(EnrolmentEvent.failed) ?? .ended
        }
    }

    package func remove(_ finger: Finger?) -> SensorObstacle? {
        defer { memory.withLock { $0.changes += 1 } }
        let patience = Cancellation(seconds: Self.removalSeconds)
        awaitRelease(patience)
        let wait = BusWait(patience)
        do throws(BusFailure) {
            let reader = try FprintReader(place, until: patience)
            try reader.claim(for: user, asksPerson: true, within: wait)
            defer { try? reader.release(tidyingWait) }
            try reader.delete(finger, wait)
            return nil
        } catch {
            if error.hasNoPrints { return nil }
            return error.obstacle ?? .failed
        }
    }

    private var tidyingWait: BusWait { BusWait(nil, seconds: Self.releaseSeconds) }

    private func survey(name: String, fingers: [Finger]) -> SensorSurvey {
        var survey = SensorSurvey(name: name, fingers: fingers.sorted { $0.rawValue < $1.rawValue })
        guard let templates else {
            survey.digest = EnrolmentDigest.digest(of: survey.fingers, templates: nil)
            return survey
        }
        survey.seesTemplates = true
        if fingers.isEmpty { return survey }
        // An incomplete digest would look like another enrolment, and items bound to the current one would be lost
        // permanently.
        guard let found = templates.digest() else { return SensorSurvey(name: name, obstacle: .failed) }
        survey.digest = EnrolmentDigest.digest(of: survey.fingers, templates: found)
        return survey
    }

    /// Waits until the service has reported the result of the touch.
    private func outcome(_ reader: FprintReader, _ wait: BusWait) throws(BusFailure) -> SensorEvent {
        var selected: Finger?
        while true {
            switch try reader.nextReport(wait) {
            case .finger(let name): selected = Finger(rawValue: name)
            case .enrolment: continue
            case .verification(let word, _):
                switch VerificationWord(word) {
                case .event(let event):
                    release(reader)
                    return event == .matched(nil) ? .matched(selected) : event
                case .broken:
                    try? reader.stopVerifying(tidyingWait)
                    try? reader.release(tidyingWait)
                    return .unavailable(reader.isGone(wait.cancellation) ? .disconnected : .failed)
                }
            }
        }
    }

    private func course(
        _ reader: FprintReader, stages: Int, _ wait: BusWait, _ report: (EnrolmentEvent) -> Void
    ) throws(BusFailure) -> EnrolmentEvent {
        var done = 0
        while true {
            guard case .enrolment(let word, let isDone) = try reader.nextReport(wait) else { continue }
            switch EnrolmentWord(word) {
            case .stagePassed:
                done += 1
                report(.stage(done: done, total: stages))
            case .unclear(let touch): report(.unclear(touch))
            case .last(let event):
                guard isDone else { continue }
                return event
            case .broken:
                try? reader.stopEnrolling(tidyingWait)
                try? reader.release(tidyingWait)
                return .failed(reader.isGone(wait.cancellation) ? .disconnected : .failed)
            }
        }
    }

    /// Releases the reader on another thread, so that the caller of a match does not wait for it.
    private func release(_ reader: FprintReader) {
        let finished = Cancellation()
        memory.withLock { $0.release = finished }
        // Safe: from here on only the new thread uses the reader, or this thread if none could be started.
        nonisolated(unsafe) let reader = reader
        let tidy: @Sendable () -> Void = {
            let wait = BusWait(nil, seconds: Self.releaseSeconds)
            try? unsafe reader.stopVerifying(wait)
            try? unsafe reader.release(wait)
            finished.cancel()
        }
        if !DetachedThread.start(tidy) { tidy() }
    }

    /// Waits for the reader of the previous match, which this sensor may still hold for a moment.
    private func awaitRelease(_ cancellation: Cancellation) {
        guard let running = memory.withLock({ $0.release }) else { return }
        let wait = BusWait(cancellation, seconds: Self.releaseSeconds)
        while !running.isCancelled, wait.end == nil { wait.poll(running.descriptor, 1) }
    }
}
