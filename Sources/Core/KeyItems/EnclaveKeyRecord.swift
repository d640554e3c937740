package import LatchkeyAccessControl
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// What the row of an enclave's key holds in place of data (Reference 11): the key as only the enclave opens
/// it, and the access control it is bound to. A DER dictionary of `oid` and `ac`.
package struct EnclaveKeyRecord: Sendable, Hashable {
    /// What a record may weigh; an access control is some hundred bytes, a blob as well.
    package static let byteLimit = 64 << 10

    /// `kSecAttrTokenOID`.
    package let blob: [UInt8]
    package let accessControl: AccessControl

    package init(blob: [UInt8], accessControl: AccessControl) {
        self.blob = blob
        self.accessControl = accessControl
    }

    /// Nil for data that is no such record. What a later version adds to the dictionary is passed over.
    package init?(_ data: SecretBox) {
        guard data.count <= Self.byteLimit,
            case .dictionary(let fields)? = try? unsafe data.withBytes({
                try unsafe DERReader.decode($0, limits: DERReader.Limits(depth: 4, values: 64))
            }), case .data(let blob)? = fields["oid"], case .data(let bytes)? = fields["ac"],
            let accessControl = try? AccessControl(serialised: bytes)
        else { return nil }
        self.init(blob: blob, accessControl: accessControl)
    }

    /// The record as the data of a row.
    package var data: SecretBox {
        SecretBox(copying: DERWriter.encode(.dictionary(["oid": .data(blob), "ac": .data(accessControl.serialised)])))
    }
}
