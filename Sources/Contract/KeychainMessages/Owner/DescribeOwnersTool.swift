/// A question about the owner's tool: whether the caller is the tool, and the other groups in which it kept items.
package struct DescribeOwnersTool: ListedDeviceQuestion, BareKeychainQuestion {
    package static let number: Int64 = 8
    package static let traits: KeychainTraits = .repeatable

    package init() {}

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> OwnersTool {
        try device.answer(self)
    }
}

/// The owner's tool of a device, as described to the caller.
package struct OwnersTool: Sendable, Hashable {
    /// True if the caller is the tool.
    package let isCaller: Bool
    /// The path of the tool that the daemon knows; nil for a device without a daemon, or if the file was removed.
    package let path: String?
    /// The groups of items that the tool kept under the path of its file instead of in the owner's group.
    package let formerHomes: [FormerHome]

    package init(isCaller: Bool, path: String?, formerHomes: [FormerHome]) {
        self.isCaller = isCaller
        self.path = path
        self.formerHomes = formerHomes
    }
}

/// The private group of a tool that was identified by its path.
package struct FormerHome: Sendable, Hashable {
    package let accessGroup: String
    /// Nil if the device did not record the path of the program.
    package let path: String?
    package let itemCount: Int64

    package init(accessGroup: String, path: String?, itemCount: Int64) {
        self.accessGroup = accessGroup
        self.path = path
        self.itemCount = itemCount
    }
}

extension OwnersTool: KeychainAnswer {
    package static let replyNumber: Int64 = 10
    package static let formerHomeLimit = 256

    package func write(to writer: inout FieldWriter) {
        writer.boolean(isCaller)
        writer.optionalText(path)
        writer.elements(formerHomes.prefix(Self.formerHomeLimit)) { writer, home in
            writer.text(home.accessGroup)
            writer.optionalText(home.path)
            writer.integer(home.itemCount)
        }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        isCaller = try fields.boolean("is the owner's tool")
        path = try fields.optionalText("path")
        formerHomes = try fields.elements("former homes", limit: Self.formerHomeLimit) {
            fields throws(MessageCodingFailure) in
            FormerHome(
                accessGroup: try fields.text("access group"), path: try fields.optionalText("path"),
                itemCount: try fields.count("items"))
        }
    }
}
