import Foundation
import Glibc
import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeySecretMemory
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

@testable import LatchkeySensor

@Suite("The enclave process and the real fprintd", .serialized)
struct EnclaveProcessTests {
    /// An enclave process on the bus of a stage, confined as always, which serves this test.
    private final class EnclaveProcess {
        let process: ChildProcess
        let enclave: RemoteEnclave

        init(_ stage: FprintStage, _ options: [String]) throws {
            let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            let program = (own as NSString).deletingLastPathComponent + "/latchkey-enclave"
            let socket = stage.directory + "/enclave.sock"
            process = try stage.start(
                [
                    program, "--storage", stage.directory + "/enclave", "--socket", socket, "--peer-executable", own,
                    "--test-only-passcode-cost", "4",
                ] + options, package: "none: swift build makes it")
            var said: [String] = []
            while said.last?.contains("ready, storage") != true {
                said.append(process.line())
                try #require(said.last != "", "the enclave does not start: \(said)")
            }
            enclave = try RemoteEnclave(socketPath: socket)
        }

        func status() throws -> BiometryStatus {
            try enclave.ask(AskBiometry())
        }
    }

    private struct Failure: Error {
        let text: String
    }

    private func enrolledStage() throws -> FprintStage {
        let stage = try FprintStage()
        let sensor = FprintSensor(user: "root", templates: stage.templates, place: stage.place)
        try #require(try stage.enrol(.rightIndex, as: "one", sensor).last == .completed)
        return stage
    }

    @Test(
        "a confined enclave sees the reader, its fingers and their templates, and takes a match as evidence",
        .needsRoot(to: "use a reader as polkit allows root"))
    func whole() throws {
        let stage = try enrolledStage()
        let process = try EnclaveProcess(
            stage,
            ["--sensor", "fprintd", "--fingerprint-user", "root", "--fingerprint-templates", stage.state + "/root"])
        let survey = try process.status().survey
        #expect(survey.fingers == [.rightIndex])
        #expect(survey.seesTemplates)
        let own = FprintSensor(user: "root", templates: stage.templates, place: stage.place).survey()
        #expect(survey == own)
        let passcode = SecretBox(copying: Array("2468".utf8))
        _ = try process.enclave.ask(SetPasscode(passcode))
        guard case .opened(let context) = try process.enclave.ask(OpenContext()) else {
            throw Failure(text: "no context")
        }
        #expect(try process.status().obstacle == nil)
        let enclave = process.enclave
        let match = Background {
            if case .known(let outcome)? = try? enclave.ask(MatchFinger(seconds: 30, in: context)) {
                outcome
            } else {
                MatchOutcome.cancelled
            }
        }
        try stage.tell("SCAN one", while: { !match.isFinished })
        guard case .matched = try match.value() else { throw Failure(text: "\(try match.value())") }
        guard case .known(let verdict) = try enclave.ask(AssessDemand(.policy(.biometry), in: context)) else {
            throw Failure(text: "no verdict")
        }
        #expect(verdict == .granted)
    }

    @Test(
        "an enclave that may not read templates is told of their changes by root's own service",
        .needsRoot(to: "use a reader as polkit allows root"))
    func templateService() throws {
        let stage = try enrolledStage()
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = (own as NSString).deletingLastPathComponent + "/latchkey-enclave"
        let socket = stage.directory + "/templates.sock"
        let activator = try stage.start(
            [
                "/usr/bin/systemd-socket-activate", "--seqpacket", "--listen=" + socket, "--fdname=templates", program,
                "--answer-templates", stage.state + "/root",
            ], package: "systemd")
        while !FileManager.default.fileExists(atPath: socket) { usleep(1_000) }
        let process = try EnclaveProcess(
            stage, ["--fingerprint-user", "root", "--fingerprint-templates", socket])
        let first = try process.status()
        #expect(first.survey == FprintSensor(user: "root", templates: stage.templates, place: stage.place).survey())
        let sensor = FprintSensor(user: "root", place: stage.place)
        #expect(sensor.remove(nil) == nil)
        #expect(try stage.enrol(.rightIndex, as: "other", sensor).last == .completed)
        let wait = BusWait(nil, seconds: 10)
        // The enclave keeps a survey for a moment.
        while try process.status().survey == first.survey, wait.end == nil { usleep(1_000) }
        let second = try process.status()
        #expect(second.survey.fingers == [.rightIndex])
        #expect(second.survey.digest != first.survey.digest)
        #expect(second.enrolmentSet != first.enrolmentSet)
        activator.kill()
        while try process.status().survey.obstacle == nil, wait.end == nil { usleep(1_000) }
        #expect(try process.status().survey.obstacle == .failed)
        // It says nothing of what is enrolled.
        #expect(try process.status().survey.digest.isEmpty)
    }

    @Test("without a sensor, and without a bus, there is no biometry", arguments: ["none", "fprintd"])
    func nothing(_ sensor: String) throws {
        let stage = try FprintStage(withService: false)
        let process = try EnclaveProcess(stage, ["--sensor", sensor])
        if sensor == "fprintd" { stage.killBus() }
        #expect(try process.status().survey == (sensor == "none" ? .noSensor : .noService))
    }

    @Test(
        "options that contradict each other end it with the reason",
        arguments: [
            (["--sensor", "camera"], "fprintd or none"),
            (["--test-only-sensor", "/x", "--sensor", "none"], "takes the place"),
            (["--fingerprint-templates", "/nowhere"], "there is no such directory"),
        ])
    func options(_ options: [String], _ reason: String) throws {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = (own as NSString).deletingLastPathComponent + "/latchkey-enclave"
        let child = try ChildProcess(
            [program, "--storage", "/nowhere/enclave", "--socket", "/nowhere/e.sock"] + options, package: "none")
        let said = child.rest()
        #expect(child.wait() == 1)
        #expect(said.contains(reason), "\(said)")
    }
}
