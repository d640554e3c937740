internal import LatchkeyEnclaveContract
package import LatchkeySyncCore

/// The keys of a device in a circle as the device stores them: six blobs that only its enclave can use.
///
/// Version 1 (1), then for each key the length of its blob (2, big-endian) and the blob.
package struct IdentityRecord: Hashable, Sendable {
    /// The order in the record.
    enum Key: Int, CaseIterable {
        case statement
        case log
        case agreementA
        case encapsulationA
        case agreementC
        case encapsulationC

        var kind: EnclaveKeyKind {
            switch self {
            case .statement, .log, .agreementA, .agreementC: .p256
            case .encapsulationA, .encapsulationC: .mlkem768
            }
        }
    }

    private static let version: UInt8 = 1

    private let blobs: [[UInt8]]
    package let publicKeys: DevicePublicKeys

    /// Returns nil unless there is a valid blob of its kind for each key. The enclave checks the blobs when it uses them.
    init?(blobs: [[UInt8]]) {
        guard blobs.count == Key.allCases.count else { return nil }
        var publicKeys: [[UInt8]] = []
        for (key, bytes) in zip(Key.allCases, blobs) {
            guard let blob = try? EnclaveKeyBlob(parsing: bytes), blob.kind == key.kind else { return nil }
            publicKeys.append(blob.publicKey)
        }
        func point(_ key: Key) -> P256PublicKey? { P256PublicKey(publicKeys[key.rawValue]) }
        func receive(_ agreement: Key, _ encapsulation: Key) -> ReceivePublicKeys? {
            guard let point = point(agreement), let key = MLKEMPublicKey(publicKeys[encapsulation.rawValue]) else {
                return nil
            }
            return ReceivePublicKeys(agreement: point, encapsulation: key)
        }
        guard let statement = point(.statement), let log = point(.log),
            let receiveA = receive(.agreementA, .encapsulationA),
            let receiveC = receive(.agreementC, .encapsulationC)
        else { return nil }
        self.blobs = blobs
        self.publicKeys = DevicePublicKeys(
            statement: statement, log: log, receiveA: receiveA, receiveC: receiveC)
    }

    /// Parses stored bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.first == Self.version else { return nil }
        var rest = bytes.dropFirst()
        var blobs: [[UInt8]] = []
        while !rest.isEmpty, blobs.count < Key.allCases.count {
            let length = rest.prefix(2)
            guard length.count == 2 else { return nil }
            let count = length.reduce(0) { $0 << 8 | Int($1) }
            let blob = rest.dropFirst(2).prefix(count)
            guard blob.count == count else { return nil }
            blobs.append(Array(blob))
            rest = rest.dropFirst(2 + count)
        }
        guard rest.isEmpty else { return nil }
        self.init(blobs: blobs)
    }

    package var bytes: [UInt8] {
        [Self.version] + blobs.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0 }
    }

    var allBlobs: [[UInt8]] { blobs }

    subscript(_ key: Key) -> [UInt8] { blobs[key.rawValue] }
}
