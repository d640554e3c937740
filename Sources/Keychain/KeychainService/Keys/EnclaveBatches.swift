import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag

extension Array {
    /// As many elements at a time as the enclave takes in one message.
    func inBatches(_ body: (ArraySlice<Element>) throws(Setback) -> Void) throws(Setback) {
        for start in stride(from: 0, to: count, by: EnclaveLimits.keysPerBatch) {
            try body(self[start..<Swift.min(start + EnclaveLimits.keysPerBatch, count)])
        }
    }
}

extension OpenedRow {
    /// What the enclave is asked so that the row's secret can be opened.
    var question: WrappedKey {
        WrappedKey(
            keyClass: keyClass, use: .item, binding: item.accessControl.serialised, bytes: row.wrappedItemKey ?? [])
    }

    /// Whether the secret of this row was added or removed after the row was written.
    var lacksSecret: Bool {
        switch row.binding {
        case .none, .unknown: false
        case .withSecret: row.sealedSecret == nil
        case .withoutSecret: row.sealedSecret != nil
        }
    }

    /// Whether somebody took the row's key away: an item with a secret or with conditions always has one.
    var lacksItemKey: Bool {
        row.wrappedItemKey == nil
            && (row.sealedSecret != nil || item.accessControl.isConstrained
                || item.isOfEnclave)
    }
}
