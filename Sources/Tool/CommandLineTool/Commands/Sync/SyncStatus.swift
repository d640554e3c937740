package import ArgumentParser
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey sync status`.
package struct SyncStatus: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how far the exchange of items is, and what it waits for.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let report = try device.ask(DescribeCircle())
        let status = try device.status()
        return Report(
            SyncWords(report, status.enclave.lockState).lines.joined(separator: "\n"), json: report.json)
    }
}

/// `latchkey sync devices`.
package struct SyncDevices: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "Show the devices of the circle, and those that were.")

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let devices = try DeviceAccess(common).circle().devices
        let lines = (devices.filter(\.isMember) + devices.filter { !$0.isMember }).map { device in
            let admitted = device.admitted.map { CalendarDate.text($0) } ?? "?"
            let by =
                if device.isRecovered { "with the recovery code" } else if let author = device.admittedBy {
                    "by " + SyncWords.name(of: author, in: devices)
                } else { "as the founder" }
            let gone = device.isMember ? "" : ", " + SyncWords.departure(of: device, in: devices)
            let seen = device.lastHead.map { ", last seen \(CalendarDate.text($0))" } ?? ""
            return "\(Hexadecimal.text(device.identifier))  \(SyncWords.name(of: device)) "
                + "(\(PlainText.escaped(device.system ?? "system not known"))), in it since \(admitted) \(by)\(seen)\(gone)"
        }
        return Report(lines.joined(separator: "\n"), json: .array(devices.map(\.json)))
    }
}

extension DeviceAccess {
    /// The report on the circle of the device, which is in one.
    func circle() throws(CommandFailure) -> CircleReport {
        let report = try ask(DescribeCircle())
        guard report.membership != .none else {
            throw CommandFailure(
                .notInCircle, "This device is in no circle.",
                advice: "Found one with `latchkey sync create`, or join one with `latchkey sync join`.")
        }
        return report
    }

    /// The report on a circle that is to be changed. Refuses during a pause, before the user is asked for anything.
    func activeCircle() throws(CommandFailure) -> CircleReport {
        let report = try circle()
        guard !report.isPaused else { throw CommandFailure(.notAvailable, Refusal(.syncPaused)) }
        return report
    }

    /// The failure of the store after a decision, which stands all the same; nil if the store has it, or the device does not answer.
    var storeTrouble: String? { (try? ask(DescribeCircle()))?.storeTrouble }
}

extension Report {
    /// Adds to the report on a decision that no other device hears of it yet.
    func noting(storeTrouble trouble: String?) -> Report {
        guard case .object(let members) = json else { return self }
        let note = trouble.map { trouble in
            Piece.text("No other device hears of it until the store is back: \(PlainText.escaped(trouble)).\n")
        }
        var report = self
        if let note { report.pieces.append(note) }
        report.json = .object(members + [("storeTrouble", trouble.map { .string($0) } ?? .null)])
        return report
    }
}

extension CircleReport {
    var json: JSONValue {
        func bytes(_ bytes: [UInt8]?) -> JSONValue { bytes.map { .string(Hexadecimal.text($0)) } ?? .null }
        func known(_ value: JSONValue) -> JSONValue { isKnown ? value : .null }
        let state: [(String, JSONValue)] = [
            ("membership", .string("\(membership)")), ("circle", bytes(circle)), ("device", bytes(device)),
            ("store", store.map { .string($0.description) } ?? .null), ("paused", .boolean(isPaused)),
            ("joining", .boolean(isJoining)),
            ("storeTrouble", storeTrouble.map { .string($0) } ?? .null),
            ("lastExchange", lastExchange.map { .string(CalendarDate.text($0)) } ?? .null),
        ]
        let counts: [(String, JSONValue)] = [
            ("waitingChanges", known(.integer(waitingChanges))), ("waitingObjects", known(.integer(waitingObjects))),
            ("conflicts", .integer(conflicts)), ("sharedItems", known(.integer(sharedItems))),
            (
                "localItems",
                known(.object(localItems.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }))
            ),
        ]
        let others: [(String, JSONValue)] = [
            ("invitationExpires", invitationExpires.map { .string(CalendarDate.text($0)) } ?? .null),
            ("alarms", known(.array(alarms.map(\.json)))), ("devices", known(.array(devices.map(\.json)))),
            ("fingerprint", fingerprint.map { .string($0.grouped) } ?? .null), ("asking", bytes(asking)),
            ("approver", bytes(approver)),
        ]
        return .object(state + counts + others)
    }
}

extension CircleAlarm {
    fileprivate var json: JSONValue {
        let device: JSONValue = device.map { .string(Hexadecimal.text($0)) } ?? .null
        return .object([("kind", .string("\(kind)")), ("device", device)])
    }
}

extension CircleDevice {
    var json: JSONValue {
        .object([
            ("device", .string(Hexadecimal.text(identifier))), ("self", .boolean(isSelf)),
            ("member", .boolean(isMember)), ("name", deviceName.map { .string($0) } ?? .null),
            ("system", system.map { .string($0) } ?? .null),
            ("admitted", admitted.map { .string(CalendarDate.text($0)) } ?? .null),
            ("admittedBy", admittedBy.map { .string(Hexadecimal.text($0)) } ?? .null),
            ("recovered", .boolean(isRecovered)),
            ("departed", departed.map { .string(CalendarDate.text($0)) } ?? .null),
            ("departedBy", departedBy.map { .string(Hexadecimal.text($0)) } ?? .null),
            ("lastSeen", lastHead.map { .string(CalendarDate.text($0)) } ?? .null), ("lacks", .integer(lacks)),
            ("missing", .integer(missing)),
        ])
    }
}
