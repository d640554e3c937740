import LatchkeyAccessControl
import LatchkeyPropertyListDER
import Testing

@Suite("An access control as bytes")
struct SerialisationTests {
    private static let flagSets: [AccessControlFlags] = [
        [], .userPresence, [.biometryAny, .devicePasscode, .or], [.biometryCurrentSet, .companion],
        [.privateKeyUsage, .applicationPassword, .userPresence],
    ]

    @Test("what is written is read again", arguments: ProtectionClass.allCases, flagSets)
    func roundTrip(protection: ProtectionClass, flags: AccessControlFlags) throws {
        let control = try AccessControl(protection: protection, flags: flags)
        for control in [control, control.marked(asBound: true), control.marked(asBound: false)].compactMap(\.self) {
            #expect(try AccessControl(serialised: control.serialised) == control)
        }
    }

    @Test("the bytes are a DER dictionary with protection, flags and mark")
    func form() throws {
        let control = try AccessControl(protection: .whenPasscodeSetThisDeviceOnly, flags: .devicePasscode)
        #expect(
            control.serialised == [
                0x31, 0x26,
                0x30, 0x0A, 0x0C, 0x05, 0x62, 0x6F, 0x75, 0x6E, 0x64, 0x01, 0x01, 0x00,
                0x30, 0x0A, 0x0C, 0x05, 0x66, 0x6C, 0x61, 0x67, 0x73, 0x02, 0x01, 0x10,
                0x30, 0x0C, 0x0C, 0x04, 0x70, 0x72, 0x6F, 0x74, 0x0C, 0x04, 0x61, 0x6B, 0x70, 0x75,
            ])
        #expect(
            try DERReader.decode(control.serialised)
                == .dictionary([
                    "prot": .string("akpu"), "flags": .integer(16), "bound": .boolean(false),
                ]))
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let failure: SerialisationFailure

        init(_ name: String, _ value: PropertyValue, _ failure: SerialisationFailure) {
            self.init(name, bytes: DERWriter.encode(value), failure)
        }

        init(_ name: String, bytes: [UInt8], _ failure: SerialisationFailure) {
            self.testDescription = name
            self.bytes = bytes
            self.failure = failure
        }
    }

    private static func fields(_ changes: [String: PropertyValue?]) -> PropertyValue {
        var fields: [String: PropertyValue] = ["prot": .string("ak"), "flags": .integer(1), "bound": .boolean(false)]
        for (key, value) in changes { fields[key] = value }
        return .dictionary(fields)
    }

    @Test(
        "bytes that are not a valid access control are refused, each for its reason",
        arguments: [
            Broken("no bytes", bytes: [], .empty),
            Broken("cut", bytes: [0x31, 0x05], .notDER(.truncated)),
            Broken("trailing byte", bytes: DERWriter.encode(fields([:])) + [0], .notDER(.trailingBytes)),
            Broken("a list", .array([]), .notADictionary),
            Broken("no protection", fields(["prot": nil]), .missing(key: "prot")),
            Broken("no flags", fields(["flags": nil]), .missing(key: "flags")),
            Broken("no mark", fields(["bound": nil]), .missing(key: "bound")),
            Broken("one more key", fields(["zzz": .null]), .unknownKey("zzz")),
            Broken("protection as data", fields(["prot": .data([0x61])]), .wrongType(key: "prot")),
            Broken("flags as text", fields(["flags": .string("1")]), .wrongType(key: "flags")),
            Broken("negative flags", fields(["flags": .integer(-1)]), .wrongType(key: "flags")),
            Broken("mark as number", fields(["bound": .integer(1)]), .wrongType(key: "bound")),
            Broken(
                "unknown protection", fields(["prot": .string("xx")]),
                .impossible(.unknownProtection(found: "xx"))),
            Broken("contradiction", fields(["flags": .integer(0xC000)]), .impossible(.bothOrAndAnd)),
            Broken("needless or", fields(["flags": .integer(0x4010)]), .notSimplest),
            Broken("unknown bit", fields(["flags": .integer(0x90)]), .notSimplest),
        ])
    func broken(row: Broken) {
        #expect(throws: row.failure) { try AccessControl(serialised: row.bytes) }
    }

    @Test("every cut of good bytes is refused")
    func cuts() throws {
        let bytes = try AccessControl(protection: .always, flags: [.biometryAny, .devicePasscode]).serialised
        for length in 0..<bytes.count {
            #expect(throws: SerialisationFailure.self) { try AccessControl(serialised: [UInt8](bytes[..<length])) }
        }
    }
}
