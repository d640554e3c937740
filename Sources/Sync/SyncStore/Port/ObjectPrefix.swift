internal import LatchkeyPlainText
package import LatchkeySyncCore

/// The objects that are listed together.
package enum ObjectPrefix: Hashable, Sendable {
    case statements
    /// The heads of all devices, and copies of them.
    case heads
    /// Invitations and requests.
    case exchanges
    case evidence
    case segments(StreamIdentifier)
    /// The parts of all snapshots of a device.
    case snapshots(DeviceIdentifier)

    /// The beginning of the names, as in ``StoreObjectName/description``.
    package var text: String {
        switch self {
        case .statements: "s/"
        case .heads: "h/"
        case .exchanges: "q/"
        case .evidence: "e/"
        case .segments(let stream): "\(stream.zone.letter)/\(stream.device)/"
        case .snapshots(let device): "n/\(device)/"
        }
    }

    /// Parses a prefix. Returns nil unless it is exactly the text of one.
    package init?(text: String) {
        switch text {
        case "s/": self = .statements
        case "h/": self = .heads
        case "q/": self = .exchanges
        case "e/": self = .evidence
        default:
            let parts = PathText.parts(of: text)
            guard parts.count == 2, let device = DeviceIdentifier(hexadecimal: parts[1]) else { return nil }
            if let zone = ZoneClass(letter: parts[0]) {
                self = .segments(StreamIdentifier(device, zone))
            } else {
                guard parts[0] == "n" else { return nil }
                self = .snapshots(device)
            }
            guard self.text.utf8.elementsEqual(text.utf8) else { return nil }
        }
    }
}
