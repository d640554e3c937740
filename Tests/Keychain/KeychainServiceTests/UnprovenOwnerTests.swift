import LatchkeyCodeSignature
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyTestSupport
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

    private static let changes: [(String, @Sendable () -> DeviceRequest)] = [
        ("set-passcode", { .setPasscode(new: passcodeBox("1234")) }),
        ("erase", { .erase(passcode: nil) }),
        ("configure", { .configure(passcode: nil, eraseAfterTenFailures: true, gracePeriodSeconds: nil) }),
        ("trust-team", { .trustTeam(key: TeamKeys.one, name: "n", expires: nil, passcode: nil) }),
        ("trust-team", { .trustTeam(key: TeamKeys.one, name: "n", expires: nil, passcode: passcodeBox("any")) }),
        ("revoke-team", { .revokeTeam(TeamKeys.one.identifier, passcode: nil) }),
        ("forget-app", { .forgetApplication("app", removesItems: true, passcode: nil) }),
        ("configure-apps", { .configureApplications(removesItems: true, passcode: nil) }),
        ("require-level", { .requireLevel(.a, passcode: nil) }),
        ("require-level", { .requireLevel(.c, passcode: passcodeBox("any")) }),
    ]

    private func rule(_ reply: DeviceReply) -> Rule? {
        if case .declined(.authFailed, let refusal) = reply { refusal.rule } else { nil }
    }

    @Test("what the passcode guards later is refused to everybody but root, and on record", arguments: changes.indices)
    func withoutPasscode(index: Int) throws {
        let (name, request) = Self.changes[index]
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "env LATCHKEY_DEVICE=unix:/s latchkey"))
        // A declared caller has no process at all.
        for user in [1000, nil] as [UInt32?] {
            let reply = keychain.service.perform(request(), caller: Self.caller(user: user))
            #expect(rule(reply) == .ownerNeedsRoot)
            guard case .declined(_, let refusal) = reply else { continue }
            #expect(refusal.advice.contains("env LATCHKEY_DEVICE=unix:/s latchkey passcode set"))
        }
        #expect(keychain.refusals().map(\.operation) == [name, name])
        #expect(keychain.status?.enclave.hasPasscode == false)
        #expect(keychain.service.requiredLevel == .c)
        #expect(keychain.service.verdict(on: TeamKeys.one) == .unknown)
        let roots = keychain.service.perform(request(), caller: Self.caller(user: 0))
        #expect(rule(roots) == nil)
    }

    @Test("with a passcode the passcode decides, for root as well")
    func withPasscode() throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        let (owner, root) = (Self.caller(user: 1000), Self.caller(user: 0))
        guard case .done = keychain.service.perform(.setPasscode(new: passcodeBox("1234")), caller: root),
            case .refused(.passcodeNeeded) = keychain.service.perform(.requireLevel(.b, passcode: nil), caller: root),
            case .done = keychain.service.perform(.requireLevel(.b, passcode: passcodeBox("1234")), caller: owner),
            case .done = keychain.service.perform(
                .changePasscode(current: passcodeBox("1234"), new: passcodeBox("5678")), caller: owner),
            case .done = keychain.service.perform(.removePasscode(current: passcodeBox("5678")), caller: owner)
        else {
            Issue.record("another answer")
            return
        }
        #expect(keychain.service.requiredLevel == .b)
        #expect(rule(keychain.service.perform(.requireLevel(.c, passcode: nil), caller: owner)) == .ownerNeedsRoot)
    }

    @Test("a passcode that goes while a request is looked at does not let it pass", arguments: [nil, "any"])
    func removedMeanwhile(_ passcode: String?) throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        guard
            case .done = keychain.service.perform(
                .setPasscode(new: passcodeBox("1234")), caller: Self.caller(user: 0))
        else {
            Issue.record("it is not set")
            return
        }
        // By another process: in this one the removal would wait.
        keychain.mailbox.afterNext("AskStatus") { [enclave = keychain.enclave] in
            _ = try? enclave.ask(RemovePasscode(passcodeBox("1234")))
        }
        let reply = keychain.service.perform(
            .trustTeam(key: TeamKeys.one, name: "n", expires: nil, passcode: passcode.map { passcodeBox($0) }),
            caller: Self.caller(user: 1000))
        guard case .refused(.noPasscodeSet) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(keychain.status?.enclave.hasPasscode == false)
        #expect(keychain.service.verdict(on: TeamKeys.one) == .unknown)
    }

    private static let acts: [(message: String, request: @Sendable () -> DeviceRequest)] = [
        ("SetPasscode", { .setPasscode(new: passcodeBox("1234")) }),
        ("ChangePasscode", { .changePasscode(current: passcodeBox("1234"), new: passcodeBox("5678")) }),
        ("RemovePasscode", { .removePasscode(current: passcodeBox("1234")) }),
        ("EraseDevice", { .erase(passcode: nil) }),
        ("ConfigureDevice", { .configure(passcode: nil, eraseAfterTenFailures: true, gracePeriodSeconds: nil) }),
        ("AskStatus", { .trustTeam(key: TeamKeys.one, name: "n", expires: nil, passcode: nil) }),
        ("VerifyPasscode", { .requireLevel(.b, passcode: passcodeBox("1234")) }),
    ]

    @Test("no passcode comes or goes between the look at it and the act", arguments: acts.indices)
    func oneAtATime(index: Int) throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        let isTaken = Mutex<Bool?>(nil)
        keychain.mailbox.afterNext(Self.acts[index].message) { [service = keychain.service] in
            let found = Pending { service.ownersTurn.withLockIfAvailable { _ in true } == nil }.value
            isTaken.withLock { $0 = found }
        }
        _ = keychain.service.perform(Self.acts[index].request(), caller: Self.caller(user: 0))
        #expect(isTaken.withLock { $0 } == true)
    }

    @Test("questions, locks and items need no proof")
    func others() throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        let caller = Self.caller(user: 1000)
        for request in [DeviceRequest.status, .teams, .applications, .refusals(limit: 1), .lock(immediately: true)] {
            #expect(rule(keychain.service.perform(request, caller: caller)) == nil)
        }
        #expect(keychain.add("a", "1") == .success)
    }

    @Test("a device of one user without a passcode is changed by every program of the user, as its files are")
    func oneUser() throws {
        for index in Self.changes.indices {
            let keychain = try TestKeychain()
            #expect(rule(keychain.service.perform(Self.changes[index].1(), caller: Self.caller(user: 1000))) == nil)
        }
    }
}
