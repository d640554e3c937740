import LatchkeyEnclaveCore
import LatchkeyEncoding
import Testing

@Suite struct BiometryGuardTests {
    private static let hour: Double = 3600

    enum Step: Sendable, CustomStringConvertible {
        case passcode
        case match
        case unlock
        case miss
        case restart
        case wait(hours: Double)

        var description: String {
            switch self {
            case .passcode: "passcode"
            case .match: "match"
            case .unlock: "unlock"
            case .miss: "miss"
            case .restart: "restart"
            case .wait(let hours): "\(hours) h"
            }
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let steps: [Step]
        let missesLeft: Int

        init(_ steps: Step..., leaves missesLeft: Int) {
            self.steps = steps
            self.missesLeft = missesLeft
        }

        var testDescription: String { "\(steps)" }
    }

    static let table = [
        Row(leaves: 0),
        Row(.match, .unlock, leaves: 0),
        Row(.passcode, leaves: 5),
        Row(.passcode, .restart, leaves: 0),
        Row(.passcode, .restart, .passcode, leaves: 5),
        Row(.passcode, .miss, leaves: 4),
        Row(.passcode, .miss, .miss, .miss, .miss, leaves: 1),
        Row(.passcode, .miss, .miss, .miss, .miss, .match, leaves: 5),
        Row(.passcode, .miss, .miss, .miss, .miss, .miss, leaves: 0),
        Row(.passcode, .miss, .miss, .miss, .miss, .miss, .miss, .match, leaves: 0),
        Row(.passcode, .miss, .miss, .miss, .miss, .miss, .passcode, leaves: 5),
        // Misses of before a restart are made good by the passcode as well.
        Row(.passcode, .miss, .miss, .miss, .miss, .miss, .restart, .passcode, .miss, leaves: 4),
        // 48 hours without any unlock; a match for an app does not count as one.
        Row(.passcode, .wait(hours: 47.99), leaves: 5),
        Row(.passcode, .wait(hours: 48), leaves: 0),
        Row(.passcode, .wait(hours: 40), .match, .wait(hours: 8), leaves: 0),
        Row(.passcode, .wait(hours: 40), .unlock, .wait(hours: 8), leaves: 5),
        Row(.passcode, .wait(hours: 40), .unlock, .wait(hours: 48), leaves: 0),
        Row(.passcode, .wait(hours: 48), .unlock, leaves: 0),
        Row(.passcode, .wait(hours: 48), .passcode, leaves: 5),
        // 156 hours without the passcode, unless a finger unlocked within four.
        Row(
            .passcode, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock,
            .wait(hours: 14.9), leaves: 5),
        Row(
            .passcode, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock,
            .wait(hours: 15), leaves: 0),
        Row(
            .passcode, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock,
            .wait(hours: 14), .unlock, .wait(hours: 3.9), leaves: 5),
        Row(
            .passcode, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock,
            .wait(hours: 14), .unlock, .wait(hours: 4), leaves: 0),
        Row(
            .passcode, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock,
            .wait(hours: 14), .unlock, .wait(hours: 3), .unlock, .wait(hours: 3), .unlock, .wait(hours: 3), leaves: 5),
        Row(
            .passcode, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock, .wait(hours: 47), .unlock,
            .wait(hours: 15), .unlock, leaves: 0),
    ]

    @Test("after these steps so many misses are left", arguments: table) func steps(row: Row) {
        var uptime: Uptime = 1000
        var biometry = BiometryGuard()
        for step in row.steps {
            let wasOut = biometry.isLockedOut(uptime: uptime)
            switch step {
            case .passcode: biometry.passcodeGiven(uptime: uptime)
            case .match: #expect(biometry.matched(unlockingDevice: false, uptime: uptime) == !wasOut)
            case .unlock: #expect(biometry.matched(unlockingDevice: true, uptime: uptime) == !wasOut)
            case .miss: biometry.missed()
            case .restart: biometry.needPasscode()
            case .wait(let hours): uptime = uptime + hours * Self.hour
            }
        }
        #expect(biometry.missesLeft(uptime: uptime) == row.missesLeft)
        #expect(biometry.isLockedOut(uptime: uptime) == (row.missesLeft == 0))
    }

    @Test("trust ends exactly at the moment that is announced", arguments: table) func announced(row: Row) {
        var uptime: Uptime = 1000
        var biometry = BiometryGuard()
        for step in row.steps {
            switch step {
            case .passcode: biometry.passcodeGiven(uptime: uptime)
            case .match: _ = biometry.matched(unlockingDevice: false, uptime: uptime)
            case .unlock: _ = biometry.matched(unlockingDevice: true, uptime: uptime)
            case .miss: biometry.missed()
            case .restart: biometry.needPasscode()
            case .wait(let hours): uptime = uptime + hours * Self.hour
            }
            guard let end = biometry.endOfTrust else {
                #expect(biometry.isLockedOut(uptime: uptime))
                continue
            }
            #expect(biometry.isLockedOut(uptime: end))
            #expect(!biometry.isLockedOut(uptime: end + -0.001))
        }
    }

    @Test("unlocks by finger five hours apart end with the 156 hours") func longest() {
        var biometry = BiometryGuard()
        biometry.passcodeGiven(uptime: 0)
        var uptime: Uptime = 0
        while biometry.matched(unlockingDevice: true, uptime: uptime), uptime < Uptime(seconds: 200 * Self.hour) {
            uptime = uptime + 5 * Self.hour
        }
        #expect(uptime == Uptime(seconds: 160 * Self.hour))
    }
}
