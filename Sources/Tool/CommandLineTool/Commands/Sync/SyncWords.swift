import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// The state of sync in words.
struct SyncWords {
    private let report: CircleReport
    private let lockState: LockState

    init(_ report: CircleReport, _ lockState: LockState) {
        self.report = report
        self.lockState = lockState
    }

    var lines: [String] {
        switch report.membership {
        case .none:
            return ["This device is in no circle. `latchkey sync create` founds one, `latchkey sync join` joins one."]
        case .waiting: return place + [waiting]
        case .departed:
            return place + [
                "This device was removed, or has left. Its items stay; `latchkey sync leave` forgets the circle."
            ]
        case .void:
            return place + [
                "The device that admitted this one was removed at the same time. Say `latchkey sync leave`, and join again."
            ]
        case .member: return place + state + local + alarms + devices
        }
    }

    private var place: [String] {
        var lines: [String] = []
        if let circle = report.circle { lines.append("Circle \(Hexadecimal.text(circle))") }
        if let fingerprint = report.fingerprint { lines.append("Fingerprint of this device \(fingerprint.grouped)") }
        if let asking = report.asking {
            let next =
                report.membership == .waiting
                ? "" : ", its new identity: `latchkey sync approve` on the device that made the code"
            lines.append("Waiting to be admitted as \(Hexadecimal.text(asking))\(next)")
        }
        if let store = report.store { lines.append("Store  \(PlainText.escaped(store.description))") }
        if report.isPaused { lines.append("Paused. `latchkey sync resume` goes on.") }
        if let trouble = report.storeTrouble {
            lines.append(
                "The store cannot be used: \(PlainText.escaped(trouble)). Changes and decisions wait here, and nothing is lost."
            )
        }
        return lines
    }

    private var waiting: String {
        guard let approver = report.approver, let fingerprint = report.fingerprint else {
            return "Waiting for `latchkey sync approve` on the device that invited this one."
        }
        return
            "Waiting for `latchkey sync approve \(fingerprint.grouped)` on the device \(Hexadecimal.text(approver)), "
            + "which alone can admit this one."
    }

    private var state: [String] {
        guard report.isKnown else {
            return [
                "Items, changes, devices and alarms are not known: what this device has of its circle cannot be read."
            ]
        }
        var lines: [String] = []
        if let last = report.lastExchange { lines.append("Last exchange \(CalendarDate.text(last))") }
        lines.append("\(ItemCount.text(Int(report.sharedItems), "item")) shared")
        switch lockState {
        case .noPasscode: lines.append("The device has no passcode any more: nothing is exchanged.")
        case .beforeFirstUnlock: lines.append("Not unlocked since the start: what comes waits for the first unlock.")
        case .locked: lines.append("Locked: items of the class for unlocked devices wait.")
        case .unlocked: break
        }
        if report.isJoining {
            lines.append(
                "Changes of this device wait until another one has seen that it is in the circle. If the others are gone for "
                    + "good, remove them: latchkey sync remove")
        }
        if report.waitingChanges > 0 {
            lines.append("\(ItemCount.text(Int(report.waitingChanges), "change")) of this device not in the store yet")
        }
        if report.waitingObjects > 0 {
            lines.append(
                "\(ItemCount.text(Int(report.waitingObjects), "object")) of other devices here, not opened yet")
        }
        if report.conflicts > 0 {
            lines.append("\(ItemCount.text(Int(report.conflicts), "version")) kept that lost: latchkey sync conflicts")
        }
        if let end = report.invitationExpires { lines.append("An invitation is open until \(CalendarDate.text(end))") }
        return lines
    }

    private var local: [String] {
        report.localItems.sorted { $0.key < $1.key }.map { name, count in
            "\(ItemCount.text(Int(count), "synchronizable item")) stay here: \(Self.reason(name))"
        }
    }

    private var alarms: [String] {
        report.alarms.map { alarm in
            let device = alarm.device.map { Self.name(of: $0, in: report.devices) } ?? ""
            return "ALARM: " + Self.text(alarm.kind, device)
        }
    }

