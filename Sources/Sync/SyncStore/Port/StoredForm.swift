internal import LatchkeySyncCore

/// The outside of stored bytes, as far as a store looks: enough to tell an object from half of one.
///
/// Nothing is verified here. Objects of a later version count as whole: the reader reports them.
package enum StoredForm {
    package static func isWhole(_ bytes: [UInt8], of name: StoreObjectName) -> Bool {
        guard bytes.count <= name.byteLimit else { return false }
        do throws(ObjectFailure) {
            return name.kinds.contains(try ObjectFrame(parsing: bytes).content.kind)
        } catch {
            if case .unknownVersion = error { return true }
            return false
        }
    }

    /// Returns true if a device may write these bytes under the name, apart from heads.
    package static func isWritable(_ bytes: [UInt8], as name: StoreObjectName) -> Bool {
        switch name {
        case .head, .headCopy: false
        case .statement, .exchange, .evidence, .segment, .snapshotPart: isWhole(bytes, of: name)
        }
    }
}
