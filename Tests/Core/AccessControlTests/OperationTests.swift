import LatchkeyAccessControl
import Testing

@Suite("What an access control guards")
struct OperationTests {
    @Test("without conditions everything is open")
    func open() {
        #expect(AccessControl(protection: .whenUnlocked).operations == [.other: .nothing])
    }

    @Test("conditions guard reading, not changing and deleting")
    func passwords() throws {
        let control = try AccessControl(protection: .whenUnlocked, flags: .devicePasscode)
        #expect(control.operations == [.decrypt: .conditions, .encrypt: .nothing, .delete: .nothing])
    }

    @Test("for a private key there is no reading, conditions guard its use")
    func privateKeys() throws {
        let control = try AccessControl(protection: .whenUnlocked, flags: [.privateKeyUsage, .devicePasscode])
        #expect(
            control.operations == [
                .sign: .conditions, .agreeOnKey: .conditions, .decapsulate: .conditions, .attest: .nothing,
                .delete: .nothing,
            ])
    }

    @Test(
        "the description names protection, operations and conditions",
        arguments: [
            ([], "<SecAccessControlRef: ak;dacl(true)>"),
            (.devicePasscode, "<SecAccessControlRef: ak;od(cup(true));odel(true);oe(true)>"),
            (
                [.devicePasscode, .biometryAny, .or],
                "<SecAccessControlRef: ak;od(ckon(1,cbio(any),cup(true)));odel(true);oe(true)>"
            ),
            (
                [.devicePasscode, .biometryCurrentSet],
                "<SecAccessControlRef: ak;od(ckon(2,cbio(current),cup(true)));odel(true);oe(true)>"
            ),
        ] as [(AccessControlFlags, String)])
    func descriptions(flags: AccessControlFlags, text: String) throws {
        #expect(try AccessControl(protection: .whenUnlocked, flags: flags).description == text)
    }
}
