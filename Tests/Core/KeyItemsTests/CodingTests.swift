import LatchkeyAccessControl
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

/// Values that cross the wire or lie in a row: objects, identities that are added, records of the enclave's keys.
@Suite struct CodingTests {
    private static let objects: [ItemObject] = [
        .key(keyClass: 1, type: 73, dataSecret: 0), .key(keyClass: 0, type: 42, dataSecret: 7),
        .enclaveKey(blob: []), .enclaveKey(blob: [1, 2, 3]), .certificate(dataSecret: 4),
        .identity(key: .key(keyClass: 1, type: 73, dataSecret: 1), certificateSecret: 0),
        .identity(key: .enclaveKey(blob: [9]), certificateSecret: 3),
    ]

    @Test("an object comes back as it was", arguments: objects)
    func object(_ object: ItemObject) {
        #expect(ItemObject(object.value) == object)
    }

    private static let noObjects: [PropertyValue] = [
        .null, .reference(kind: "SecKey", bytes: []), .reference(kind: "SecAccessControl", bytes: [1]),
        reference("SecCertificate", [.integer(1), .integer(1), .integer(73), .integer(0)]),
        reference("SecKey", [.integer(1), .integer(1), .integer(73)]),
        reference("SecKey", [.integer(1), .integer(1), .integer(73), .integer(-1)]),
        reference("SecKey", [.integer(9), .data([1])]), reference("SecKey", [.integer(2), .string("x")]),
        reference("SecKey", []), reference("SecCertificate", [.integer(3), .data([])]),
        reference(
            "SecIdentity",
            [
                .integer(4),
                .array([.integer(4), .array([.integer(2), .data([1])]), .integer(0)]), .integer(0),
            ]),
        .data(DERWriter.encode(.array([.integer(2), .data([1])]))),
    ]

    @Test("bytes that are not an object make none", arguments: noObjects)
    func noObject(_ value: PropertyValue) {
        #expect(ItemObject(value) == nil)
    }

    private static func reference(_ kind: String, _ fields: [PropertyValue]) -> PropertyValue {
        .reference(kind: kind, bytes: DERWriter.encode(.array(fields)))
    }

    @Test("the parts of an identity come back as they were, and other bytes are refused")
    func identity() {
        let identity = IdentityReference(
            certificate: ["labl": .string("l"), "v_Data": .data([1])], key: ["klbl": .data([2]), "v_Data": .secret(0)])
        #expect(IdentityReference(identity.value) == identity)
        for value in [
            PropertyValue.null, .dictionary([:]), .dictionary(["cert": .dictionary([:])]),
            .dictionary(["cert": .dictionary([:]), "keys": .data([])]),
            .dictionary(["cert": .dictionary([:]), "keys": .dictionary([:]), "more": .null]),
        ] {
            #expect(IdentityReference(value) == nil)
        }
    }

    // MARK: Records of the enclave's keys

    private static let control = AccessControl(protection: .afterFirstUnlock)

    @Test("a record is a dictionary of key and access control, and comes back as it was")
    func record() throws {
        let record = EnclaveKeyRecord(blob: [1, 2, 3], accessControl: Self.control)
        #expect(EnclaveKeyRecord(record.data) == record)
        let bytes = record.data.withBytes { Array($0) }
        #expect(
            try DERReader.decode(bytes)
                == .dictionary(["oid": .data([1, 2, 3]), "ac": .data(Self.control.serialised)]))
    }

    @Test("what a later version adds is passed over")
    func laterRecord() {
        let bytes = DERWriter.encode(
            .dictionary([
                "oid": .data([1]), "ac": .data(Self.control.serialised), "data": .data([3]), "zz": .array([.null]),
            ]))
        #expect(EnclaveKeyRecord(SecretBox(copying: bytes)) == EnclaveKeyRecord(blob: [1], accessControl: Self.control))
    }

    private static let noRecords: [[UInt8]] = [
        DERWriter.encode(.dictionary(["oid": .data([1]), "ac": .data([1])])),
        [], [0x31, 0x80], DERWriter.encode(.array([.data([1]), .data([2])])),
        DERWriter.encode(.dictionary(["oid": .data([1])])), DERWriter.encode(.dictionary(["ac": .data([1])])),
        DERWriter.encode(.dictionary(["oid": .string("x"), "ac": .data([1])])),
        DERWriter.encode(.dictionary(["oid": .data([1]), "ac": .data([1])])) + [0],
        Array(DERWriter.encode(.dictionary(["oid": .data([1]), "ac": .data([1])])).dropLast()),
        DERWriter.encode(
            .dictionary(["oid": .data([1]), "ac": .data([1]), "x": .array(Array(repeating: .null, count: 100))])),
        DERWriter.encode(.dictionary(["oid": .data([UInt8](repeating: 0, count: 70_000)), "ac": .data([1])])),
    ]

    @Test("bytes that are not a record make none", arguments: noRecords)
    func noRecord(_ bytes: [UInt8]) {
        #expect(EnclaveKeyRecord(SecretBox(copying: bytes))?.blob == nil)
    }
}
