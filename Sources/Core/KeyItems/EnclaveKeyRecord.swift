package import LatchkeyAccessControl
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// The content of an enclave key's row in place of data (Reference 11): the wrapped key, which only the enclave can
/// open, and the access control it is bound to. A DER dictionary of `oid` and `ac`.
package struct EnclaveKeyRecord: Sendable, Hashable {
    /// The size limit of a record; an access control has some hundred bytes, a blob as well.
    package static let byteLimit = 64 << 10

    /// `kSecAttrTokenOID`.
    package let blob: [UInt8]
    package let accessControl: AccessControl

    package init(blob: [UInt8], accessControl: AccessControl) {
        self.blob = blob
        self.accessControl = accessControl
    }

    /// Nil for data that is not such a record. Entries that a later version adds to the dictionary are ignored.
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
