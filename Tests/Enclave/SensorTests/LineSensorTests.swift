import Foundation
import Glibc
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyThreading
import Testing

@testable import LatchkeySensor

@Suite("The sensor that a test plays")
struct LineSensorTests {
    /// Serves one connection: takes a line and gives an answer; then, if it should, waits for the other end to close.
    private final class Player {
        let path: String
        private let listener: Int32
        let heard: Background<String>
        let wasClosed: Cancellation

        init(_ answer: String, staysOpen: Bool = false) throws {
            let path = "/tmp/lk-line-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
            self.path = path
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            listener = descriptor
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let outcome = withUnsafePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(outcome == 0 && listen(descriptor, 4) == 0)
            let closed = Cancellation()
            wasClosed = closed
            heard = Background {
                let connection = accept(descriptor, nil, nil)
                defer { close(connection) }
                var line: [UInt8] = []
                var byte: UInt8 = 0
                while read(connection, &byte, 1) == 1, byte != 10 { line.append(byte) }
                let bytes = Array(answer.utf8)
                _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                if staysOpen {
                    while read(connection, &byte, 1) > 0 {}
                    closed.cancel()
                }
                return String(decoding: line, as: UTF8.self)
            }
        }

        deinit {
            close(listener)
            unlink(path)
        }

        var sensor: LineSensor { LineSensor(testOnlyPath: path) }
    }

    @Test(
        "a survey is read as it is written",
        arguments: [
            ("survey scripted - right-index-finger,left-thumb 00ff", nil, [Finger.rightIndex, .leftThumb], [0, 255]),
            ("survey scripted - - -", nil, [], []),
            ("survey scripted busy - -", SensorObstacle.busy, [], []),
            ("survey scripted none - -", SensorObstacle.none, [], []),
        ] as [(String, SensorObstacle?, [Finger], [UInt8])])
    func survey(_ line: String, _ obstacle: SensorObstacle?, _ fingers: [Finger], _ digest: [UInt8]) throws {
        let player = try Player(line + "\n")
        #expect(
            player.sensor.survey()
                == SensorSurvey(
                    name: "scripted", obstacle: obstacle, fingers: fingers, digest: digest, seesTemplates: true))
        #expect(try player.heard.value() == "survey")
    }

    @Test(
        "an invalid survey is a failure",
        arguments: [
            "", "survey\n", "survey a x - -\n", "survey a - thumb -\n", "survey a - - 0\n", "survey a - - xx\n",
            "survey a - - +f\n",
        ])
    func noSurvey(_ answer: String) throws {
        let player = try Player(answer)
        let survey = player.sensor.survey()
        _ = try player.heard.value()
        #expect(survey.obstacle == (answer.isEmpty ? .disconnected : .failed))
        #expect(survey.fingers.isEmpty && survey.digest.isEmpty)
    }

    @Test(
        "an answer to match is an event",
        arguments: [
            ("matched left-thumb", .matched(.leftThumb)), ("matched -", .matched(nil)), ("notMatched", .notMatched),
            ("unclear 2", .unclear(.tooShort)), ("ended", .ended), ("unavailable busy", .unavailable(.busy)),
            ("matched", .unavailable(.failed)), ("matched toe", .unavailable(.failed)),
            ("unclear 9", .unavailable(.failed)),
        ] as [(String, SensorEvent)])
    func match(_ line: String, _ event: SensorEvent) throws {
        let player = try Player(line + "\n")
        #expect(player.sensor.match(until: Cancellation(seconds: 30)) == event)
        #expect(try player.heard.value() == "match")
    }

    @Test("a match that is cancelled closes its connection")
    func cancelled() throws {
        let player = try Player("", staysOpen: true)
        let cancellation = Cancellation(seconds: 30)
        let sensor = player.sensor
        let match = Background { sensor.match(until: cancellation) }
        cancellation.cancel()
        #expect(try match.value() == .ended)
        _ = try player.heard.value()
        #expect(player.wasClosed.isCancelled)
        let silent = try Player("", staysOpen: true)
        #expect(silent.sensor.match(until: Cancellation(seconds: 0.05)) == .ended)
        _ = try silent.heard.value()
    }

    @Test("an enrolment reports every line but the last, which it returns")
    func enrolment() throws {
        let player = try Player("stage 1 2\nunclear 1\nstage 2 2\ncompleted\n")
        var events: [EnrolmentEvent] = []
        let last = player.sensor.enrol(.leftRing, until: Cancellation(seconds: 30)) { events.append($0) }
        #expect(events == [.stage(done: 1, total: 2), .unclear(.again), .stage(done: 2, total: 2)])
        #expect(last == .completed)
        #expect(try player.heard.value() == "enrol left-ring-finger")
    }

    @Test("fingers are removed by name or all")
    func removal() throws {
        let one = try Player("done\n")
        #expect(one.sensor.remove(.leftRing) == nil)
        #expect(try one.heard.value() == "remove left-ring-finger")
        let all = try Player("failed busy\n")
        #expect(all.sensor.remove(nil) == .busy)
        #expect(try all.heard.value() == "remove all")
    }

    @Test("without a program that plays there is no sensor")
    func nobody() {
        let sensor = LineSensor(testOnlyPath: "/nowhere/sensor")
        #expect(sensor.survey() == .noSensor)
        #expect(sensor.match(until: Cancellation(seconds: 30)) == .unavailable(.none))
        #expect(sensor.remove(nil) == SensorObstacle.none)
        let long = LineSensor(testOnlyPath: "/" + String(repeating: "x", count: 300))
        #expect(long.survey() == .noSensor)
    }
}
