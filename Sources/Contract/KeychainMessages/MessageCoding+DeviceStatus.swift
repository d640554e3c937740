import LatchkeyCodeSignature
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyPropertyListDER

extension MessageCoding {
    static func statusFields(_ status: DeviceStatus) -> [PropertyValue] {
        [
            .data(EnclaveMessageCodec.encode(status.enclave).body), .string(status.kind),
            .string(status.directory), .dictionary(status.itemCounts.mapValues { .integer($0) }),
            .integer(status.quarantinedRows), status.damageReport.map { .array([.string($0)]) } ?? .null,
            .boolean(status.removesItemsOfForgottenApps), .string(status.requiredLevel.rawValue),
            .string(status.callerLevel.rawValue), .array(status.endedItems.map { value(of: $0) }),
        ]
    }

    static func status(_ fields: inout MessageFields) throws(MessageCodingFailure) -> DeviceStatus {
        guard case .success(let enclave) = try enclaveAnswer(EnclaveStatus.self, &fields) else {
            throw .badField("enclave status")
        }
        let kind = try fields.text("kind")
        let directory = try fields.text("directory")
        let counts = try fields.counts("item counts")
        let quarantined = try fields.count("quarantined rows")
        var damage: String?
        if var part = try fields.part("damage report") {
            damage = try part.text("damage report")
            try part.finish()
        }
        let removesItems = try fields.boolean("removes items of forgotten apps")
        let requiredLevel = try level("required level", &fields)
        let callerLevel = try level("caller's level", &fields)
        let endedItems = try endedCounts(&fields)
        return DeviceStatus(
            enclave: enclave, kind: kind, directory: directory, itemCounts: counts, quarantinedRows: quarantined,
            damageReport: damage, removesItemsOfForgottenApps: removesItems, requiredLevel: requiredLevel,
            callerLevel: callerLevel, endedItems: endedItems)
    }

    private static func level(
        _ name: String, _ fields: inout MessageFields
    ) throws(MessageCodingFailure) -> AssuranceLevel {
        guard let level = AssuranceLevel(rawValue: try fields.text(name)) else { throw .badField(name) }
        return level
    }

    static func value(of record: RefusalRecord) -> PropertyValue {
        .array([
            .date(record.time), .string(record.caller), .string(record.operation), .string(record.itemClass),
            .string(record.accessGroup), .string(record.lockState), .integer(Int64(record.code.rawValue)),
            value(of: record.refusal), .string(record.level.rawValue),
            record.application.map { .array([.string($0)]) } ?? .null,
        ])
    }

    static func records(_ fields: inout MessageFields) throws(MessageCodingFailure) -> [RefusalRecord] {
        try fields.elements("refusals", limit: refusalsPerReply, record)
    }

    private static func record(_ fields: inout MessageFields) throws(MessageCodingFailure) -> RefusalRecord {
        let time = try fields.date("time")
        let caller = try fields.text("caller")
        let operation = try fields.text("operation")
        let itemClass = try fields.text("class")
        let accessGroup = try fields.text("access group")
        let lockState = try fields.text("lock state")
        let code = try resultCode(&fields)
        guard let part = try fields.part("refusal") else { throw .fieldMissing("refusal") }
        let reason = try refusal(part)
        guard let level = AssuranceLevel(rawValue: try fields.text("level")) else { throw .badField("level") }
        var application: String?
        if var part = try fields.part("application") {
            application = try part.text("application")
            try part.finish()
        }
        return RefusalRecord(
            time: time, caller: caller, application: application, level: level, operation: operation,
            itemClass: itemClass, accessGroup: accessGroup, lockState: lockState, code: code, refusal: reason)
    }
}