    private var devices: [String] {
        report.devices.filter { $0.isMember && !$0.isSelf }.map { device in
            var parts: [String] = []
            if device.lacks > 0 {
                parts.append("\(ItemCount.text(Int(device.lacks), "change")) from here waiting for it")
            }
            if device.missing > 0 {
                parts.append("\(ItemCount.text(Int(device.missing), "change")) from it not here yet")
            }
            if parts.isEmpty { parts.append("has everything") }
            let seen = device.lastHead.map { "last seen \(CalendarDate.text($0))" } ?? "not seen yet"
            return "Device \(Self.name(of: device)): \(seen), \(parts.joined(separator: ", "))"
        }
    }

    static func name(of device: CircleDevice) -> String {
        let name =
            device.deviceName.map { PlainText.escaped($0) } ?? String(Hexadecimal.text(device.identifier).prefix(8))
        return device.isSelf ? name + " (this one)" : name
    }

    static func name(of identifier: [UInt8], in devices: [CircleDevice]) -> String {
        devices.first { $0.identifier == identifier }.map { name(of: $0) } ?? Hexadecimal.text(identifier)
    }

    /// The end of a membership, for a device that is not a member any more.
    static func departure(of device: CircleDevice, in devices: [CircleDevice]) -> String {
        guard let date = device.departed.map({ CalendarDate.text($0) }) else {
            return "not in the circle: the device that admitted it was removed at the same time"
        }
        guard let author = device.departedBy else { return "removed \(date) with the recovery code" }
        return author == device.identifier ? "left \(date)" : "removed \(date) by \(name(of: author, in: devices))"
    }

    private static func reason(_ name: String) -> String {
        switch name {
        case "protectionClass": "their class is for this device only"
        case "conditions": "they have conditions that only this device's enclave can judge"
        case "token": "they are keys of this device's enclave"
        case "group": "their group means a program of this machine only (latchkey sync groups allow)"
        case "tooLarge": "they are larger than 1 MiB"
        default: PlainText.escaped(name)
        }
    }

    private static func text(_ kind: CircleAlarm.Kind, _ device: String) -> String {
        switch kind {
        case .identityDuplicated:
            "this device was restored from an old copy, or runs twice. It writes nothing more. "
                + "`latchkey sync repair` gives it a new identity."
        case .deviceDuplicated:
            "the device \(device) was restored from an old copy, or runs twice. Nothing more is taken from it. "
                + "Say `latchkey sync repair` there, then remove the old identity here: `latchkey sync remove`."
        case .contradicted:
            "another device says that \(device) has written something else than what is here. One of the two lies, or "
                + "was restored. If \(device) was restored from an old copy, or runs twice, say `latchkey sync repair` there. If it "
                + "was not, remove the device that you do not trust: `latchkey sync remove`."
        case .ownChangesUnknown:
            "the device \(device) says that it has changes of this device that are not known here. If this device was "
                + "restored from an old copy, say `latchkey sync repair`. If it was not, remove \(device). Until then "
                + "nothing of this device is written."
        case .storeRolledBack:
            "the store shows an older state of \(device) than before. That device writes again what the store lacks: "
                + "`latchkey sync now` there does it at once. If the store was not emptied or restored, look at what copies it."
        case .objectsWithheld:
            "the store does not show everything that \(device) has written or knows, although others have it. Look at what copies "
                + "the store, then say `latchkey sync now` on \(device), and on the devices that have everything."
        case .malformedRecords:
            "something that \(device) has written was skipped: it is signed, and makes no sense here. Install the same release of "
                + "Latchkey on both devices, and save the items that are missing here once more there. If \(device) is not to be "
                + "trusted, remove it: `latchkey sync remove`."
        case .diverged:
            "the device \(device) has the same changes and other items. This device reads all items of \(device) again by itself. If "
                + "the alarm stays, say `latchkey sync leave --keep-items` here, join again, and report it."
        case .storeLimitReached:
            "this device has as much in the store as the circle allows, 256 MiB. New and changed items wait here, and nothing is "
                + "lost. Delete large items that are not needed: deletions are passed on, and make room."
        }
    }
}
