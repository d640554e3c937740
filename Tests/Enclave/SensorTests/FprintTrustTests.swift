import Foundation
import Glibc
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

@testable import LatchkeySensor

@Suite("Whom the fingerprint sensor believes", .serialized)
struct FprintTrustTests {
    private func enrolled(_ stage: FprintStage) throws -> FprintSensor {
        let sensor = FprintSensor(user: "root", templates: stage.templates, place: stage.place)
        try #require(try stage.enrol(.rightIndex, as: "one", sensor).last == .completed)
        return sensor
    }

    @Test(
        "a match that another program announces counts for nothing, broadcast or sent to the enclave alone",
        .needsRoot(to: "use a reader as polkit allows root"),
        arguments: [false, true])
    func forged(isDirect: Bool) throws {
        let stage = try FprintStage()
        let sensor = try enrolled(stage)
        let match = Background { sensor.match(until: Cancellation(seconds: 30)) }
        try stage.awaitTouchWanted()
        let names = try stage.names()
        let targets = isDirect ? names.filter { $0.hasPrefix(":") }.map { ["--destination=" + $0] } : [[]]
        for target in targets {
            // The owner of a name that has just gone is told of in vain.
            _ = try stage.run(
                ["/usr/bin/busctl", "--system", "emit"] + target + [
                    "/net/reactivated/Fprint/Device/0", "net.reactivated.Fprint.Device", "VerifyStatus", "sb",
                    "verify-match", "true",
                ], package: "systemd")
        }
        #expect(!match.isFinished)
        try stage.tell("SCAN two")
        #expect(try match.value() == .notMatched)
    }

    @Test("fprintd that does not belong to root is not used", .needsRoot(to: "run fprintd as another user"))
    func strangersService() throws {
        let stage = try FprintStage(serviceUser: 65534)
        #expect(FprintSensor(user: "root", place: stage.place).survey() == .noService)
    }

    @Test("a bus that does not belong to root is not used", .needsRoot(to: "use a reader as polkit allows root"))
    func strangersBus() throws {
        let stage = try FprintStage()
        let place = BusPlace(address: stage.address, testOnlyTrustedUser: geteuid() + 1)
        #expect(FprintSensor(user: "root", place: place).survey() == .noService)
        #expect(FprintSensor(user: "root", place: stage.place).survey().obstacle == nil)
    }

    @Test(
        "an address other than a local socket is not followed",
        arguments: [
            "unixexec:path=/bin/false", "tcp:host=127.0.0.1,port=1", "", "unix:path=/x;unixexec:path=/bin/false",
            "autolaunch:", "unix:path=/nowhere/bus",
        ])
    func address(_ address: String) {
        #expect(FprintSensor(user: "root", place: BusPlace(address: address)).survey() == .noService)
    }

    @Test("without fprintd there is no sensor, and that is remembered for a moment only")
    func noService() throws {
        let stage = try FprintStage(withService: false)
        let sensor = FprintSensor(user: "root", place: stage.place)
        #expect(sensor.survey() == .noService)
        #expect(sensor.survey() == .noService, "what is remembered is the same")
        #expect(sensor.match(until: Cancellation(seconds: 10)) == .unavailable(.noService))
        #expect(sensor.enrol(.leftRing, until: Cancellation(seconds: 10)) { _ in } == .failed(.noService))
    }
}

extension FprintStage {
    /// Of everybody on the bus.
    func names() throws -> [String] {
        try BusConnection(place).call(.bus, "ListNames", within: BusWait(nil, seconds: 20)).readList()
    }
}
