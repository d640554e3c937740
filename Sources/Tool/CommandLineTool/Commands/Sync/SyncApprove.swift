package import ArgumentParser
import LatchkeyEncoding
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// `latchkey sync approve`.
package struct SyncApprove: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "approve", abstract: "Admit a device to the circle. Asks for the passcode.",
        discussion: """
            Without a fingerprint, it is the device that has answered the invitation with its code. With one, it is the device \
            that shows this fingerprint: read it there. What the store shows proves nothing about a device without a code.
            """)

    @Argument(help: "The fingerprint that the other device shows: 26 characters.")
    package var fingerprint: String?

    @Flag(help: "Do not ask whether it is the right device.")
    package var yes = false

    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let named = try fingerprint.map { text throws(CommandFailure) in try FingerprintText(argument: text) }
        let device = try DeviceAccess(common, changes: true)
        guard let found = try device.ask(ListJoinRequests(named)).first else { throw try Self.nothing(named, device) }
        if !yes {
            let confirmation = Confirmation(word: "admit", unchanged: "No device was admitted.")
            try confirmation.requireTerminal(why: "\(found.title) would get every item of the circle.")
            try confirmation.ask(
                """
                \(found.title), \(Hexadecimal.text(found.identifier)), \(found.proof). \
                It would get every item of the circle.
                """, to: "admit it")
        }
        try device.ask(
            ApproveDevice(found.identifier, fingerprint: named, passcode: try device.ownersPasscode(common)))
        return .admitted(found)
    }

    private static func nothing(
        _ named: FingerprintText?, _ device: DeviceAccess
    ) throws(CommandFailure) -> CommandFailure {
        guard let named else {
            guard try device.ask(DescribeCircle()).invitationExpires != nil else {
                return CommandFailure(
                    .notApproved, "No device waits to be approved.",
                    why:
                        "No invitation is open on this device: none was made, or it was used, cancelled or timed out, or it "
                        + "ended with a restart of the daemon.",
                    advice:
                        "Make a new one with `latchkey sync invite`. A device that came without a code is named by its "
                        + "fingerprint: `latchkey sync approve FINGERPRINT`.")
            }
            return CommandFailure(
                .notApproved, "No device waits to be approved.",
                why: "No request with the code of the open invitation is in the store.",
                advice:
                    "Say `latchkey sync join` on the other device; a folder that a program copies may be late. A device "
                    + "that came without a code is named by its fingerprint.")
        }
        return CommandFailure(
            .notApproved, "No device waits to be approved.",
            why: "The store shows no request with the fingerprint \(named.grouped).",
            advice:
                "Compare it with the one that `latchkey sync status` shows there; a folder that a program copies may be late."
        )
    }
}

extension WaitingDevice {
    fileprivate var title: String {
        description.map { "The device \(PlainText.escaped($0.name)) (\(PlainText.escaped($0.system)))" }
            ?? "The device with the fingerprint \(fingerprint.grouped)"
    }

    /// The proof of the request, as a part of a sentence.
    fileprivate var proof: String {
        description == nil
            ? "has asked without a code, so its name is not known" : "has answered with the code of the invitation"
    }
}

extension FingerprintText {
    /// Reads a word of the command line, which may be a code: it is not repeated.
    init(argument: String) throws(CommandFailure) {
        guard let text = FingerprintText(argument) else {
            throw CommandFailure(
                .usage, "The word is not a fingerprint.",
                why: "A fingerprint has \(Self.characterCount) letters and digits.")
        }
        self = text
    }
}

extension Report {
    static func admitted(_ device: WaitingDevice) -> Report {
        let name = device.description?.name
        return Report(
            "The device \(name.map { PlainText.escaped($0) } ?? device.fingerprint.grouped) is admitted.",
            json: .object([
                ("device", .string(Hexadecimal.text(device.identifier))), ("name", name.map { .string($0) } ?? .null),
                ("fingerprint", .string(device.fingerprint.grouped)),
            ]))
    }
}
