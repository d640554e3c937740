package import LatchkeyCodeSignature
package import LatchkeyEncoding
package import LatchkeyItemModel
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// The last refusals, newest first. On the wire it is their greatest number.
package struct ListRefusals: DeviceQuestion {
    package static let traits: KeychainTraits = .repeatable

    package let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    package var content: (field: PropertyValue, secrets: [SecretBox]) { (.integer(Int64(limit)), []) }

    package init(wireLimit: Int64) {
        limit = Int(min(max(wireLimit, 0), Int64(RefusalRecord.listLimit)))
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> [RefusalRecord] {
        try device.answer(self)
    }
}

/// A refusal as the device remembers it.
package struct RefusalRecord: Sendable, Hashable {
    package let time: WallTime
    package let caller: String
    /// `TEAM.bundle` of the caller's signature; nil for an unsigned program.
    package let application: String?
    package let level: AssuranceLevel
    package let operation: String
    package let itemClass: String
    package let accessGroup: String
    package let lockState: String
    package let code: ResultCode
    package let refusal: Refusal

    package init(
        time: WallTime, caller: String, application: String?, level: AssuranceLevel, operation: String,
        itemClass: String, accessGroup: String, lockState: String, code: ResultCode, refusal: Refusal
    ) {
        self.time = time
        self.caller = caller
        self.application = application
        self.level = level
        self.operation = operation
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.lockState = lockState
        self.code = code
        self.refusal = refusal
    }
}

extension RefusalRecord: ListedKeychainAnswer {
    package static let listNumber: Int64 = 3
    package static let listName = "refusals"
    package static let listLimit = 4096

    package func write(to writer: inout FieldWriter) {
        writer.date(time)
        for text in [caller, operation, itemClass, accessGroup, lockState] { writer.text(text) }
        writer.integer(Int64(code.rawValue))
        writer.value(MessageCoding.value(of: refusal))
        writer.text(level.rawValue)
        writer.optionalTextPart(application)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        time = try fields.date("time")
        caller = try fields.text("caller")
        operation = try fields.text("operation")
        itemClass = try fields.text("class")
        accessGroup = try fields.text("access group")
        lockState = try fields.text("lock state")
        code = try MessageCoding.resultCode(&fields)
        guard let part = try fields.part("refusal") else { throw .fieldMissing("refusal") }
        refusal = try MessageCoding.refusal(part)
        level = try fields.level("level")
        application = try fields.optionalTextPart("application")
    }
}
