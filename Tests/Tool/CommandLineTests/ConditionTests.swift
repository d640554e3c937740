import ArgumentParser
import LatchkeyAccessControl
import LatchkeyCommandLineTool
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@Suite("Conditions on the command line")
struct ConditionTests {
    private func rules(_ arguments: [String], accessible: String? = nil) throws -> AccessControl? {
        let options = try ConditionOptions.parse(arguments)
        guard let pair = try options.pair(accessible: accessible) else { return nil }
        #expect(pair.key == .string("accc"))
        guard case .reference(kind: "SecAccessControl", let bytes) = pair.value else {
            Issue.record("no access control")
            return nil
        }
        return try AccessControl(serialised: bytes)
    }

    @Test(
        "each name is its flag, several are all wanted, --any makes one enough",
        arguments: [
            ("user-presence", [.userPresence]), ("biometry-any", [.biometryAny]),
            ("biometry-current-set", [.biometryCurrentSet]), ("passcode", [.devicePasscode]),
            ("application-password", [.applicationPassword]),
            ("passcode biometry-any", [.devicePasscode, .biometryAny, .and]),
            ("passcode biometry-any any", [.devicePasscode, .biometryAny, .or]),
            ("user-presence application-password", [.userPresence, .applicationPassword]),
        ] as [(String, AccessControlFlags)])
    func flags(_ words: String, _ flags: AccessControlFlags) throws {
        let arguments = words.split(separator: " ").flatMap { $0 == "any" ? ["--any"] : ["--require", String($0)] }
        let made = try rules(arguments)
        #expect(made?.flags == flags)
        #expect(made?.protection == .whenUnlocked)
        #expect(try rules(arguments, accessible: "akpu")?.protection == .whenPasscodeSetThisDeviceOnly)
    }

    @Test("no condition makes no access control")
    func none() throws {
        #expect(try rules([]) == nil)
    }

    @Test(
        "what does not go together is a matter of the arguments",
        arguments: [
            ["--any"], ["--require", "user-presence", "--require", "passcode"],
            ["--require", "biometry-any", "--require", "biometry-current-set"],
        ])
    func contradictions(_ arguments: [String]) throws {
        let options = try ConditionOptions.parse(arguments)
        #expect { try options.pair(accessible: nil) } throws: { ($0 as? CommandFailure)?.status == .usage }
    }

    @Test("forbidding prompts, and the reason, are keys of the query")
    func asking() throws {
        let options = try AskingOptions.parse(["--prompt", "Why not", "--no-prompt"])
        #expect(
            options.pairs() == [
                QueryPair("u_OpPrompt", .string("Why not")), QueryPair("u_AuthUI", .string("u_AuthUIF")),
            ])
        #expect(try AskingOptions.parse([]).pairs().isEmpty)
    }

    @Test("a name behind --require is not taken for a secret")
    func argumentGuard() throws {
        try ArgumentGuard.refuseSecrets(in: ["add-generic-password", "--require", "passcode", "-w"])
        #expect {
            try ArgumentGuard.refuseSecrets(in: ["add-generic-password", "--require", "passcode", "-w", "x"])
        } throws: {
            ($0 as? CommandFailure)?.status == .secretInArguments
        }
    }

    @Test(
        "a person is asked by calls that open items, and by adds with conditions, unless prompts are forbidden",
        arguments: [
            (.find, [], true), (.update, [], true), (.add, [], false), (.delete, [], false),
            (.add, [QueryPair("accc", .null)], true), (.find, [QueryPair("u_AuthUI", .string("u_AuthUIF"))], false),
            (.find, [QueryPair("u_AuthUI", .string("u_AuthUIS"))], false),
            (.find, [QueryPair("u_AuthUI", .string("u_AuthUIA"))], true),
        ] as [(ItemOperation, [QueryPair], Bool)])
    func mayAsk(_ operation: ItemOperation, _ query: [QueryPair], _ mayAsk: Bool) {
        #expect(ItemRequest(operation: operation, query: query, wantsResult: false).mayAskPerson == mayAsk)
    }
}
