import LatchkeyEncoding
import LatchkeyPropertyListDER

extension CircleReport: KeychainAnswer {
    package static let replyNumber: Int64 = 56
    private static let alarmLimit = 1_000
    private static let groupLimit = 1_000

    package func write(to writer: inout FieldWriter) {
        writer.integer(membership.rawValue)
        writer.optionalData(circle)
        writer.optionalData(device)
        writer.optionalText(store?.description)
        writer.boolean(isPaused)
        writer.boolean(isJoining)
        writer.optionalText(storeTrouble)
        writer.optionalDate(lastExchange)
        for count in [waitingChanges, waitingObjects, conflicts, sharedItems] { writer.integer(count) }
        writer.counts(localItems)
        writer.optionalDate(invitationExpires)
        writer.elements(alarms.prefix(Self.alarmLimit)) { part, alarm in
            part.integer(alarm.kind.rawValue)
            part.optionalData(alarm.device)
        }
        writer.elements(devices.prefix(CircleDevice.limit)) { $1.write(to: &$0) }
        writer.optionalText(fingerprint?.characters)
        writer.optionalData(asking)
        writer.optionalData(approver)
        writer.texts(Array(allowedGroups.prefix(Self.groupLimit)))
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init()
        guard let membership = Membership(rawValue: try fields.integer("membership")) else {
            throw .badField("membership")
        }
        self.membership = membership
        circle = try fields.optionalCircleIdentifier("circle")
        device = try fields.optionalCircleIdentifier("device")
        if let text = try fields.optionalText("store") {
            guard let address = StoreAddress(text) else { throw .badField("store") }
            store = address
        }
        isPaused = try fields.boolean("paused")
        isJoining = try fields.boolean("joining")
        storeTrouble = try fields.optionalText("trouble")
        lastExchange = try fields.optionalDate("last exchange")
        waitingChanges = try fields.count("waiting changes")
        waitingObjects = try fields.count("waiting objects")
        conflicts = try fields.count("conflicts")
        sharedItems = try fields.count("shared items")
        localItems = try fields.counts("local items")
        invitationExpires = try fields.optionalDate("invitation")
        alarms = try fields.elements("alarms", limit: Self.alarmLimit) { part throws(MessageCodingFailure) in
            guard let kind = CircleAlarm.Kind(rawValue: try part.integer("alarm")) else { throw .badField("alarm") }
            return CircleAlarm(kind, try part.optionalCircleIdentifier("device"))
        }
        devices = try fields.elements("devices", limit: CircleDevice.limit) { part throws(MessageCodingFailure) in
            try CircleDevice(from: &part)
        }
        fingerprint = try fields.optionalFingerprint("fingerprint")
        asking = try fields.optionalCircleIdentifier("asking")
        approver = try fields.optionalCircleIdentifier("approver")
        allowedGroups = try fields.texts("allowed groups", limit: Self.groupLimit)
    }
}

extension CircleDevice {
    func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.boolean(isSelf)
        writer.boolean(isMember)
        writer.optionalText(deviceName)
        writer.optionalText(system)
        writer.optionalDate(admitted)
        writer.optionalData(admittedBy)
        writer.boolean(isRecovered)
        writer.optionalDate(departed)
        writer.optionalData(departedBy)
        writer.optionalDate(lastHead)
        writer.integer(lacks)
        writer.integer(missing)
    }

    init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(
            identifier: try fields.circleIdentifier("device"), isSelf: try fields.boolean("self"),
            isMember: try fields.boolean("member"), deviceName: try fields.optionalText("name"),
            system: try fields.optionalText("system"), admitted: try fields.optionalDate("admitted"),
            admittedBy: try fields.optionalCircleIdentifier("by"), isRecovered: try fields.boolean("recovered"),
            departed: try fields.optionalDate("departed"),
            departedBy: try fields.optionalCircleIdentifier("departed by"),
            lastHead: try fields.optionalDate("last head"), lacks: try fields.count("lacks"),
            missing: try fields.count("missing"))
    }
}

extension FieldWriter {
    mutating func optionalData(_ bytes: [UInt8]?) {
        value(bytes.map { .data($0) } ?? .null)
    }
}

extension MessageFields {
    mutating func optionalCircleIdentifier(_ name: String) throws(MessageCodingFailure) -> [UInt8]? {
        guard let identifier = try optionalData(name) else { return nil }
        guard identifier.count == CircleDevice.identifierByteCount else { throw .badField(name) }
        return identifier
    }
}
