import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag

extension Array {
    /// Calls the body with as many elements at a time as fit into one message to the enclave.
    func inBatches(_ body: (ArraySlice<Element>) throws(Setback) -> Void) throws(Setback) {
        for start in stride(from: 0, to: count, by: EnclaveLimits.keysPerBatch) {
            try body(self[start..<Swift.min(start + EnclaveLimits.keysPerBatch, count)])
        }
    }
}

extension DecryptedRow {
    /// The request to the enclave for the key of the row's secret.
    var question: WrappedKey {
        WrappedKey(
            keyClass: keyClass, use: .item, binding: item.accessControl.serialised, bytes: row.wrappedItemKey ?? [])
    }

    /// False if key or secret of this row were added or removed after it was written.
    var isWhole: Bool { !lacksItemKey && !lacksSecret }

    /// True if the secret of this row was added or removed after the row was written.
    var lacksSecret: Bool {
        switch row.binding {
        case .none, .unknown: false
        case .withSecret: row.sealedSecret == nil
        case .withoutSecret: row.sealedSecret != nil
        }
    }

    /// True if the row's key was removed: an item with a secret or with conditions always has one, a tombstone never.
    var lacksItemKey: Bool {
        row.wrappedItemKey == nil && !row.isTombstone
            && (row.sealedSecret != nil || item.accessControl.isConstrained
                || item.isOfEnclave)
    }
}
