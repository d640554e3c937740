package import LatchkeyAccessControl

/// The protection classes by the names that people write.
package enum AccessibleName {
    package static let table: [(name: String, protectionClass: ProtectionClass)] = [
        ("when-unlocked", .whenUnlocked),
        ("after-first-unlock", .afterFirstUnlock),
        ("always", .always),
        ("when-unlocked-this-device-only", .whenUnlockedThisDeviceOnly),
        ("after-first-unlock-this-device-only", .afterFirstUnlockThisDeviceOnly),
        ("always-this-device-only", .alwaysThisDeviceOnly),
        ("when-passcode-set-this-device-only", .whenPasscodeSetThisDeviceOnly),
    ]

    /// The raw code (`aku`) of a readable name, a constant's name, or of itself.
    package static func code(from text: String) -> String? {
        if let given = ProtectionClass(rawValue: text), ProtectionClass.ofItems.contains(given) { return text }
        let plain = text.lowercased().filter { $0 != "-" }
        let constants = ["", "ksecattraccessible", "attraccessible"]
        let match = table.first { row in
            let name = row.name.filter { $0 != "-" }
            return constants.contains { $0 + name == plain }
        }
        return match?.protectionClass.rawValue
    }

    /// `when-unlocked` for `ak`.
    package static func readable(_ code: String) -> String? {
        table.first { $0.protectionClass.rawValue == code }?.name
    }

    /// For messages and help.
    package static var choices: String {
        table.map { "\($0.name) (\($0.protectionClass.rawValue))" }.joined(separator: ", ")
    }
}
