internal import LatchkeyAccessControl
package import LatchkeyEnclaveContract
package import LatchkeySyncCore
package import LatchkeySyncKeys

/// A reason for which a device has no identity for a circle.
package enum IdentityFailure: Error, Equatable, Sendable {
    /// A device without a passcode cannot be a member.
    case passcodeNotSet
    /// The device must be unlocked to make the keys.
    case locked
    case enclave(EnclaveRefusal)
    /// The enclave made a key that cannot be read.
    case unreadable
}

/// The identity of a device in a circle: its private keys never leave the enclave.
///
/// The statement key is of class `akpu` and asks for the passcode; it ends with the passcode. The log key and the receive
/// keys of zone C are of class `cku`, those of zone A of class `aku`.
package struct EnclaveIdentity: SyncIdentity {
    package let record: IdentityRecord
    private let enclave: any EnclaveMailbox
    /// The context in which the user proved the passcode.
    private let context: ContextIdentifier?

    /// - Parameter context: without one, nothing is signed with the statement key.
    package init(_ record: IdentityRecord, enclave: any EnclaveMailbox, context: ContextIdentifier? = nil) {
        self.record = record
        self.enclave = enclave
        self.context = context
    }

    /// Makes the keys of a new identity. The device has a passcode and is unlocked.
    package static func make(by enclave: any EnclaveMailbox) throws(IdentityFailure) -> IdentityRecord {
        var blobs: [[UInt8]] = []
        for key in IdentityRecord.Key.allCases {
            do throws(IdentityFailure) {
                blobs.append(try make(key, by: enclave))
            } catch {
                // The keys made so far are of no use.
                if !blobs.isEmpty { _ = try? enclave.ask(DeleteKeys(blobs)) }
                throw error
            }
        }
        guard let record = IdentityRecord(blobs: blobs) else { throw .unreadable }
        return record
    }

    private static func make(
        _ key: IdentityRecord.Key, by enclave: any EnclaveMailbox
    ) throws(IdentityFailure) -> [UInt8] {
        guard let control = key.accessControl else { throw .unreadable }
        let answer: NewKeyAnswer
        do throws(EnclaveRefusal) {
            answer = try enclave.ask(MakeKey(key.newKey, under: control, context: nil))
        } catch {
            throw .enclave(error)
        }
        switch answer {
        case .created(let blob, _): return blob
        case .refused(.classKeyMissing), .notBound: throw .passcodeNotSet
        case .refused: throw .locked
        }
    }

    /// Deletes the private keys: no copy of the record can be used any more.
    package func delete() throws(EnclaveRefusal) {
        try enclave.ask(DeleteKeys(record.allBlobs))
    }

    /// Returns the identity with the passcode that the user proved in a context.
    package func provingPasscode(in context: ContextIdentifier) -> EnclaveIdentity {
        EnclaveIdentity(record, enclave: enclave, context: context)
    }

    package var publicKeys: DevicePublicKeys { record.publicKeys }

    package var statementKey: any ObjectSigning {
        EnclaveSigningKey(blob: record[.statement], enclave: enclave, context: context)
    }

    package var logKey: any ObjectSigning {
        EnclaveSigningKey(blob: record[.log], enclave: enclave, context: nil)
    }

    package func receiveKeys(of zone: ZoneClass) -> any ShareReceiving {
        switch zone {
        case .a:
            EnclaveReceiveKeys(
                agreement: record[.agreementA], encapsulation: record[.encapsulationA],
                publicKeys: publicKeys.receiveA, enclave: enclave)
        case .c:
            EnclaveReceiveKeys(
                agreement: record[.agreementC], encapsulation: record[.encapsulationC],
                publicKeys: publicKeys.receiveC, enclave: enclave)
        }
    }
}

extension IdentityRecord.Key {
    fileprivate var newKey: NewEnclaveKey { kind == .p256 ? .p256 : .mlkem768 }

    fileprivate var accessControl: AccessControl? {
        switch self {
        case .statement:
            try? AccessControl(
                protection: .whenPasscodeSetThisDeviceOnly, flags: [.devicePasscode, .privateKeyUsage])
        case .agreementA, .encapsulationA:
            try? AccessControl(protection: .whenUnlockedThisDeviceOnly, flags: .privateKeyUsage)
        case .log, .agreementC, .encapsulationC:
            try? AccessControl(protection: .afterFirstUnlockThisDeviceOnly, flags: .privateKeyUsage)
        }
    }
}
