import Foundation
import GRDB
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("Trust in teams")
struct TeamTests {
    @Test("the two keys of the vectors have one identifier, and a third has another")
    func vectors() {
        #expect(TeamKeys.one != TeamKeys.other)
        #expect(TeamKeys.one.identifier.text == "EIF5MUDOJM")
        #expect(TeamKeys.other.identifier.text == "EIF5MUDOJM")
        #expect(TeamKeys.third.identifier.text != "EIF5MUDOJM")
    }

    /// Steps one after the other, their ends, and the state of the first key on the device then.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]
        let outcomes: [String]
        let verdict: TeamVerdict
        var otherVerdict = TeamVerdict.otherKey
    }

    enum Step: Sendable {
        case trust
        case trustOther
        case trustUntil(Double)
        case revoke
        case wait(Double)
        case reopen
    }

    private static let start: WallTime = 800_000_000

    static let rows = [
        Row(testDescription: "nothing", steps: [], outcomes: [], verdict: .unknown, otherVerdict: .unknown),
        Row(testDescription: "trusted", steps: [.trust], outcomes: ["done"], verdict: .trusted),
        Row(testDescription: "trusted twice", steps: [.trust, .trust], outcomes: ["done", "done"], verdict: .trusted),
        Row(
            testDescription: "another key of the same identifier", steps: [.trust, .trustOther],
            outcomes: ["done", "team-other-key"], verdict: .trusted),
        Row(
            testDescription: "another key after a revocation", steps: [.trust, .revoke, .trustOther],
            outcomes: ["done", "done", "team-other-key"], verdict: .revoked),
        Row(
            testDescription: "another key after the trust expired",
            steps: [.trustUntil(10), .wait(11), .trustOther], outcomes: ["done", "team-other-key"],
            verdict: .expired(start.later(by: 10))),
        Row(
            testDescription: "the other key first", steps: [.trustOther, .trust], outcomes: ["done", "team-other-key"],
            verdict: .otherKey, otherVerdict: .trusted),
        Row(testDescription: "revoked", steps: [.trust, .revoke], outcomes: ["done", "done"], verdict: .revoked),
        Row(
            testDescription: "revoked twice", steps: [.trust, .revoke, .revoke], outcomes: ["done", "done", "done"],
            verdict: .revoked),
        Row(
            testDescription: "trusted again after a revocation", steps: [.trust, .revoke, .trust],
            outcomes: ["done", "done", "done"], verdict: .trusted),
        Row(
            testDescription: "revoked without being known", steps: [.revoke], outcomes: ["team-not-known"],
            verdict: .unknown, otherVerdict: .unknown),
        Row(
            testDescription: "trusted until a date to come", steps: [.trustUntil(10), .wait(9)], outcomes: ["done"],
            verdict: .trusted),
        Row(
            testDescription: "trusted until now", steps: [.trustUntil(10), .wait(10)], outcomes: ["done"],
            verdict: .expired(start.later(by: 10))),
        Row(
            testDescription: "trusted until a date that is over", steps: [.trustUntil(-1)],
            outcomes: ["team-trust-over"], verdict: .unknown, otherVerdict: .unknown),
        Row(
            testDescription: "trusted again after it expired", steps: [.trustUntil(10), .wait(11), .trust],
            outcomes: ["done", "done"], verdict: .trusted),
        Row(
            testDescription: "revoked after it expired", steps: [.trustUntil(10), .wait(11), .revoke],
            outcomes: ["done", "done"], verdict: .revoked),
        Row(
            testDescription: "trusted before a restart", steps: [.trust, .reopen], outcomes: ["done"], verdict: .trusted
        ),
        Row(
            testDescription: "revoked before a restart", steps: [.trust, .revoke, .reopen, .trustOther],
            outcomes: ["done", "done", "team-other-key"], verdict: .revoked),
        Row(
            testDescription: "expired after a restart", steps: [.trustUntil(10), .reopen, .wait(10)],
            outcomes: ["done"], verdict: .expired(start.later(by: 10))),
    ]

    @Test("is as the steps before make it", arguments: rows)
    func rules(_ row: Row) throws {
        let directory = try SharedDirectory()
        let clock = HandClock()
        var keychain = try TestKeychain(directory.path, clock: clock)
        var outcomes: [String] = []
        for step in row.steps {
            // Asked before each step, so that an answer kept in memory for too long shows.
            _ = keychain.service.verdict(on: TeamKeys.one)
            switch step {
            case .trust: outcomes.append(keychain.trust(TeamKeys.one))
            case .trustOther: outcomes.append(keychain.trust(TeamKeys.other))
            case .trustUntil(let seconds):
                outcomes.append(keychain.trust(TeamKeys.one, expires: clock.wallTime().seconds + seconds))
            case .revoke: outcomes.append(keychain.revoke(TeamKeys.one))
            case .wait(let seconds): clock.advance(by: seconds)
            case .reopen:
                keychain.service.close()
                keychain = try TestKeychain(directory.path, clock: clock)
            }
        }
        #expect(outcomes == row.outcomes)
        #expect(keychain.service.verdict(on: TeamKeys.one) == row.verdict)
        #expect(keychain.service.verdict(on: TeamKeys.other) == row.otherVerdict)
        #expect(keychain.service.verdict(on: TeamKeys.third) == .unknown)
    }

    @Test("a list has every team, with its dates and whether its time is over")
    func list() throws {
        let keychain = try TestKeychain()
        let start = keychain.clock.wallTime()
        _ = keychain.trust(TeamKeys.one, name: "Späti", expires: start.seconds + 5)
        keychain.clock.advance(by: 1)
        _ = keychain.trust(TeamKeys.third, name: "Third")
        keychain.clock.advance(by: 4)
        _ = keychain.revoke(TeamKeys.third)
        let expected = [
            TrustedTeam(key: TeamKeys.one, name: "Späti", trusted: start, expires: start.later(by: 5), isExpired: true),
            TrustedTeam(key: TeamKeys.third, name: "Third", trusted: start.later(by: 1), revoked: start.later(by: 5)),
        ]
        #expect(Set(keychain.teams) == Set(expected))
        #expect(keychain.teams.map(\.key.identifier.text) == keychain.teams.map(\.key.identifier.text).sorted())
    }

    @Test("trusting a trusted team again changes its name and end; the day it was trusted first stays")
    func again() throws {
        let keychain = try TestKeychain()
        let start = keychain.clock.wallTime()
        _ = keychain.trust(TeamKeys.one, name: "Old", expires: start.seconds + 5)
        keychain.clock.advance(by: 2)
        #expect(keychain.trust(TeamKeys.one, name: "New") == "done")
        #expect(keychain.teams == [TrustedTeam(key: TeamKeys.one, name: "New", trusted: start)])
        _ = keychain.revoke(TeamKeys.one)
        _ = keychain.trust(TeamKeys.one, name: "New")
        #expect(keychain.teams == [TrustedTeam(key: TeamKeys.one, name: "New", trusted: start.later(by: 2))])
    }

    @Test(
        "names that cannot be shown are refused",
        arguments: ["", "a\nb", "\u{1B}[2J", "a\u{202E}b", String(repeating: "x", count: 65)])
    func names(_ name: String) throws {
        let keychain = try TestKeychain()
        #expect(keychain.trust(TeamKeys.one, name: name) == "team-name-unusable")
        #expect(keychain.service.verdict(on: TeamKeys.one) == .unknown)
    }

    @Test("the epoch is another after each change and each expiry, and stays the same otherwise")
    func epoch() throws {
        let keychain = try TestKeychain()
        let service = keychain.service
        var epochs = [service.teamTrustEpoch]
        func expectNew(_ what: String) {
            #expect(!epochs.contains(service.teamTrustEpoch), "\(what)")
            epochs.append(service.teamTrustEpoch)
            #expect(service.teamTrustEpoch == epochs.last, "\(what)")
        }
        _ = keychain.trust(TeamKeys.one, expires: keychain.clock.wallTime().seconds + 10)
        expectNew("a team is trusted")
        keychain.add("a", "1")
        keychain.clock.advance(by: 9)
        #expect(service.teamTrustEpoch == epochs.last)
        keychain.clock.advance(by: 1)
        expectNew("its time is over")
        _ = keychain.revoke(TeamKeys.one)
        expectNew("it is revoked")
        #expect(keychain.outcome(EraseDevice(passcode: nil)) == "done")
        expectNew("the device is erased")
        #expect(service.verdict(on: TeamKeys.one) == .unknown)
    }

    @Test("changes are on record, and so is another key of a known identifier")
    func journal() throws {
        let keychain = try TestKeychain()
        _ = keychain.trust(TeamKeys.one)
        _ = keychain.trust(TeamKeys.other)
        _ = keychain.revoke(TeamKeys.one)
        let records = keychain.refusals()
        #expect(records.map(\.refusal.rule) == [.ownerChange, .teamOtherKey, .ownerChange])
        #expect(records.map(\.operation) == ["revoke-team", "trust-team", "trust-team"])
        #expect(records.map(\.accessGroup) == Array(repeating: "EIF5MUDOJM", count: 3))
        #expect(records.map(\.code) == [.success, .authFailed, .success])
        #expect(records.allSatisfy { $0.caller == "app" && $0.time == keychain.clock.wallTime() })
    }

    @Test("the level that the device requires is a change of trust, outlives a restart and needs the passcode")
    func requiredLevel() throws {
        let directory = try SharedDirectory()
        let first = try TestKeychain(directory.path)
        #expect(first.service.requiredLevel == .c)
        let epoch = first.service.teamTrustEpoch
        #expect(first.outcome(RequireLevel(.a, passcode: nil)) == "done")
        #expect(first.service.requiredLevel == .a)
        #expect(first.service.teamTrustEpoch != epoch)
        let second = try TestKeychain(directory.path)
        #expect(second.service.requiredLevel == .a)
        #expect(second.status?.requiredLevel == .a)
        #expect(second.outcome(SetPasscode(passcodeBox("1234"))) == "done")
        #expect(second.outcome(RequireLevel(.c, passcode: nil)) == "passcodeNeeded")
        #expect(second.service.requiredLevel == .a)
        #expect(second.outcome(RequireLevel(.c, passcode: passcodeBox("1234"))) == "done")
        #expect(second.service.requiredLevel == .c)
    }

    @Test("a level that cannot be read is the strongest")
    func damagedLevel() throws {
        let keychain = try TestKeychain()
        try keychain.raw {
            try $0.execute(sql: "INSERT INTO settings VALUES ('required-assurance-level', x'FF')")
        }
        #expect(keychain.service.requiredLevel == .a)
    }

    @Test("with a passcode set, each change needs it, and nothing changes without")
    func passcode() throws {
        let keychain = try TestKeychain()
        #expect(keychain.outcome(SetPasscode(passcodeBox("1234"))) == "done")
        #expect(keychain.trust(TeamKeys.one) == "passcodeNeeded")
        #expect(keychain.trust(TeamKeys.one, passcode: "9999").hasPrefix("wrongPasscode"))
        #expect(keychain.service.verdict(on: TeamKeys.one) == .unknown)
        #expect(keychain.trust(TeamKeys.one, passcode: "1234") == "done")
        #expect(keychain.revoke(TeamKeys.one) == "passcodeNeeded")
        #expect(keychain.service.verdict(on: TeamKeys.one) == .trusted)
        #expect(keychain.revoke(TeamKeys.one, passcode: "1234") == "done")
        #expect(keychain.outcome(ConfigureApplications(removesItems: true, passcode: nil)) == "passcodeNeeded")
        #expect(keychain.status?.removesItemsOfForgottenApps == false)
        let rules = keychain.refusals().map(\.refusal.rule)
        #expect(
            rules == [
                .ownerPasscodeRefused, .ownerChange, .ownerPasscodeRefused, .ownerChange,
                .ownerPasscodeRefused, .ownerPasscodeRefused,
            ])
    }

    @Test("a passcode given although none is set does no harm")
    func needlessPasscode() throws {
        #expect(try TestKeychain().trust(TeamKeys.one, passcode: "1234") == "done")
    }

    @Test("a locked device changes trust with the passcode and stays locked")
    func locked() throws {
        let keychain = try TestKeychain()
        _ = keychain.outcome(SetPasscode(passcodeBox("1234")))
        _ = keychain.outcome(LockDevice(immediately: true))
        #expect(keychain.trust(TeamKeys.one, passcode: "1234") == "done")
        #expect(keychain.status?.enclave.lockState == .locked)
    }

    @Test("a row whose key was exchanged in the file is not believed")
    func exchangedKey() throws {
        let directory = try SharedDirectory()
        let keychain = try TestKeychain(directory.path)
        _ = keychain.trust(TeamKeys.one)
        keychain.service.close()
        try keychain.raw {
            try $0.execute(sql: "UPDATE teams SET key = ?", arguments: [Data(TeamKeys.third.bytes)])
        }
        let again = try TestKeychain(directory.path)
        #expect(again.service.verdict(on: TeamKeys.one) == .unknown)
        #expect(again.service.verdict(on: TeamKeys.third) == .unknown)
        #expect(again.outcome(ListTeams()) == "database-damaged")
    }
}
