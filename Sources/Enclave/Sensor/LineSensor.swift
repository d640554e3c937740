package import LatchkeyEnclaveContract
package import LatchkeyEnclaveCore
package import LatchkeyThreading

/// A reader that a test controls through a Unix socket: one connection for each operation, one word a line.
///
/// `Docs/Formats/sensor.md` lists the words. Closing the connection cancels the operation.
package struct LineSensor: BiometricSensor {
    private let path: String

    private static let answerSeconds = 5.0

    /// - Parameter testOnlyPath: the socket on which the test listens.
    package init(testOnlyPath path: String) {
        self.path = path
    }

    package func survey() -> SensorSurvey {
        do throws(BusFailure) {
            let connection = try ask("survey")
            let line = try connection.line(BusWait(nil, seconds: Self.answerSeconds))
            guard let survey = SensorLine.survey(line) else { return SensorSurvey(name: "", obstacle: .failed) }
            return survey
        } catch {
            return SensorSurvey(name: "", obstacle: Self.obstacle(error) ?? .failed)
        }
    }

    package func match(until cancellation: Cancellation) -> SensorEvent {
        do throws(BusFailure) {
            let connection = try ask("match")
            guard let event = SensorLine.match(try connection.line(BusWait(cancellation))) else { throw .malformed }
            return event
        } catch {
            return Self.obstacle(error).map(SensorEvent.unavailable) ?? .ended
        }
    }

    package func enrol(
        _ finger: Finger, until cancellation: Cancellation, report: (EnrolmentEvent) -> Void
    ) -> EnrolmentEvent {
        do throws(BusFailure) {
            let connection = try ask("enrol \(finger.rawValue)")
            while true {
                guard let event = SensorLine.enrolment(try connection.line(BusWait(cancellation))) else {
                    throw .malformed
                }
                switch event {
                case .stage, .unclear: report(event)
                case .completed, .duplicate, .ended, .failed: return event
                }
            }
        } catch {
            return Self.obstacle(error).map(EnrolmentEvent.failed) ?? .ended
        }
    }

    package func remove(_ finger: Finger?) -> SensorObstacle? {
        do throws(BusFailure) {
            let connection = try ask("remove \(finger?.rawValue ?? "all")")
            let words = try connection.line(BusWait(nil, seconds: Self.answerSeconds)).split(separator: " ")
            if words == ["done"] { return nil }
            guard words.count == 2, words[0] == "failed", let obstacle = SensorLine.obstacle(words[1]) else {
                throw .malformed
            }
            return obstacle
        } catch {
            return Self.obstacle(error) ?? .failed
        }
    }

    /// Returns the obstacle of a failure. Without a program at the socket there is no reader; fprintd is not involved.
    private static func obstacle(_ failure: BusFailure) -> SensorObstacle? {
        failure == .noBus ? SensorObstacle.none : failure.obstacle
    }

    private func ask(_ line: String) throws(BusFailure) -> LineConnection {
        guard let connection = LineConnection(path: path) else { throw .noBus }
        guard connection.send(line) else { throw .lost }
        return connection
    }
}
