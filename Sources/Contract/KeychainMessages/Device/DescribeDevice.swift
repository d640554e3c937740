package import LatchkeyCodeSignature
package import LatchkeyEnclaveContract
package import LatchkeyEncoding
package import LatchkeyItemModel
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// The state of the device. On the wire it is the enclave's own question for its status.
package struct DescribeDevice: DeviceQuestion {
    package static let traits: KeychainTraits = .repeatable

    package init() {}

    package var content: (field: PropertyValue, secrets: [SecretBox]) { (MessageCoding.enclaveStatusQuestion, []) }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> DeviceStatus {
        try device.answer(self)
    }
}

package struct DeviceStatus: Sendable, Equatable {
    package var enclave: EnclaveStatus
    /// "daemon" or "embedded": how the device is reached.
    package var kind: String
    package var directory: String
    /// Live rows per class, tombstones not counted.
    package var itemCounts: [String: Int64]
    package var quarantinedRows: Int64
    /// A damaged database file that was set aside, with what to do; nil normally.
    package var damageReport: String?
    /// True if the items of a forgotten app go.
    package var removesItemsOfForgottenApps: Bool
    /// The weakest assurance level at which a program is served.
    package var requiredLevel: AssuranceLevel
    /// The level of the program that asks.
    package var callerLevel: AssuranceLevel
    /// Items that were destroyed on purpose, which is not damage.
    package var endedItems: [EndedItemCount]

    package init(
        enclave: EnclaveStatus, kind: String, directory: String, itemCounts: [String: Int64],
        quarantinedRows: Int64, damageReport: String?, removesItemsOfForgottenApps: Bool = false,
        requiredLevel: AssuranceLevel = .c, callerLevel: AssuranceLevel = .c, endedItems: [EndedItemCount] = []
    ) {
        self.enclave = enclave
        self.kind = kind
        self.directory = directory
        self.itemCounts = itemCounts
        self.quarantinedRows = quarantinedRows
        self.damageReport = damageReport
        self.removesItemsOfForgottenApps = removesItemsOfForgottenApps
        self.requiredLevel = requiredLevel
        self.callerLevel = callerLevel
        self.endedItems = endedItems
    }
}

extension DeviceStatus: KeychainAnswer {
    package static let replyNumber: Int64 = 2

    package func write(to writer: inout FieldWriter) {
        writer.enclaveStatus(enclave)
        writer.text(kind)
        writer.text(directory)
        writer.counts(itemCounts)
        writer.integer(quarantinedRows)
        writer.optionalTextPart(damageReport)
        writer.boolean(removesItemsOfForgottenApps)
        writer.text(requiredLevel.rawValue)
        writer.text(callerLevel.rawValue)
        writer.elements(endedItems) { $1.write(to: &$0) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        enclave = try fields.enclaveStatus()
        kind = try fields.text("kind")
        directory = try fields.text("directory")
        itemCounts = try fields.counts("item counts")
        quarantinedRows = try fields.count("quarantined rows")
        damageReport = try fields.optionalTextPart("damage report")
        removesItemsOfForgottenApps = try fields.boolean("removes items of forgotten apps")
        requiredLevel = try fields.level("required level")
        callerLevel = try fields.level("caller's level")
        endedItems = try fields.elements("ended items", limit: EndReason.allCases.count) {
            part throws(MessageCodingFailure) in
            try EndedItemCount(from: &part)
        }
    }
}

/// The number of items that ended for one reason.
package struct EndedItemCount: Sendable, Hashable {
    package let reason: EndReason
    package let count: Int64
    /// The end of the last of them.
    package let lastDate: WallTime

    package init(reason: EndReason, count: Int64, lastDate: WallTime) {
        self.reason = reason
        self.count = count
        self.lastDate = lastDate
    }
}

extension EndedItemCount {
    fileprivate func write(to writer: inout FieldWriter) {
        writer.text(reason.rawValue)
        writer.integer(count)
        writer.date(lastDate)
    }

    fileprivate init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        reason = try fields.endReason()
        count = try fields.count("count")
        lastDate = try fields.date("date")
    }
}
