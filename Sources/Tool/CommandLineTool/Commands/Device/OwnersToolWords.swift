import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyPlainText

/// Texts for the device's owner about items that this program does not show on this device.
enum OwnersToolWords {
    /// Further rows of `latchkey status`, each with its line break before it; nothing normally.
    static func status(_ tool: OwnersTool, second: DeviceDirectory?) -> String {
        var rows: [String] = []
        if !tool.isCaller {
            let other =
                tool.path.map { "that is \(PlainText.escaped($0)), which finds the owner's items" }
                ?? "its file was moved or removed since the daemon started (latchkey doctor)"
            rows.append("Owner's tool   is not this program: " + other)
        }
        let count = tool.formerHomes.reduce(0) { $0 + $1.itemCount }
        if count > 0 {
            rows.append(
                "Former paths   \(ItemCount.text(count)) of the tool: latchkey adopt makes them the owner's"
            )
        }
        if let second { rows.append("Second device  " + secondDevice(second)) }
        return rows.map { "\n" + $0 }.joined()
    }

    static func secondDevice(_ directory: DeviceDirectory) -> String {
        "\(PlainText.escaped(directory.path)) is not used: latchkey migrate moves its items to this one"
    }
}
