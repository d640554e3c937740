import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
import LatchkeyThreading
import Synchronization
import Testing

@testable import LatchkeyKeychainService

@Suite("A device without a passcode is root's where its owner's programs cannot reach its files")
struct UnprovenOwnerTests {
    private static func caller(user: UInt32?) -> Caller {
        Caller(
            name: "tool", accessGroups: ["tool"],
            process: user.map { CallerProcess(processID: 9, userID: $0, executableDigest: nil) })
    }

    private static let changes: [(String, @Sendable () -> any DeviceQuestion)] = [
        ("set-passcode", { Forwarded(SetPasscode(passcodeBox("1234"))) }),
        ("erase", { Forwarded(EraseDevice(passcode: nil)) }),
        (
            "configure",
            { Forwarded(ConfigureDevice(passcode: nil, eraseAfterTenFailures: true, gracePeriodSeconds: nil)) }
        ),
        ("trust-team", { TrustTeam(key: TeamKeys.one, name: "n", expires: nil, passcode: nil) }),
        ("trust-team", { TrustTeam(key: TeamKeys.one, name: "n", expires: nil, passcode: passcodeBox("any")) }),
        ("revoke-team", { RevokeTeam(TeamKeys.one.identifier, passcode: nil) }),
        (
            "pin-team-alias",
            { PinTeamAlias(TeamKeys.alias, to: TeamKeys.one.identifier, passcode: passcodeBox("any")) }
        ),
        ("remove-team-alias", { RemoveTeamAlias(TeamKeys.alias, of: TeamKeys.one.identifier, passcode: nil) }),
        ("forget-app", { ForgetApplication("app", removesItems: true, passcode: nil) }),
        ("configure-apps", { ConfigureApplications(removesItems: true, passcode: nil) }),
        ("require-level", { RequireLevel(.a, passcode: nil) }), ("revoke-tools", { RevokeTools(passcode: nil) }),
        ("require-level", { RequireLevel(.c, passcode: passcodeBox("any")) }),
    ]

    /// Nil for what is not refused.
    private func refusal(
        _ question: some DeviceQuestion, _ caller: Caller, _ keychain: TestKeychain
    ) -> DeviceRefusal? {
        do throws(DeviceRefusal) {
            try keychain.service.ask(question, caller: caller)
            return nil
        } catch {
            return error
        }
    }

    private func words(_ refusal: DeviceRefusal?) -> Refusal? {
        if case .declined(.authFailed, let words) = refusal { words } else { nil }
    }

    @Test("what the passcode guards later is refused to everybody but root, and on record", arguments: changes.indices)
    func withoutPasscode(index: Int) throws {
        let (name, request) = Self.changes[index]
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "env LATCHKEY_DEVICE=unix:/s latchkey"))
        // A declared caller has no process at all.
        for user in [1000, nil] as [UInt32?] {
            let words = words(refusal(request(), Self.caller(user: user), keychain))
            #expect(words?.rule == .ownerNeedsRoot)
            #expect(words?.advice.contains("env LATCHKEY_DEVICE=unix:/s latchkey passcode set") == true)
        }
        #expect(keychain.refusals().map(\.operation) == [name, name])
        #expect(keychain.status?.enclave.hasPasscode == false)
        #expect(keychain.service.requiredLevel == .c)
        #expect(keychain.service.verdict(on: TeamKeys.one) == .unknown)
        #expect(words(refusal(request(), Self.caller(user: 0), keychain)) == nil)
    }

    @Test("with a passcode the passcode decides, for root as well")
    func withPasscode() throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        let (owner, root) = (Self.caller(user: 1000), Self.caller(user: 0))
        let service = keychain.service
        try service.ask(SetPasscode(passcodeBox("1234")), caller: root)
        #expect(refusal(RequireLevel(.b, passcode: nil), root, keychain) == .refused(.passcodeNeeded))
        try service.ask(RequireLevel(.b, passcode: passcodeBox("1234")), caller: owner)
        try service.ask(
            ChangePasscode(from: passcodeBox("1234"), to: passcodeBox("5678")), caller: owner)
        try service.ask(RemovePasscode(passcodeBox("5678")), caller: owner)
        #expect(service.requiredLevel == .b)
        #expect(words(refusal(RequireLevel(.c, passcode: nil), owner, keychain))?.rule == .ownerNeedsRoot)
    }

    @Test("a passcode that goes while a request is looked at does not let it pass", arguments: [nil, "any"])
    func removedMeanwhile(_ passcode: String?) throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        try keychain.service.ask(SetPasscode(passcodeBox("1234")), caller: Self.caller(user: 0))
        // By another process: in this one the removal would wait.
        keychain.mailbox.afterNext("AskStatus") { [enclave = keychain.enclave] in
            _ = try? enclave.ask(RemovePasscode(passcodeBox("1234")))
        }
        let trust = TrustTeam(
            key: TeamKeys.one, name: "n", expires: nil, passcode: passcode.map { passcodeBox($0) })
        #expect(refusal(trust, Self.caller(user: 1000), keychain) == .refused(.noPasscodeSet))
        #expect(keychain.status?.enclave.hasPasscode == false)
        #expect(keychain.service.verdict(on: TeamKeys.one) == .unknown)
    }

    private static let acts: [(message: String, request: @Sendable () -> any DeviceQuestion)] = [
        ("SetPasscode", { Forwarded(SetPasscode(passcodeBox("1234"))) }),
        ("ChangePasscode", { Forwarded(ChangePasscode(from: passcodeBox("1234"), to: passcodeBox("5678"))) }),
        ("RemovePasscode", { Forwarded(RemovePasscode(passcodeBox("1234"))) }),
        ("EraseDevice", { Forwarded(EraseDevice(passcode: nil)) }),
        (
            "ConfigureDevice",
            { Forwarded(ConfigureDevice(passcode: nil, eraseAfterTenFailures: true, gracePeriodSeconds: nil)) }
        ),
        ("AskStatus", { TrustTeam(key: TeamKeys.one, name: "n", expires: nil, passcode: nil) }),
        ("VerifyPasscode", { RequireLevel(.b, passcode: passcodeBox("1234")) }),
    ]

    @Test("no passcode comes or goes between the look at it and the act", arguments: acts.indices)
    func oneAtATime(index: Int) throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        let isTaken = Mutex<Bool?>(nil)
        keychain.mailbox.afterNext(Self.acts[index].message) { [service = keychain.service] in
            let found = Pending { service.device.ownersTurn.withLockIfAvailable { _ in true } == nil }.value
            isTaken.withLock { $0 = found }
        }
        _ = refusal(Self.acts[index].request(), Self.caller(user: 0), keychain)
        #expect(isTaken.withLock { $0 } == true)
    }

    @Test("questions, locks and items need no proof")
    func others() throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        let caller = Self.caller(user: 1000)
        let questions: [any DeviceQuestion] = [
            DescribeDevice(), ListTeams(), ListApplications(), ListRefusals(limit: 1),
            Forwarded(LockDevice(immediately: true)),
        ]
        for question in questions { #expect(words(refusal(question, caller, keychain)) == nil) }
        #expect(keychain.add("a", "1") == .success)
    }

    @Test("a device of one user without a passcode is changed by every program of the user, as its files are")
    func oneUser() throws {
        for index in Self.changes.indices {
            let keychain = try TestKeychain()
            #expect(words(refusal(Self.changes[index].1(), Self.caller(user: 1000), keychain)) == nil)
        }
    }
}
