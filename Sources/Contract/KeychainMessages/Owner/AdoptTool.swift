import LatchkeyItemModel
package import LatchkeySecretMemory

/// Moves items that the tool kept elsewhere to the owner's group; a program that is not the tool yet becomes it.
package struct AdoptTool: OwnersChange {
    package static let number: Int64 = 9
    // A program becomes the owner's tool with the passcode alone.
    package static let traits: KeychainTraits = [.dependsOnPasscode, .changesDevice, .audited]
    package static let name = "adopt"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package var subject: String { OwnersGroup.name }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(passcode: try fields.passcode())
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Adoption {
        try device.answer(self)
    }
}

/// The result of moving the items of the former homes.
package struct Adoption: Sendable, Hashable {
    /// Items that are in the owner's group now.
    package var moved: Int64 = 0
    /// Their protection class is locked.
    package var locked: Int64 = 0
    /// They ask for a person.
    package var guarded: Int64 = 0
    /// The owner's group has an item of the same name.
    package var duplicate: Int64 = 0
    /// Anything else: damage, a full disk.
    package var failed: Int64 = 0

    package init() {}

    /// Items that stay where they were. The owner's tool finds them there.
    package var left: Int64 { locked + guarded + duplicate + failed }

    package static func + (first: Adoption, second: Adoption) -> Adoption {
        var sum = first
        sum.moved += second.moved
        sum.locked += second.locked
        sum.guarded += second.guarded
        sum.duplicate += second.duplicate
        sum.failed += second.failed
        return sum
    }
}

extension Adoption: KeychainAnswer {
    package static let replyNumber: Int64 = 11

    package func write(to writer: inout FieldWriter) {
        for count in [moved, locked, guarded, duplicate, failed] { writer.integer(count) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        moved = try fields.count("moved items")
        locked = try fields.count("locked items")
        guarded = try fields.count("items that ask for a person")
        duplicate = try fields.count("items that exist already")
        failed = try fields.count("items that failed")
    }
}
