import Foundation
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@Suite("Entitlements that the environment declares")
struct DeclaredEntitlementsTests {
    /// A file of its own.
    private final class File {
        let path = NSTemporaryDirectory() + "latchkey-declared-\(UUID())"

        init(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
        }

        deinit {
            try? FileManager.default.removeItem(atPath: path)
        }

        func environment(device: String) -> [String: String] {
            ["LATCHKEY_DEVICE": device, DeclaredEntitlements.variable: path]
        }
    }

    private static let entitlements = DERWriter.encode(
        .dictionary([
            "application-identifier": .string("TEAM.app"), "keychain-access-groups": .array([.string("TEAM.shared")]),
        ]))

    @Test("give a program its groups on a device in a directory that is named")
    func declared() throws {
        let file = try File(Self.entitlements)
        let caller = try DeclaredEntitlements.caller(environment: file.environment(device: "dir:/d"), name: "/bin/a")
        #expect(caller?.application == "TEAM.app")
        #expect(caller?.accessGroups.starts(with: ["TEAM.shared", "TEAM.app"]) == true)
        #expect(caller?.isOwnersTool == false)
    }

    @Test("do not count for a daemon, nor for the user's own device, which is not named", arguments: ["unix:/s", ""])
    func ignored(_ device: String) throws {
        let file = try File(Self.entitlements)
        #expect(try DeclaredEntitlements.caller(environment: file.environment(device: device), name: "a") == nil)
        #expect(try DeclaredEntitlements.caller(environment: ["LATCHKEY_DEVICE": "dir:/d"], name: "a") == nil)
    }

    @Test(
        "that cannot be read leave a program without a device, and not with another group",
        arguments: [
            [], [1, 2, 3], DERWriter.encode(.array([])),
            DERWriter.encode(.dictionary(["keychain-access-groups": .string("one")])),
            [UInt8](repeating: 0, count: DeclaredEntitlements.byteLimit + 1),
        ])
    func malformed(_ bytes: [UInt8]) throws {
        let file = try File(bytes)
        #expect(throws: DeviceFailure.self) {
            try DeclaredEntitlements.caller(environment: file.environment(device: "dir:/d"), name: "a")
        }
    }
}
